/** Moves after which both sides stand about alike, as `wuzi.search.balance` looks for them. */

import { formatCell } from '@/game/notation'
import { BALANCE } from '@/wasm/generated'
import { type Position, RuleError } from '@/wasm/rulebook'
import type { Balance } from '@/wire'
import type { Game } from './game'
import { type Budget, blackRate } from './info'

const { GLANCED, GLANCE_NODES, NODES, REACH, STUDIED, WORTH_NODES } = BALANCE

/** The value of a position for its side to move, -1 to 1, found within a budget. */
type Evaluate = (position: Position, budget: Budget) => Promise<number>

interface Choice {
  moves: number[]
  end: Position
}

function nearCells({ rules: { size }, cells, legalMoves }: Position): number[] {
  const place = (cell: number): [number, number] => [Math.floor(cell / size), cell % size]
  const stones = [...cells.keys()].filter((cell) => cells[cell]).map(place)
  if (!stones.length) stones.push([Math.floor(size / 2), Math.floor(size / 2)])
  return legalMoves.filter((cell) => {
    const [row, col] = place(cell)
    return stones.some(([y, x]) => Math.max(Math.abs(row - y), Math.abs(col - x)) <= REACH)
  })
}

/** Some of them, in a random order. */
function sampled<T>(all: readonly T[], count: number): T[] {
  return all
    .map((one) => [Math.random(), one] as const)
    .sort(([a], [b]) => a - b)
    .slice(0, count)
    .map(([, one]) => one)
}

function choices(position: Position, count: number): Choice[] {
  const cells = nearCells(position)
  const picked = count === 1 ? sampled(cells, GLANCED).map((cell) => [cell]) : Array.from({ length: cells.length > 1 ? GLANCED : 0 }, () => sampled(cells, 2))
  return picked
    .map((moves) => ({ moves, end: moves.reduce((now, move) => (now.end ? now : now.play(move)), position) }))
    .filter(({ end }) => !end.end)
}

/** One or two moves, and Black's win rate after them: first a glance at many, then a study of the best. */
export async function balanced(value: Evaluate, game: Game, count: number): Promise<Balance> {
  const known: (Choice & { rank: number; distance: number })[] = []
  for (const one of choices(game.position, count)) known.push({ ...one, rank: 1, distance: Math.abs(await value(one.end, { nodes: GLANCE_NODES })) })
  if (!known.length) throw new RuleError('unsupported_rule', `no ${count} free cells near the stones leave the game undecided`)
  known.sort((a, b) => a.distance - b.distance)
  for (const one of known.slice(0, STUDIED)) {
    one.distance = Math.abs(await value(one.end, { nodes: NODES }))
    one.rank = 0
  }
  known.sort((a, b) => a.rank - b.rank || a.distance - b.distance)
  const { moves, end } = known[0]!
  const found = await value(end, { nodes: WORTH_NODES })
  return { moves: moves.map((cell) => formatCell(cell, game.rules.size)), winrate: blackRate(found, end.toMove) }
}
