/**
 * The rules of the game on the page: positions whose moves, ends, winning rows and forbidden points the kernels of
 * Python's rule book decide. Nothing here knows a rule.
 */

import type { ColorLetter, ForbiddenName, ReasonName, RuleName } from '@/wire'
import { CONSTANTS } from './generated'
import { Kernels, type WasmArray, type WasmRecord } from './kernels'

/** The kernels' numbers of the rules, see `core/layout.py`. */
export const RULES: Record<RuleName, number> = { freestyle: 0, standard: 1, renju: 4, caro_overline: 8, caro: 9 }
const REASONS: ReasonName[] = ['line', 'line', 'draw_full', 'forbidden']
const KINDS: (ForbiddenName | null)[] = [null, 'overline', 'double_four', 'double_three']
const STRIDE = 32
const PAD = 5
const DIRECTIONS = [1, STRIDE, STRIDE + 1, STRIDE - 1]
const UNDECIDED = 0
const DRAW = 3

export type Side = 1 | 2
export const letterOf = (side: Side): ColorLetter => (side === 1 ? 'B' : 'W')
export const sideOf = (letter: ColorLetter): Side => (letter === 'B' ? 1 : 2)
export const enemyOf = (side: Side): Side => (side === 1 ? 2 : 1)
export const toPoint = (cell: number, size: number): number => (Math.floor(cell / size) + PAD) * STRIDE + (cell % size) + PAD
export const toCell = (point: number, size: number): number => (Math.floor(point / STRIDE) - PAD) * size + (point % STRIDE) - PAD

export interface BoardRules {
  size: number
  winLength: number
  rule: RuleName
}

/** How the board ended a game; no winner is a draw. */
export interface BoardEnd {
  winner: Side | null
  reason: ReasonName
}

let loading: Promise<Kernels> | null = null
let loaded: Kernels | null = null
let scratch: { state: WasmRecord<'STATE'>; board: WasmArray; numbers: WasmArray; bytes: WasmArray } | null = null

/** Loads the module, once; what follows needs it. */
export function loadRules(source: () => Promise<BufferSource>): Promise<Kernels> {
  loading ??= (async () => {
    const kernels = await Kernels.load(await source())
    loaded = kernels
    const cells = 26 * 26
    scratch = {
      state: kernels.record('STATE'),
      board: kernels.array('int8', cells),
      numbers: kernels.array('int64', cells),
      bytes: kernels.array('int8', cells),
    }
    return kernels
  })().catch((error: unknown) => {
    loading = null // the next one who needs them tries again
    throw error
  })
  return loading
}

export const rulesAreLoaded = (): boolean => loaded !== null

/** The module of this thread, loaded before. */
export function kernels(): Kernels {
  if (!loaded) throw new Error('the kernels are not loaded yet')
  return loaded
}

/** Fills a record with a board as all searches get it: its stones, without their history. */
export function loadState(state: WasmRecord<'STATE'>, position: Position, side: Side = position.toMove): void {
  const { size, winLength, rule } = position.rules
  const board = kernels().arrayPart(scratch!.board, size * size)
  board.view().set(position.cells)
  kernels().call('load', state, board, size, winLength, RULES[rule], side)
  state.bytes('history').fill(0)
  if (position.end && side === position.toMove) {
    state.set('result', position.end.winner ?? DRAW)
    state.set('reason', REASONS.lastIndexOf(position.end.reason))
  }
}

/** Stones on a board; playing makes a new one. */
export class Position {
  private constructor(
    readonly rules: BoardRules,
    readonly cells: Int8Array,
    readonly toMove: Side,
    readonly ply: number,
    readonly lastMove: number | null,
    readonly end: BoardEnd | null,
    /** The hash key, the same as in Python. */
    readonly key: bigint,
  ) {}

  static empty(rules: BoardRules): Position {
    return Position.of(rules, new Int8Array(rules.size ** 2), 1)
  }

  /** A board that was set up. By default Black moves where both have as many stones. Throws where both have won. */
  static of(rules: BoardRules, cells: Int8Array, toMove?: Side): Position {
    const stones = (side: Side): number => cells.reduce((sum, cell) => sum + Number(cell === side), 0)
    const [black, white] = [stones(1), stones(2)]
    const side = toMove ?? (black === white ? 1 : 2)
    const bare = new Position(rules, cells, side, black + white, null, null, 0n)
    const { state, numbers } = scratch!
    loadState(state, bare)
    const key = state.getBig('key')
    const count = kernels().call('win_points', state, numbers)
    const winners = new Set(Array.from({ length: count }, (_, i) => cells[numbers.get(i)] as Side))
    if (winners.size > 1) throw new RuleError('unsupported_rule', 'set-up position: both colours have a winning row')
    const full = black + white === cells.length
    const end: BoardEnd | null = winners.size ? { winner: [...winners][0]!, reason: 'line' } : full ? { winner: null, reason: 'draw_full' } : null
    return new Position(rules, cells, side, black + white, null, end, key)
  }

  /** Why a cell cannot be played, or null. */
  refusal(cell: number): RuleError | null {
    const name = `cell ${cell}`
    if (this.end) return new RuleError('game_over', `${name}: the game is over`)
    if (!(cell >= 0 && cell < this.cells.length)) return new RuleError('illegal_move', `${name} is off the board`)
    const { state } = scratch!
    loadState(state, this)
    const isFree = state.get('cells', toPoint(cell, this.rules.size)) === CONSTANTS.EMPTY
    return isFree ? null : new RuleError('illegal_move', `${name} is occupied`)
  }

  /** The position after a stone of the side to move. A forbidden point may be played, and loses. */
  play(cell: number): Position {
    const refused = this.refusal(cell)
    if (refused) throw refused
    const { state } = scratch! // filled by the question before
    kernels().call('push', state, toPoint(cell, this.rules.size))
    const result = state.get('result')
    const end: BoardEnd | null =
      result === UNDECIDED ? null : { winner: result === DRAW ? null : (result as Side), reason: REASONS[state.get('reason')]! }
    const cells = this.cells.slice()
    cells[cell] = this.toMove
    return new Position(this.rules, cells, enemyOf(this.toMove), this.ply + 1, cell, end, state.getBig('key'))
  }

  /** The same stones with a side to move. */
  turned(side: Side): Position {
    return Position.of(this.rules, this.cells, side)
  }

  get legalMoves(): number[] {
    return this.end ? [] : [...this.cells.keys()].filter((cell) => !this.cells[cell])
  }

  private kinds: Int8Array | null = null

  /** By cell why it is forbidden to Black: a number, 0 where it is not. */
  private get forbiddenKinds(): Int8Array {
    if (!this.kinds) {
      const out = kernels().arrayPart(scratch!.bytes, this.cells.length)
      out.view().fill(0)
      loadState(scratch!.state, this)
      kernels().call('forbidden_map', scratch!.state, out)
      this.kinds = (out.view() as Int8Array).slice()
    }
    return this.kinds
  }

  /** Why a cell is forbidden to Black, or null. */
  forbiddenKind(cell: number): ForbiddenName | null {
    return KINDS[this.forbiddenKinds[cell]!] ?? null
  }

  /** The points forbidden to Black, whoever is to move. */
  get forbidden(): number[] {
    return [...this.forbiddenKinds.keys()].filter((cell) => this.forbiddenKinds[cell])
  }

  /** Whether the side to move would lose by playing there. */
  isFoul(cell: number): boolean {
    return this.toMove === 1 && this.forbiddenKinds[cell] !== 0
  }

  /** The rows that won, each from one end to the other; none unless a row ended the game. */
  get winningLines(): number[][] {
    const winner = this.end?.reason === 'line' ? this.end.winner : null
    if (!winner) return []
    const { state } = scratch!
    const { size } = this.rules
    loadState(state, this)
    const rows = new Map<string, number[]>()
    this.cells.forEach((stone, cell) => {
      if (stone !== winner) return
      const point = toPoint(cell, size)
      for (const step of DIRECTIONS) {
        if (!kernels().call('wins_along', state, point, winner, step)) continue
        const first = point - step * kernels().call('run_length', state, point, -step, winner)
        const length = kernels().call('run_length', state, first, step, winner) + 1
        const row = Array.from({ length }, (_, i) => toCell(first + i * step, size))
        rows.set(row.join(), row)
      }
    })
    return [...rows.values()].sort(byCells)
  }

  /** Cells where a stone of a side would make a winning row. */
  pointsToWin(side: Side): number[] {
    const { state, numbers } = scratch!
    loadState(state, this)
    const count = kernels().call('winning_points', state, side, numbers)
    return Array.from({ length: count }, (_, i) => toCell(numbers.get(i), this.rules.size))
  }

  /** One of `.`, `B`, `W` a cell. */
  get text(): string {
    return Array.from(this.cells, (stone) => '.BW'[stone]!).join('')
  }
}

/** Orders lists of cells as Python orders tuples. */
export function byCells(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i]! - b[i]!
  return a.length - b.length
}

/** Something that the rules refuse; `code` is one of the server's. */
export class RuleError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}
