// @vitest-environment node
/** Whole reviews, task by task and in words, are what Python writes down. */

import { beforeAll, expect, it } from 'vitest'
import { gameFrom, type Said, type TaskResult, type WinFound } from '@/backend/engine/asks'
import { keyOf, ReviewBook } from '@/backend/local/judgement'
import { ReviewTexts, sideOut } from '@/backend/local/reviewText'
import { formatCell, parseCode } from '@/game/notation'
import { REVIEW } from '@/wasm/generated'
import { letterOf } from '@/wasm/rulebook'
import { type Ask, chosen, ENGINE, facts, gameIn, hired, plain, type Question, rowsOf } from './worker'

interface Row extends Question {
  options: Record<'quick_nodes' | 'deep_nodes' | 'verify_nodes' | 'multipv' | 'proof_nodes', number> & { strength: boolean }
  results: Record<string, unknown>
  answer: Record<string, unknown>
}

const rows = rowsOf<Row>('reviews')
let ask: Ask

beforeAll(async () => {
  ask = await hired()
})

/** A result as Python keeps it. */
function kept(found: TaskResult, size: number): unknown {
  const name = (cell: number): string => formatCell(cell, size)
  const code = (cells: number[]): string => cells.map(name).join('')
  const cell = (one: number | null): string | null => (one === null ? null : name(one))
  const win = (one: WinFound | null): unknown => one && { kind: one.kind, moves: code(one.moves) }
  const remarks = (said: Said[] | null): unknown =>
    said && { said: said.map((one) => ({ said: one.said.toUpperCase(), cells: code(one.cells), plies: one.plies })) }
  if ('likelihoods' in found) return found
  if ('lines' in found) {
    const lines = found.lines.map(({ move, pv, ...line }) => ({ ...line, move: name(move), pv: code(pv) }))
    return { winrate: found.winrate, nodes: found.nodes, lines, ...(remarks(found.said) as object) }
  }
  if ('tried' in found) return { move: cell(found.move), tried: found.tried, proved: found.proved, ...(remarks(found.said) as object) }
  const { win: own, threat, only, said, ...proof } = found
  return { ...proof, win: win(own), threat: win(threat), only: cell(only), ...(remarks(said) as object) }
}

it.each(chosen(rows.length))('review %i', async (place) => {
  const { options, results, answer, ...row } = rows[place]!
  const game = gameIn(row)
  const { quick_nodes: quickNodes, deep_nodes: deepNodes, verify_nodes: verifyNodes, multipv, proof_nodes: proofNodes, strength } = options
  const budgets = { player: ENGINE, quickNodes, deepNodes, verifyNodes, multipv, proofNodes, strength }
  const found: Record<string, TaskResult> = {}
  const book = new ReviewBook(gameFrom(game), budgets, found)
  for (let task = book.next(); task; task = book.next()) found[keyOf(task.kind, task.ply)] = await ask('review', { game, ...task, options: budgets })
  const { size } = row.rules
  expect(plain(Object.fromEntries(Object.entries(found).map(([key, one]) => [key, kept(one, size)])))).toEqual(results)

  const judged = book.judge()
  const { end } = book.game
  const texts = new ReviewTexts(book, facts.words)
  const told = {
    player: ENGINE,
    complete: book.next() === null,
    rules: row.rules,
    start: book.positions[0]!.text,
    judgedFrom: book.judgedFrom,
    outcome: end && { winner: end.winner && letterOf(end.winner), reason: end.reason },
    winrates: judged.winrates,
    moves: judged.moves.map((move) => texts.moveOut(move)),
    sides: judged.sides.map(sideOut),
    worst: judged.worst,
    resigned: texts.resigned(judged.resigned),
  }
  expect(plain(told)).toEqual(answer)
})

/** At Normal: 9.F7 lets a win by threats go and wins more slowly, so 10.F8 is lost as everything else is. */
it('marks no move that wins, and none where all lose', { timeout: 300_000 }, async () => {
  const moves = 'h8g9f9g8g7i9h6h9f7f8e7h7e8d7g6d9e6e9f6d6i6'
  const game = gameIn({ rules: { size: 15, winLength: 5, rule: 'freestyle', opening: 'free' }, moves })
  const [quickNodes, deepNodes, verifyNodes] = REVIEW.DEPTHS.normal
  const options = { ...REVIEW.OPTIONS, player: REVIEW.ANALYSTS.engine, quickNodes, deepNodes, verifyNodes }
  const book = new ReviewBook(gameFrom(game), options, {})
  const next = () => book.next([7, 8, 9, 10])
  for (let task = next(); task; task = next()) book.results[keyOf(task.kind, task.ply)] = await ask('review', { game, ...task, options })
  const [winning, lost] = book.judge().moves.slice(8, 10)
  expect([winning!.mark, winning!.missed, winning!.loss]).toEqual(['good', null, 0])
  expect([lost!.mark, lost!.allowed, lost!.missed, lost!.defence]).toEqual([null, null, null, null])
  expect(lost!.loses).not.toBeNull()
})

it('says of a try where all is lost that everything loses', async () => {
  const game = gameIn({ rules: { size: 15, winLength: 5, rule: 'freestyle', opening: 'free' }, moves: 'h8a1i8a3j8a5k8' })
  const options = { ...REVIEW.OPTIONS, player: ENGINE, quickNodes: 1000 }
  const { verdict, proved, line } = await ask('judge', { game, move: parseCode('l8', 15)![0]!, goal: 'best', options })
  expect([verdict, proved, line.length]).toEqual(['lost', true, 1])
})

it('estimates strength as Python does', () => {
  const moves = 'h8g9f9g8g7i9h6h9f7f8e7h7e8d7g6d9e6e9d6a1b1c1a3a5'
  const game = gameIn({ rules: { size: 15, winLength: 5, rule: 'freestyle', opening: 'free' }, moves })
  const fit = (like: number): TaskResult => ({ likelihoods: REVIEW.LEVELS.map((_, i) => (i === like ? 0.6 : 0.1)), policy: 0.2 })
  const found = Object.fromEntries(Array.from({ length: 24 }, (_, ply) => [keyOf('levels', ply), fit(ply % 2 ? 2 : 5)]))
  const { sides } = new ReviewBook(gameFrom(game), { ...REVIEW.OPTIONS, player: ENGINE }, found).judge()
  expect(sides.map(({ strength }) => strength)).toEqual([
    { elo: 1832, low: 1726, high: 1936, level: 'strong', moves: 12 },
    { elo: 967, low: 936, high: 1016, level: 'casual', moves: 12 },
  ])
})
