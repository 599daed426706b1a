// @vitest-environment node
/** Searches, hints and the moves of the levels are what Python writes down. */

import { beforeAll, describe, expect, it } from 'vitest'
import type { Action } from '@/backend/engine/game'
import { formatCell, parseCell, parseCode } from '@/game/notation'
import { REVIEW } from '@/wasm/generated'
import type { RulesIn } from '@/wire'
import { type Ask, chosen, ENGINE, facts, gameIn, hired, plain, type Question, rowsOf } from './worker'

interface Analysis extends Question {
  nodes: number
  multipv: number
  answer: unknown
}
interface Hint extends Question {
  nodes: number
  move: string
  answer: unknown
}
interface Seeded extends Question {
  seed: number
}
interface Level {
  level: string
  nodes: number
  moves: string[]
}

let ask: Ask

beforeAll(async () => {
  ask = await hired()
})

function namedAction(action: Action | null, size: number): unknown {
  return action?.type === 'place' ? { type: 'place', moves: action.moves.map((cell) => formatCell(cell, size)) } : action
}

interface Choice {
  rules: Required<RulesIn>
  parts: string[]
  spec: string
  seed: number
  nodes: number
  answer: unknown
}

describe('golden messages', () => {
  const searches = rowsOf<Analysis>('analysis')
  it.each(chosen(searches.length))('report of search %i', async (place) => {
    const row = searches[place]!
    const asked = { game: gameIn(row), spec: ENGINE, seed: 0, limit: { nodes: row.nodes }, multipv: row.multipv }
    const { rootInfo, moveInfos, action } = await ask('think', asked)
    const { time: _time, nps: _nps, ...root } = rootInfo
    expect(plain({ rootInfo: root, moveInfos, action: namedAction(action, row.rules.size) })).toEqual(row.answer)
  })

  const hints = rowsOf<Hint>('hints')
  it.each(chosen(hints.length))('hint %i', async (place) => {
    const row = hints[place]!
    const found = await ask('hint', { game: gameIn(row), spec: ENGINE, limit: { nodes: row.nodes } })
    const name = (cell: number): string => formatCell(cell, row.rules.size)
    const text = (language: 'en' | 'zh'): string => facts.words[language][`hintreason.${found.reason}`]!
    expect(name(found.move)).toBe(row.move)
    expect({ area: found.area.map(name), reason: found.reason.toUpperCase(), en: text('en'), zh: text('zh') }).toEqual(row.answer)
  })

  const trials = rowsOf<Question & { move: string; answer: object }>('trials')
  it.each(chosen(trials.length))('trial %i', async (place) => {
    const { move, answer, ...row } = trials[place]!
    const name = (cell: number): string => formatCell(cell, row.rules.size)
    const options = { ...REVIEW.OPTIONS, player: ENGINE, quickNodes: 500, deepNodes: 0, proofNodes: 5000 }
    const found = await ask('judge', { game: gameIn(row), move: parseCell(move, row.rules.size)!, goal: 'win', options })
    expect({ ...found, reply: found.reply === null ? null : name(found.reply), line: found.line.map(name).join('') }).toEqual(answer)
  })

  const levels = rowsOf<Seeded | Level>('levels')
  const seeded = levels.filter((row): row is Seeded => 'seed' in row)
  const played = levels.filter((row): row is Level => 'level' in row)
  it.each(played)('moves of the level $level', async ({ level, nodes, moves }) => {
    const places = chosen(seeded.length)
    const found: string[] = []
    for (const { seed, ...row } of places.map((place) => seeded[place]!)) {
      const asked = { game: gameIn(row), spec: `level:name=${level},fresh=true`, seed, limit: { nodes }, multipv: 1 }
      found.push((await ask('think', asked)).moveInfos[0]!.move)
    }
    expect(found).toEqual(places.map((place) => moves[place]))
  })

  const choices = rowsOf<Choice>('choices')
  it.each(choices)('$spec after $parts, seed $seed', async ({ rules, parts, spec, seed, nodes, answer }) => {
    const actions = parts.map((part): Action => ({ type: 'place', moves: parseCode(part, rules.size)! }))
    const { action } = await ask('think', { game: { rules, start: null, actions }, spec, seed, limit: { nodes }, multipv: 1 })
    expect(namedAction(action, rules.size)).toEqual(answer)
  })
})
