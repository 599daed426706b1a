/** Games of a net's policy, without any search, in which two sides play each opening with both colours. */

import { CONSTANTS } from '@/wasm/generated'
import type { Kernels, WasmArray, WasmRecord } from '@/wasm/kernels'
import type { Net, Weights } from './net'
import { type Encoder, FREESTYLE } from './planes'
import type { BoardRule } from './trees'

const { BLACK, DRAW } = CONSTANTS
/** Of 95 % of all samples. */
const DEVIATIONS = 1.96

/** Who chooses moves: the policy of a net with these weights, or the score table. */
export type Side = Weights | 'table'

/** The score of the first side in percent, and the interval by pairs of games that holds it in 95 % of all matches. */
export interface Score {
  score: number
  low: number
  high: number
  games: number
}

/** How a game ended: who won, in the numbers of the kernels, and by which row; a draw has neither. */
export interface BoardEnd {
  winner: number | null
  line: number[]
}

/** How a board's game ended, with room for its rows; null where it goes on. */
export function boardEnd(kernels: Kernels, state: WasmRecord<'STATE'>, rows: WasmArray): BoardEnd | null {
  const result = state.get('result')
  if (!result) return null
  if (result === DRAW) return { winner: null, line: [] }
  const end = kernels.call('winning_rows', state, result, rows)
  return { winner: result, line: end ? Array.from({ length: rows.get(0) }, (_, i) => rows.get(1 + i)) : [] }
}

interface MatchGame {
  moves: number[]
  /** Whether the first side has Black. */
  isBlack: boolean
  points: number | null
}

export class Matches {
  private readonly table: WasmArray
  private readonly states: WasmArray
  private readonly sets: Record<'moves' | 'starts' | 'plies', WasmArray>
  private readonly weights: [WasmArray, WasmArray]
  private readonly offCentre: number[]
  private readonly rows: WasmArray

  constructor(
    private readonly kernels: Kernels,
    private readonly rule: BoardRule,
    private readonly net: Net,
    private readonly encoder: Encoder,
    scores: readonly (readonly number[])[],
    private readonly openings: readonly (readonly number[])[],
  ) {
    const { cells, size } = net
    const games = 2 * openings.length
    this.table = kernels.array('int64', 6, 3)
    scores.flat().forEach((value, i) => this.table.set(i, value))
    this.states = kernels.array('STATE', games)
    this.sets = { moves: kernels.array('int16', games * cells), starts: kernels.array('int64', games), plies: kernels.array('int64', games) }
    this.weights = [kernels.array('int64', cells), kernels.array('int64', cells)]
    this.rows = kernels.array('int64', 6 * cells)
    const centre = (size - 1) / 2
    this.offCentre = Array.from({ length: cells }, (_, cell) => {
      const [down, right] = [Math.abs(Math.floor(cell / size) - centre), Math.abs((cell % size) - centre)]
      return Math.max(down, right) + (down + right) / (4 * size)
    })
  }

  /** Plays; between two moves of all games others get their turn, and may end it: then there is no score. */
  async play(first: Side, second: Side, rest: () => Promise<boolean>): Promise<Score | null> {
    const games: MatchGame[] = this.openings.flatMap((moves) => [true, false].map((isBlack) => ({ moves: [...moves], isBlack, points: null })))
    for (;;) {
      const going = this.settle(games)
      if (!going.length) break
      const ofFirst = going.filter((game) => (game.moves.length % 2 === 0) === game.isBlack)
      const ofSecond = going.filter((game) => !ofFirst.includes(game))
      if (ofFirst.length) this.move(ofFirst, first)
      if (ofSecond.length) this.move(ofSecond, second)
      if (await rest()) return null
    }
    const pairs = this.openings.map((_, i) => (games[2 * i]!.points! + games[2 * i + 1]!.points!) / 2)
    return scoreOf(pairs)
  }

  /** Sets up all boards that are not over; the games that go on. */
  private settle(games: MatchGame[]): MatchGame[] {
    const open = games.filter(({ points }) => points === null)
    this.setUp(open.map(({ moves }) => moves))
    return open.filter((game, i) => {
      const result = this.states.getField(i, 'result')
      if (result) game.points = result === DRAW ? 0.5 : Number((result === BLACK) === game.isBlack)
      return !result
    })
  }

  /** Fills the records with the boards after these moves. */
  setUp(all: readonly (readonly number[])[]): WasmArray {
    const { kernels, sets, rule } = this
    const moves = sets.moves.view()
    let at = 0
    all.forEach((own, i) => {
      sets.starts.set(i, at)
      sets.plies.set(i, own.length)
      moves.set(own, at)
      at += own.length
    })
    const states = kernels.arrayPart(this.states, all.length)
    kernels.call('set_up_positions', sets.moves, sets.starts, sets.plies, rule.size, rule.winLength, FREESTYLE, states)
    return states
  }

  /** How one of the boards that were set up ended; null where its game goes on. */
  endOf(index: number): BoardEnd | null {
    return boardEnd(this.kernels, this.states.record<'STATE'>(index), this.rows)
  }

  private move(games: readonly MatchGame[], side: Side): void {
    const states = this.setUp(games.map(({ moves }) => moves))
    const free = games.map(({ moves }) => {
      const taken = new Set(moves)
      return Array.from({ length: this.net.cells }, (_, cell) => cell).filter((cell) => !taken.has(cell))
    })
    if (side === 'table') {
      games.forEach((game, i) => game.moves.push(this.byTable(states, i, free[i]!)))
      return
    }
    const { net } = this
    this.encoder.encode(states, games.length, net.planes)
    const { logits } = net.answersTo(net.planes, games.length, side)
    games.forEach((game, i) => {
      const own = logits.subarray(i * net.cells, (i + 1) * net.cells)
      game.moves.push(free[i]!.reduce((best, cell) => (own[cell]! > own[best]! ? cell : best)))
    })
  }

  /** The greatest sum of attack and defence, the nearest to the centre among equals. */
  private byTable(states: WasmArray, game: number, free: readonly number[]): number {
    const state = states.record<'STATE'>(game)
    this.kernels.call('cell_weights', state, this.table, state.get('side'), ...this.weights)
    const [attack, defence] = this.weights
    const weights = new Map(free.map((cell) => [cell, attack.get(cell) + defence.get(cell)]))
    const isBetter = (a: number, b: number): boolean => {
      const more = weights.get(a)! - weights.get(b)!
      return more > 0 || (more === 0 && this.offCentre[a]! < this.offCentre[b]!)
    }
    return free.reduce((best, cell) => (isBetter(cell, best) ? cell : best))
  }
}

/** The mean of pairs of games, each 0 to 1, in percent. */
export function scoreOf(pairs: readonly number[]): Score {
  const mean = pairs.reduce((a, b) => a + b, 0) / pairs.length
  const variance = pairs.reduce((sum, pair) => sum + (pair - mean) ** 2, 0) / Math.max(1, pairs.length - 1)
  const off = DEVIATIONS * Math.sqrt(variance / pairs.length)
  const percent = (share: number): number => 100 * Math.min(1, Math.max(0, share))
  return { score: percent(mean), low: percent(mean - off), high: percent(mean + off), games: 2 * pairs.length }
}
