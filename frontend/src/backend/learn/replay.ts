/** The window of positions that a net learns from, and the batches drawn from it: what `Replay` does in Python. */

import type { Kernels, WasmArray } from '@/wasm/kernels'
import type { Batch } from './learner'
import type { Net } from './net'
import { type Encoder, FREESTYLE } from './planes'
import type { Preset } from './recipes'

/** With fewer simulations than others; one move only, or a proven result. */
export const FAST = 1
export const DECIDED = 4

/** What a search said of one position. */
export interface Row {
  cells: Int16Array
  shares: Float32Array
  value: number
  flags: number
  surprise: number
}

/** A finished game. */
export interface FinishedGame {
  number: number
  moves: number[]
  /** How many of them were set up before the net played. */
  opening: number
  /** 1: Black won, -1: White won, 0: a draw. */
  result: number
  /** The cells of the row that won, if one did. */
  line: number[]
  rows: Row[]
}

interface Kept {
  game: FinishedGame
  policyWeights: Float32Array
  valueWeights: Float32Array
}

export class Replay {
  rows = 0
  private readonly games: Kept[] = []
  private readonly stored: WasmArray[]
  private readonly which: Record<'games' | 'rows' | 'turns', WasmArray>
  private readonly states: WasmArray
  private readonly targets: Record<'plies' | 'results' | 'policy' | 'replies' | 'lines' | 'left', WasmArray>

  constructor(
    private readonly kernels: Kernels,
    private readonly options: Preset['replay'],
    private readonly net: Net,
    private readonly encoder: Encoder,
    private readonly maps: WasmArray,
    private readonly winLength: number,
  ) {
    const { batch, cells } = net
    const whole = (...shape: number[]): WasmArray => kernels.array('int64', ...shape)
    // Each position of a batch is a game of at most two searches: its own, and the reply.
    this.stored = [
      ...[batch + 1, batch + 1, batch + 1, batch, batch].map((length) => whole(length)),
      kernels.array('int16', batch * cells),
      kernels.array('int16', batch * cells),
      whole(2 * batch + 1),
      kernels.array('int16', 2 * batch * cells),
      kernels.array('float32', 2 * batch * cells),
    ]
    this.which = { games: whole(batch), rows: whole(batch), turns: whole(batch) }
    this.states = kernels.array('STATE', batch)
    this.targets = {
      plies: whole(batch),
      results: whole(batch),
      policy: kernels.array('float32', batch, cells),
      replies: kernels.array('float32', batch, cells),
      lines: whole(batch, cells),
      left: kernels.array('float32', batch),
    }
  }

  add(game: FinishedGame): void {
    const valueWeights = Float32Array.from(game.rows, ({ flags }) => this.weight(flags) * (flags & FAST ? this.options.fast_value_weight : 1))
    this.games.push({ game, policyWeights: this.policyWeights(game.rows), valueWeights })
    this.rows += game.rows.length
  }

  /** Drops the oldest games while enough positions are left for a run that has seen so many in all. */
  trim(seen: number): void {
    const { window, window_max: most, window_share: share } = this.options
    const size = Math.max(window, Math.min(most, Math.round(seen * share)))
    while (this.games.length && this.rows - this.games[0]!.game.rows.length >= size) this.rows -= this.games.shift()!.game.rows.length
  }

  /** Draws positions, each once unless there are too few, by numbers from 0 to 1; their planes are then the net's. */
  sample(draws: Float64Array, turns: Float64Array): Batch {
    const { kernels, net, targets, which, winLength, stored } = this
    const count = net.batch
    const chosen = this.chosen(draws, count)
    const [rowStarts, moveStarts, lineStarts, openings, results, moves, lines, cellStarts, cells, shares] = stored as [WasmArray, ...WasmArray[]]
    const room = [moves!, lines!, cells!, shares!].map((one) => one.view())
    let [move, line, row, cell] = [0, 0, 0, 0]
    chosen.forEach(([{ game }, at], i) => {
      const searches = game.rows.slice(at, at + 2)
      rowStarts.set(i, row)
      moveStarts!.set(i, move)
      lineStarts!.set(i, line)
      openings!.set(i, game.opening + at)
      results!.set(i, game.result)
      which.games.set(i, i)
      which.rows.set(i, row)
      which.turns.set(i, Math.floor(turns[i]! * 8))
      room[0]!.set(game.moves, move)
      room[1]!.set(game.line, line)
      move += game.moves.length
      line += game.line.length
      for (const search of searches) {
        cellStarts!.set(row++, cell)
        room[2]!.set(search.cells, cell)
        room[3]!.set(search.shares, cell)
        cell += search.cells.length
      }
    })
    rowStarts.set(count, row)
    moveStarts!.set(count, move)
    lineStarts!.set(count, line)
    cellStarts!.set(row, cell)
    const { plies, results: ended, policy, replies, lines: parts, left } = targets
    kernels.call(
      'set_up_rows',
      ...stored,
      ...[which.games, which.rows, which.turns],
      ...[this.maps, net.size, winLength, FREESTYLE, this.states],
      ...[plies, ended, policy, replies, parts, left],
    )
    this.encoder.encode(this.states, count, net.planes)
    const of = (pick: (kept: Kept, at: number) => number): Float32Array => Float32Array.from(chosen, ([kept, at]) => pick(kept, at))
    return {
      ...{ count, policy, replies, lines: parts, results: ended, left },
      values: of(({ game }, at) => game.rows[at]!.value),
      policyWeights: of((kept, at) => kept.policyWeights[at]!),
      valueWeights: of((kept, at) => kept.valueWeights[at]!),
    }
  }

  /** Which games and searches numbers from 0 to 1 mean. */
  private chosen(draws: Float64Array, count: number): [Kept, number][] {
    const starts = [0]
    for (const { game } of this.games) starts.push(starts.at(-1)! + game.rows.length)
    const taken = new Set<number>()
    const found: [Kept, number][] = []
    for (let i = 0; found.length < count; i = (i + 1) % draws.length) {
      let row = Math.floor(draws[i]! * this.rows)
      if (this.rows >= count) while (taken.has(row)) row = (row + 1) % this.rows
      taken.add(row)
      let [low, high] = [0, this.games.length]
      while (high - low > 1) {
        const middle = (low + high) >> 1
        if (starts[middle]! <= row) low = middle
        else high = middle
      }
      found.push([this.games[low]!, row - starts[low]!])
    }
    return found
  }

  private weight(flags: number): number {
    return flags & DECIDED ? this.options.decided_weight : 1
  }

  /** How much the policy of each search counts: a share of the game's sum goes by how far they moved the policy. */
  private policyWeights(rows: readonly Row[]): Float32Array {
    const weights = rows.map(({ flags }) => (flags & FAST ? this.options.fast_weight : 1) * this.weight(flags))
    const moved = weights.map((weight, i) => weight * rows[i]!.surprise)
    const [sum, total] = [weights, moved].map((all) => all.reduce((a, b) => a + b, 0)) as [number, number]
    const share = total > 0 ? this.options.surprise_share : 0
    return Float32Array.from(weights, (weight, i) => (1 - share) * weight + (share ? (share * sum * moved[i]!) / total : 0))
  }
}
