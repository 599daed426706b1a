import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { readTables } from '@/backend/engine/data'
import { Chance } from '@/backend/learn/chance'
import { Learner } from '@/backend/learn/learner'
import { Matches, scoreOf } from '@/backend/learn/match'
import { cardOf, NetFileError, packWeights, readNet } from '@/backend/learn/netFile'
import { Net, restore } from '@/backend/learn/net'
import { Encoder } from '@/backend/learn/planes'
import type { Players } from '@/backend/learn/players'
import type { Choice, Recipes } from '@/backend/learn/recipes'
import { Replay, type FinishedGame } from '@/backend/learn/replay'
import { LearnRun, type KeptNet, type RunState } from '@/backend/learn/run'
import { gamesOf, SelfPlay, treesOf } from '@/backend/learn/selfplay'
import { DEFAULTS } from '@/features/learn/useLearn'
import { Kernels } from '@/wasm/kernels'
import * as description from '@/wasm/learner/generated'

interface Example {
  size: number
  winLength: number
  progress: number
  games: (Omit<FinishedGame, 'rows' | 'number'> & { rows: { cells: number[]; shares: number[]; value: number; flags: number; surprise: number }[] })[]
  openings: number[][]
  steps: { loss: number; policy: number; value: number }[]
  checks: { moves: string; value: number; policy: number[] }[]
}

const recipes = JSON.parse(readFileSync('src/wasm/learner/recipes.json', 'utf8')) as Recipes
const example = JSON.parse(readFileSync('../tests/golden/files/learning.json', 'utf8')) as Example
const tables = gunzipSync(readFileSync('../tests/golden/files/threat-tables.gz'))
let kernels: Kernels

vi.setConfig({ testTimeout: 60_000 })

/** The same numbers from 0 to 1 as in Python's example. */
const numbers = (count: number, begin = 0): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => Number((BigInt(begin + i) * 2654435761n) % (1n << 32n)) / 2 ** 32)

/** Another instance for each test: memory is never given back. */
const fresh = (): Promise<Kernels> => Kernels.load(readFileSync('src/wasm/learner.wasm'), description)

beforeAll(async () => {
  kernels = await fresh()
})

describe('a learner in the page', () => {
  it('takes the steps that Python takes', () => {
    const { size, winLength } = example
    const recipe = recipes.nets['2b16']!['tactical18-v1']!
    const learner = new Learner(kernels, recipe, recipes, size)
    learner.begin((count) => numbers(count))
    const encoder = new Encoder(kernels, readTables(kernels, tables))
    const maps = kernels.array('int64', 8, size ** 2)
    recipes.maps[size]!.flat().forEach((cell, i) => maps.set(i, cell))
    const replay = new Replay(kernels, recipes.preset.replay, learner.net, encoder, maps, winLength)
    for (const { rows, ...game } of example.games) {
      const own = rows.map((row) => ({ ...row, cells: Int16Array.from(row.cells), shares: Float32Array.from(row.shares) }))
      replay.add({ ...game, number: 0, rows: own })
    }
    const { batch } = learner.net
    example.steps.forEach((wanted, i) => {
      const found = learner.step(replay.sample(numbers(batch, 1000 * i), numbers(batch, 1000 * i + 500)), example.progress)
      for (const name of ['loss', 'policy', 'value'] as const) expect(found[name] / wanted[name]).toBeCloseTo(1, 4)
    })
    const parsed = example.checks.map(({ moves }) => (moves.match(/[a-z]\d+/g) ?? []).map((one) => (size - Number(one.slice(1))) * size + one.charCodeAt(0) - 97))
    const matches = new Matches(kernels, { size, winLength }, learner.net, encoder, recipes.scores, parsed)
    encoder.encode(matches.setUp(parsed), parsed.length, learner.net.planes)
    const { logits, values } = learner.net.answersTo(learner.net.planes, parsed.length, learner.average)
    example.checks.forEach(({ value, policy }, i) => {
      expect(values[i]).toBeCloseTo(value, 3)
      const own = logits.slice(i * size ** 2, (i + 1) * size ** 2).map(Math.exp)
      const whole = own.reduce((a, b) => a + b)
      policy.forEach((share, cell) => expect(own[cell]! / whole).toBeCloseTo(share, 3))
    })
  })
})

describe('a run in the page', () => {
  const choice: Choice = { size: 5, winLength: 3, net: '2b16', simulations: 8, seed: 7 }

  async function runFor(iterations: number, given: Choice = choice): Promise<{ run: LearnRun; kept: [RunState, KeptNet, readonly FinishedGame[]][] }> {
    const own = await fresh()
    const kept: [RunState, KeptNet, readonly FinishedGame[]][] = []
    const data = given.winLength > 3 ? readTables(own, tables) : null
    const run = new LearnRun(own, recipes, given, data, { keep: (...parts) => kept.push(structuredClone(parts)) })
    await run.work(async () => run.iteration >= iterations)
    return { run, kept }
  }

  it('goes on where it was kept, and is the same again', async () => {
    const { run, kept } = await runFor(2)
    const again = await runFor(0)
    const first = kept.find(([state, , games]) => state.iteration === 1 && games.length)
    again.run.restore(first![0], [run.nets[0]!, first![1]], first![2])
    expect(again.run.iteration).toBe(1)
    await again.run.work(async () => again.run.iteration >= 2)
    expect(again.kept.at(-1)![0].learner.steps).toBeGreaterThan(first![0].learner.steps)
    const twin = await runFor(2)
    expect(twin.run.nets.at(-1)!.parameters).toEqual(run.nets.at(-1)!.parameters)
    expect(run.curves.table[0]).toMatchObject({ iteration: 0, games: 2 * recipes.boards['5-3']!.pairs.length })
  })

  it('begins its games as Python does', async () => {
    const { size, winLength, openings } = example
    const own = await fresh()
    const run = new LearnRun(own, recipes, { ...choice, size, winLength }, readTables(own, tables))
    run.curves.table.push({ seconds: 0, iteration: 0, score: 0, low: 0, high: 0, games: 0 })
    await run.work(async () => true)
    const sorted = (all: number[][]): string[] => all.map((moves) => moves.join()).sort()
    expect(sorted(run.selfplay.going)).toEqual(sorted(openings))
  })

  it('begins again only where nothing was learned, and not with a net of a file', async () => {
    const still = { ...recipes, preset: { ...recipes.preset, learn: { ...recipes.preset.learn, lr: 0, lr_last: 0 } } }
    const tried = async (given: Recipes, more: Partial<Choice>): Promise<LearnRun> => {
      const run = new LearnRun(await fresh(), given, { ...choice, ...more }, null)
      await run.work(async () => run.iteration > recipes.rescue.iterations)
      return run
    }
    expect(await tried(still, {})).toMatchObject({ iteration: recipes.rescue.iterations, isHopeless: true })
    expect((await tried(still, { isOpened: true })).isHopeless).toBe(false)
    const run = await tried(recipes, {})
    expect(run.iteration).toBeGreaterThan(recipes.rescue.iterations)
    expect(Math.min(...run.curves.losses.map(({ policy }) => policy))).toBeLessThan(recipes.rescue.losses[choice.size]!)
  })

  it('takes its games from players where there are some, and learns no longer from more of them', async () => {
    const [own, other] = [await fresh(), await fresh()]
    const { net: name, size, simulations } = choice
    const net = new Net(other, recipes.nets[name]!['board7-v1']!, recipes, size)
    const play = new SelfPlay(treesOf(other, recipes, choice, net, new Encoder(other, null), 8), gamesOf(recipes, choice), new Chance(other, choice.seed), 40, 2)
    const told: string[] = []
    const players: Players = {
      going: [[3]],
      play: (weights, doublings) => {
        restore(net.own, weights)
        told.push(`play ${doublings}`)
      },
      taken: async () => {
        const found: FinishedGame[] = []
        while (found.length < 150) found.push(...play.step(net.own, 0))
        return found
      },
      pause: () => void told.push('pause'),
    }
    const kept: RunState[] = []
    const run = new LearnRun(own, recipes, choice, null, { keep: (state) => kept.push(structuredClone(state)) }, players)
    await run.work(async () => run.iteration >= 2)
    expect(simulations).toBe(gamesOf(recipes, choice).simulations)
    // It is heard that it shall stop either in a match after the second iteration, or in the games of a third one.
    expect(told.slice(0, 2)).toEqual(['play 0', 'play 0'])
    expect(told.at(-1)).toBe('pause')
    expect(run.going).toEqual([[3]])
    const last = kept.at(-1)!
    expect(last.played).toBeGreaterThanOrEqual(300)
    expect(run.games).toBeGreaterThanOrEqual(last.played)
    // Games have the players' own numbers; after a reload nobody plays one of them again.
    expect(last.begun).toBeGreaterThan(40 + 2 * 290)
    const perIteration = last.learner.steps / 2
    const batches = (games: number): number => (recipes.preset.learn.samples * games * (last.seen / last.played)) / recipes.preset.learn.batch
    expect(perIteration).toBeCloseTo(batches(recipes.preset.selfplay.games), -1)
  })

  it('learns three in a row, too, where threats have no names', async () => {
    const { run } = await runFor(2)
    expect(run.curves.losses.map(({ iteration }) => iteration)).toEqual([1, 2])
    const look = run.look([6, 0, 7, 1, 8], run.nets.at(-1)!)
    expect(look.end).toEqual({ winner: 1, line: [6, 7, 8] })
    expect(run.lastGame!.line.length === 3 || run.lastGame!.result === 0).toBe(true)
  })

  it('says what a net sees, and plays with search', async () => {
    const { run } = await runFor(1, { ...choice, size: 6, winLength: 5 })
    const net = run.nets.at(-1)!
    const look = run.look([14, 20], net)
    expect(look.policy.reduce((a, b) => a + b)).toBeCloseTo(1, 4)
    expect([look.policy[14], look.policy[20]]).toEqual([0, 0])
    expect(look.move).not.toBeNull()
    // Four black stones in a row: the fifth wins, and every search finds it.
    const { move, value } = await run.search([12, 0, 13, 1, 14, 2, 15, 30], net, 32, async () => false)
    expect([11, 16]).toContain(move)
    expect(value).toBe(1)
  })

  it('writes the files that it reads', async () => {
    const { run } = await runFor(1)
    const net = run.nets.at(-1)!
    const weights = packWeights(run.recipe, net)
    const card = await cardOf(run.recipe, choice, weights, run.checks(net), { preset: 'tiny' }, 'learned')
    const back = await readNet(recipes, weights, card)
    expect(back).toMatchObject({ net: '2b16', size: 5, winLength: 3 })
    expect(back.snapshot.parameters).toEqual(net.parameters)
    expect(back.snapshot.running).toEqual(net.running)
    const other = await runFor(0)
    other.run.beginFrom(back.snapshot)
    expect(other.run.nets[0]!.parameters).toEqual(net.parameters)

    const refused = async (data: Uint8Array<ArrayBuffer>, text: string): Promise<string> => {
      const error = await readNet(recipes, data, text).catch((found: unknown) => found)
      expect(error).toBeInstanceOf(NetFileError)
      return (error as NetFileError).code
    }
    const changed = (change: object): string => JSON.stringify({ ...(JSON.parse(card) as object), ...change })
    expect(await refused(weights, 'no card')).toBe('files')
    expect(await refused(weights, changed({ rules: { size: 15, win_length: 5, rule: 'freestyle' } }))).toBe('board')
    expect(await refused(weights, changed({ options: { blocks: 9, channels: 99 } }))).toBe('net')
    expect(await refused(weights.slice(0, -4), card)).toBe('damaged')
  })
})

it('offers what the preset has', () => {
  const { net, selfplay } = recipes.preset
  expect(DEFAULTS).toMatchObject({ net: net.architecture, simulations: selfplay.simulations })
})

it('gives the interval of pairs of games', () => {
  expect(scoreOf([1, 0, 1, 0])).toMatchObject({ score: 50, games: 8 })
  expect(scoreOf([1, 1, 1])).toEqual({ score: 100, low: 100, high: 100, games: 6 })
})
