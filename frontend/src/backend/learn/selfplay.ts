/** Many games of a net against itself, side by side: what `SelfPlay` does in Python, with the preset's parameters. */

import { CONSTANTS } from '@/wasm/generated'
import type { Kernels, WasmArray } from '@/wasm/kernels'
import { type Chance, COIN, MOVE, OPENING } from './chance'
import type { Net, Weights } from './net'
import type { Encoder } from './planes'
import type { Choice, Preset, Recipes } from './recipes'
import { DECIDED, FAST, type FinishedGame, type Row } from './replay'
import { Trees } from './trees'

interface OpenGame {
  number: number
  moves: number[]
  opening: number
  rows: Row[]
  flags: number
}

const { BLACK, DRAW } = CONSTANTS
/** How much noise the root's moves get. */
const GUMBEL_SCALE = 1

/** Simulations of a search in self-play, with those that were chosen. */
export function gamesOf({ preset: { selfplay } }: Recipes, { simulations }: Choice): Preset['selfplay'] {
  return { ...selfplay, simulations, full_simulations: Math.round((simulations * selfplay.full_simulations) / selfplay.simulations) }
}

/** The trees of some games, which may search as much as self-play ever asks for. */
export function treesOf(kernels: Kernels, recipes: Recipes, choice: Choice, net: Net, encoder: Encoder, games: number): Trees {
  const { size, winLength } = choice
  const most = gamesOf(recipes, choice).full_simulations << recipes.preset.selfplay.doublings
  const options = recipes.tree[encoder.tables ? 'tactical' : 'plain']
  return new Trees(kernels, { size, winLength }, net, encoder, games, most, options, mapsOf(kernels, recipes, size))
}

/** All orientations of a board: the cells that its cells become. */
export function mapsOf(kernels: Kernels, recipes: Recipes, size: number): WasmArray {
  const rows = recipes.maps[size]!
  const maps = kernels.array('int64', rows.length, size ** 2)
  rows.flat().forEach((cell, i) => maps.set(i, cell))
  return maps
}

export class SelfPlay {
  private readonly open = new Map<number, OpenGame>()

  /** Games are numbered from `next` on. */
  constructor(
    private readonly trees: Trees,
    private readonly options: Preset['selfplay'],
    private readonly chance: Chance,
    public next = 0,
    /** From the number of a game to that of the next one. */
    public stride = 1,
  ) {}

  /** The moves of the games going on, the longest first. */
  get going(): number[][] {
    return [...this.open.values()].map(({ moves }) => moves).sort((a, b) => b.length - a.length)
  }

  /** Evaluates one batch and plays what is decided; the games that ended. */
  step(weights: Weights, doublings: number): FinishedGame[] {
    if (!this.open.size) this.start(this.seat(), doublings)
    this.trees.step(weights)
    const done = this.trees.done()
    if (!done.length) return []
    const ended = this.move(done)
    this.start([...done.filter((slot) => this.open.has(slot)), ...this.seat()], doublings)
    return ended
  }

  /** Gives empty slots games; the slots that got one. */
  private seat(): number[] {
    const seated: number[] = []
    for (let slot = 0; slot < this.trees.games; slot++) {
      if (this.open.has(slot)) continue
      const game = this.begin()
      this.open.set(slot, game)
      this.trees.seat(slot, game.moves)
      seated.push(slot)
    }
    return seated
  }

  /** A new game, most often after some random stones: those that Python's game of that number begins with. */
  private begin(): OpenGame {
    const { chance, options, trees } = this
    const number = this.next
    this.next += this.stride
    const keys = chance.keysOf([number], [OPENING])
    const isOpened = chance.drawn(keys, COIN).get(0) < options.opening_share
    const moves = isOpened ? trees.opening(keys, options.opening_plies_min, options.opening_plies_max) : []
    return { number, moves, opening: moves.length, rows: [], flags: 0 }
  }

  /** Begins the next search of these games. */
  private start(slots: readonly number[], doublings: number): void {
    if (!slots.length) return
    const { options, chance } = this
    const games = slots.map((slot) => this.open.get(slot)!)
    const keys = chance.keysOf(
      games.map(({ number }) => number),
      games.map(({ moves }) => moves.length),
    )
    const coins = (chance.drawn(keys, COIN).view() as Float64Array).slice()
    const simulations = games.map((game, i) => {
      const isFull = coins[i]! < options.full_share
      game.flags = isFull ? 0 : FAST
      return (isFull ? options.full_simulations : options.simulations) << doublings
    })
    this.trees.start(slots, simulations, keys, GUMBEL_SCALE)
  }

  /** Plays the moves that searches have decided; the games that ended. */
  private move(slots: readonly number[]): FinishedGame[] {
    const games = slots.map((slot) => this.open.get(slot)!)
    const keys = this.chance.keysOf(
      games.map(({ number }) => number),
      games.map(({ moves }) => moves.length),
    )
    const found = this.trees.conclude(slots, games.map(({ moves }) => this.temperature(moves.length)), this.chance.drawn(keys, MOVE))
    found.forEach(({ move, value, surprise, decided, cells, shares }, i) => {
      games[i]!.rows.push({ cells, shares, value, surprise, flags: games[i]!.flags | (decided ? DECIDED : 0) })
      games[i]!.moves.push(move)
    })
    const results = this.trees.play(slots, found.map(({ move }) => move))
    return slots.flatMap((slot, i) => {
      const result = results[i]!
      if (!result) return []
      const { number, moves, opening, rows } = this.open.get(slot)!
      this.open.delete(slot)
      return [{ number, moves, opening, rows, line: this.trees.line(slot), result: result === DRAW ? 0 : result === BLACK ? 1 : -1 }]
    })
  }

  /** For the first plies it goes evenly from one temperature to another, then it is a third one. */
  private temperature(ply: number): number {
    const { temperature: first, temperature_last: last, temperature_plies: plies, temperature_after: after } = this.options
    return ply >= plies ? after : first + ((last - first) * ply) / plies
  }
}
