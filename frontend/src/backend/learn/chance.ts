/** All chance of a run: numbers by its seed, what they are for, and how far it is; the same again after a reload. */

import type { Kernels, WasmArray } from '@/wasm/kernels'

/** Which of a key's numbers is taken, see `wuzi.search.tree.moving_kernels`. */
export const COIN = 0
export const MOVE = 1
/** Stands for the ply in the key of a game's opening. */
export const OPENING = 1 << 20

/** What numbers are drawn for, beside games. */
export const PURPOSES = { weights: 1 << 20, rows: (1 << 20) + 2, turns: (1 << 20) + 3 } as const

const ROOM = 1 << 12

export class Chance {
  private readonly games: WasmArray
  private readonly plies: WasmArray
  private readonly keys: WasmArray
  private readonly out: WasmArray

  constructor(
    private readonly kernels: Kernels,
    private readonly seed: number,
  ) {
    this.games = kernels.array('int64', ROOM)
    this.plies = kernels.array('int64', ROOM)
    this.keys = kernels.array('uint64', ROOM)
    this.out = kernels.array('float64', ROOM)
  }

  /** The keys of the searches of some games at their plies. */
  keysOf(games: readonly number[], plies: readonly number[]): WasmArray {
    games.forEach((game, i) => {
      this.games.set(i, game)
      this.plies.set(i, plies[i]!)
    })
    const keys = this.keys.part(0, games.length)
    this.kernels.call('make_keys', this.seed, this.games.part(0, games.length), this.plies.part(0, games.length), keys)
    return keys
  }

  /** The number from 0 to 1 of that index for each of these keys. */
  drawn(keys: WasmArray, index: number): WasmArray {
    const out = this.out.part(0, keys.items)
    this.kernels.call('draw_numbers', keys, index, out)
    return out
  }

  /** Numbers from 0 to 1 for a purpose at some point of a run. */
  numbers(purpose: number, at: number, count: number): Float64Array {
    const found = new Float64Array(count)
    for (let first = 0; first < count; first += ROOM) {
      const length = Math.min(ROOM, count - first)
      const indices = Array.from({ length }, (_, i) => first + i)
      const keys = this.keysOf(
        indices.map(() => at),
        indices.map((i) => purpose * 4096 + i),
      )
      found.set(this.drawn(keys, MOVE).view() as Float64Array, first)
    }
    return found
  }
}
