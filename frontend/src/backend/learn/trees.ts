/** Search trees of many games at once, guided by a net: what `BatchedTrees` and `BatchMover` do in Python. */

import type { Kernels, WasmArray, WasmRecord } from '@/wasm/kernels'
import { boardEnd } from './match'
import type { Net, Weights } from './net'
import { type Encoder, FREESTYLE } from './planes'

/** Positions that simulations pass through without the net: forced blocks. */
const SPARE_NODES = 64

export interface BoardRule {
  size: number
  winLength: number
}

/** What a search came to: the cell to play, the root's value for its side to move, and its policy. */
export interface Conclusion {
  move: number
  value: number
  surprise: number
  decided: boolean
  cells: Int16Array
  shares: Float32Array
}

export class Trees {
  readonly states: WasmArray
  private readonly trees: WasmArray
  private readonly batch: (WasmArray | WasmRecord<'TREE_OPTIONS'> | WasmRecord<'TABLES'> | WasmRecord<'VCF'>)[]
  private readonly leaves: WasmArray[]
  private readonly rows: WasmArray[]
  private readonly chosen: WasmArray[]
  private readonly turned: WasmArray | null
  private readonly planes: WasmArray
  private readonly answered: [logits: WasmArray, values: WasmArray]
  private readonly whole: Record<'games' | 'cells' | 'results', WasmArray>
  private readonly temperatures: WasmArray
  private readonly noise: WasmArray
  private readonly single: WasmArray
  private readonly board: WasmRecord<'STATE'>
  private readonly found: WasmArray

  /** Trees of `games` games, whose searches may have so many simulations. */
  constructor(
    private readonly kernels: Kernels,
    private readonly rule: BoardRule,
    private readonly net: Net,
    private readonly encoder: Encoder,
    readonly games: number,
    simulations: number,
    options: Readonly<Record<string, number>>,
    maps: WasmArray,
  ) {
    const { tables } = encoder
    const { cells, recipe, size } = net
    const nodes = 6 * simulations + SPARE_NODES
    const edges = nodes * cells + 1
    const record = kernels.record('TREE_OPTIONS')
    for (const [name, value] of Object.entries(options)) record.set(name as 'form', value)
    const perCell = (kind: string): WasmArray => kernels.array(kind, games, cells)
    this.trees = kernels.array('TREE', games)
    this.states = kernels.array('STATE', games)
    this.noise = perCell('float32')
    this.single = kernels.array('int64', cells)
    this.board = kernels.record('STATE')
    this.found = kernels.array('int64', 6 * cells)
    const memory = ['TREE_NODE', 'TREE_CHOICE', 'TREE_EDGE'].map((kind) => kernels.array(kind, games, kind === 'TREE_NODE' ? nodes : edges))
    this.batch = [
      ...[this.trees, ...memory, kernels.array('int32', nodes), this.states],
      ...[kernels.array('PATTERNS', tables ? games : 1), tables ?? kernels.record('TABLES')],
      ...[kernels.record('VCF'), kernels.array('VCF_ENTRY', 1), kernels.array('int64', 8), record],
      ...[this.noise, perCell('float32'), perCell('int32')],
    ]
    // Planes that follow from the trees' own patterns are written, and turned, on the way.
    this.planes = kernels.array('float32', games, recipe.channels, size, size)
    this.turned = tables ? null : kernels.array('float32', games, recipe.channels, cells)
    const written = kernels.arrayPart(this.planes, tables ? games : 0, recipe.channels, cells)
    const whole = (): WasmArray => kernels.array('int64', games)
    this.leaves = [kernels.array('STATE', games), whole(), whole(), whole(), maps, written]
    this.rows = [perCell('int32'), perCell('float32'), perCell('int16'), perCell('float32')]
    this.chosen = [whole(), kernels.array('float64', games), kernels.array('float64', games), whole(), perCell('int16'), perCell('float32'), whole()]
    this.answered = [perCell('float32'), kernels.array('float32', games)]
    this.whole = { games: whole(), cells: whole(), results: whole() }
    this.temperatures = kernels.array('float64', games)
  }

  /** Forgets a game and begins another after these moves. */
  seat(game: number, moves: readonly number[]): void {
    moves.forEach((move, i) => this.single.set(i, move))
    const { size, winLength } = this.rule
    const legal = this.kernels.call('seat_game', ...this.batch, game, this.single.part(0, moves.length), size, winLength, FREESTYLE)
    if (legal < moves.length) throw new Error(`cell ${moves[legal]} of ${moves.join(' ')}: occupied, or the game is over`)
  }

  /** Draws the random stones that a game begins with, from `least` to `most` of them, by its key. */
  opening(keys: WasmArray, least: number, most: number): number[] {
    const { kernels, rule, single } = this
    const count = kernels.call('draw_opening', this.board, keys, rule.size, rule.winLength, FREESTYLE, least, most, single)
    return Array.from({ length: count }, (_, i) => single.get(i))
  }

  /** Begins searches with noise by these keys. */
  start(games: readonly number[], simulations: readonly number[], keys: WasmArray, noise: number): void {
    const which = this.numbers('games', games)
    this.kernels.call('draw_gumbels', this.trees, this.noise, which, keys, noise)
    this.kernels.call('start_all', this.trees, which, this.numbers('cells', simulations))
  }

  /** Takes all searches one batch further. */
  step(weights: Weights): void {
    const { kernels, leaves } = this
    const count = kernels.call('collect', ...this.batch, ...leaves)
    if (!count) return
    const [logits, values] = this.answered
    this.see(count)
    const found = this.net.answersTo(this.planes, count, weights)
    logits.view().set(found.logits)
    values.view().set(found.values)
    const [trees, nodes, choices, stats] = this.batch as [WasmArray, WasmArray, WasmArray, WasmArray]
    if (!kernels.call('absorb', trees, nodes, choices, stats, ...leaves, logits, values, count)) {
      throw new Error('the net answered with numbers that are not finite')
    }
  }

  /** The games whose search has ended. */
  done(): number[] {
    const count = this.kernels.call('find_done', this.trees, this.whole.games)
    return Array.from({ length: count }, (_, i) => this.whole.games.get(i))
  }

  /** Reads the roots of games whose searches have ended, and draws their moves by numbers from 0 to 1. */
  conclude(games: readonly number[], temperatures: readonly number[], draws: WasmArray): Conclusion[] {
    const { kernels, net } = this
    temperatures.forEach((one, i) => this.temperatures.set(i, one))
    kernels.call('conclude', ...this.batch, ...this.rows, ...this.chosen, this.numbers('games', games), this.temperatures.part(0, games.length), draws)
    const [moves, values, surprises, decided, cells, shares, counts] = this.chosen as [WasmArray, ...WasmArray[]]
    return games.map((_, i) => {
      const [first, end] = [i * net.cells, i * net.cells + counts!.get(i)]
      return {
        move: moves.get(i),
        value: values!.get(i),
        surprise: surprises!.get(i),
        decided: decided!.get(i) !== 0,
        cells: (cells!.view() as Int16Array).slice(first, end),
        shares: (shares!.view() as Float32Array).slice(first, end),
      }
    })
  }

  /** Plays a move in each of some games; 0 where a game goes on, else its result. A dead board is a draw. */
  play(games: readonly number[], moves: readonly number[]): number[] {
    const results = this.whole.results.part(0, games.length)
    const played = this.kernels.call('play_all', ...this.batch, this.numbers('games', games), this.numbers('cells', moves), 1, 1, results)
    if (played < games.length) throw new Error(`cell ${moves[played]}: occupied, or the game is over`)
    return games.map((_, i) => results.get(i))
  }

  /** The cells of the row that ended a game, where one did. */
  line(game: number): number[] {
    return boardEnd(this.kernels, this.states.record<'STATE'>(game), this.found)?.line ?? []
  }

  /** Writes the planes of plain nets, each in its orientation. */
  private see(count: number): void {
    if (!this.turned) return
    const { kernels, leaves, planes, turned } = this
    this.encoder.encode(leaves[0]!, count, kernels.arrayPart(turned, ...planes.shape))
    const flat = kernels.arrayPart(planes, this.games, turned.shape[1]!, turned.shape[2]!)
    kernels.call('turn_planes', turned, leaves[4]!, leaves[3]!, flat, count)
  }

  private numbers(name: 'games' | 'cells', values: readonly number[]): WasmArray {
    values.forEach((value, i) => this.whole[name].set(i, value))
    return this.whole[name].part(0, values.length)
  }
}
