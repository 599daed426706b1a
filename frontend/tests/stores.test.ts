import { strengthOf } from '@/features/home/strength'
import { readFileSync } from 'node:fs'
import { createPinia, setActivePinia } from 'pinia'
import { nextTick } from 'vue'
import { beforeEach, describe, expect, it } from 'vitest'
import { unsupported, useCatalogue } from '@/backend/catalogue'
import { rulesProblem } from '@/game/rules'
import { DEFAULTS, detectLocale, useSettings } from '@/features/settings/settings'
import { useSetup } from '@/features/home/setup'
import { useStudy } from '@/features/analysis/study'
import { ENGINES, FakeServer } from './fakeServer'

const FREESTYLE = { size: 15, winLength: 5, rule: 'freestyle', opening: 'free' } as const

beforeEach(() => {
  localStorage.clear()
  setActivePinia(createPinia())
})

describe('the study in the browser', () => {
  const golden = readFileSync('../tests/golden/files/wuzi.study-v1.json', 'utf-8')

  beforeEach(() => {
    new FakeServer()
  })

  it('of version 1 still loads', () => {
    localStorage.setItem('wuzi.study', golden)
    const study = useStudy()
    expect(study.moves).toEqual([40, 30])
    expect(study.node.comment).toBe('变化')
    expect(study.doc.nodes[1]!.children).toEqual([2, 3])
  })

  it('of a version to come is left alone until something is played', () => {
    localStorage.setItem('wuzi.study', golden.replace('"version": 1', '"version": 99'))
    expect(useStudy().moves).toEqual([])
    expect(localStorage.getItem('wuzi.study')).toContain('"version": 99')
  })
})

describe('settings', () => {
  it('are remembered', async () => {
    useSettings().values.coordinates = 'matrix'
    await nextTick()
    setActivePinia(createPinia())
    expect(useSettings().values.coordinates).toBe('matrix')
    expect(useSettings().textStyle).toBe('matrix')
  })

  it.each(['not json', '[]', 'null', '{"theme":"pink","sound":"yes","input":7}'])('survive %s', (stored) => {
    localStorage.setItem('wuzi.settings', stored)
    expect(useSettings().values).toEqual(DEFAULTS)
  })

  it('cycle through all choices', () => {
    const settings = useSettings()
    const seen = [0, 1, 2].map(() => {
      settings.cycle('numbers')
      return settings.values.numbers
    })
    expect(seen).toEqual(['last', 'all', 'off'])
  })

  it('detect the language of the browser', () => {
    expect([detectLocale('zh-TW'), detectLocale('ZH'), detectLocale('en-GB'), detectLocale('fr')]).toEqual(['zh-CN', 'zh-CN', 'en', 'en'])
  })
})

describe('what an engine can play', () => {
  const minimax = ENGINES[1]!
  it.each([
    [FREESTYLE, null],
    [{ ...FREESTYLE, rule: 'renju' as const }, 'rule'],
    [{ ...FREESTYLE, size: 20 }, 'size'],
    [{ ...FREESTYLE, winLength: 4 }, 'winLength'],
    [{ ...FREESTYLE, opening: 'swap2' as const }, 'opening'],
  ])('%j: %s', (rules, why) => {
    expect(unsupported(minimax, rules)).toBe(why)
  })
})

describe('a new game', () => {
  it.each([
    [FREESTYLE, null],
    [{ ...FREESTYLE, size: 2 }, 'size'],
    [{ ...FREESTYLE, size: 27 }, 'size'],
    [{ ...FREESTYLE, size: 4 }, 'winLength'],
    [{ ...FREESTYLE, winLength: 2 }, 'winLength'],
    [{ ...FREESTYLE, winLength: 0 }, 'winLength'],
    [{ ...FREESTYLE, rule: 'renju' as const, winLength: 4 }, 'renjuFive'],
    [{ ...FREESTYLE, size: 4, winLength: 4, opening: 'swap2' as const }, 'openingSize'],
  ])('%j has problem %s', (rules, problem) => {
    expect(rulesProblem(rules)).toBe(problem)
  })

  it('fills in engines that exist and asks for the right seats', async () => {
    new FakeServer()
    localStorage.setItem('wuzi.newgame', '{"opponent":"gone","level":"gone"}')
    const setup = useSetup()
    await useCatalogue().load()
    setup.complete()
    expect(setup.ready).toBe(true)
    const engine = { kind: 'engine', engine: 'levels', level: 'normal' }
    expect(setup.request().seats).toEqual([{ kind: 'human' }, engine])
    setup.values.first = 'engine'
    expect(setup.request().seats).toEqual([engine, { kind: 'human' }])
    setup.values.mode = 'two'
    expect(setup.request().seats).toEqual([{ kind: 'human' }, { kind: 'human' }])
  })

  it('is not ready while the opponent refuses the rules, and names the reason', async () => {
    new FakeServer()
    const setup = useSetup()
    await useCatalogue().load()
    setup.complete()
    setup.values.rule = 'renju'
    expect(setup.ready).toBe(false)
    expect(setup.refusing.map((one) => [one.engine.id, one.why])).toEqual([['levels', 'rule']])
    setup.values.opponent = 'weight'
    expect(setup.ready).toBe(true)
  })

  it('asks again while the engines are being prepared', async () => {
    const server = new FakeServer()
    const catalogue = useCatalogue()
    server.offline = true
    await catalogue.load()
    expect(catalogue.status).toBe('failed')
    server.offline = false
    await catalogue.load()
    expect(catalogue.status).toBe('ready')
  })
})

describe('how strong somebody is', () => {
  const against = (elo: number, ...scores: number[]) => scores.map((score) => ({ elo, score }))

  it('is not said after two games', () => {
    expect(strengthOf(against(1000, 1, 0))).toBeNull()
  })

  it('is the opponent’s strength after as many wins as losses, and above it after wins', () => {
    expect(strengthOf(against(1000, 1, 0, 0.5))).toBeCloseTo(1000, -1)
    const three = strengthOf(against(1000, 1, 1, 1))!
    expect(three).toBeGreaterThan(1100)
    expect(strengthOf(against(1000, 1, 1, 1, 1, 1, 1))).toBeGreaterThan(three)
    expect(strengthOf([...against(800, 1, 1), ...against(1400, 0, 0)])).toBeCloseTo(1100, -1)
  })
})
