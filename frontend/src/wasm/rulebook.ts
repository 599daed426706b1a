/**
 * The rules of the game on the page: positions whose moves, ends, winning rows and forbidden points the kernels of
 * Python's rule book decide. Nothing here knows a rule.
 */

import type { ColorLetter, ForbiddenName, ReasonName, RuleName } from '@/wire'
import { FIRST, FORBIDDEN_KINDS, OPPONENT, REASONS, RULES } from '@/game/facts'
import { CONSTANTS } from './generated'
import { Kernels, type WasmArray, type WasmRecord } from './kernels'

const { DRAW, IS_OFF_BOARD, IS_OVER, MAX_CELLS, MAY_PLAY, PAD, STRIDE, UNDECIDED } = CONSTANTS

/** The name of a number in a table of the facts. */
export function nameOf<N extends string>(table: Readonly<Record<N, number>>, wanted: number): N {
  return (Object.keys(table) as N[]).find((name) => table[name] === wanted)!
}

export type Side = 1 | 2
export const letterOf = (side: Side): ColorLetter => (side === CONSTANTS.BLACK ? 'B' : 'W')
export const sideOf = (letter: ColorLetter): Side => (letter === 'B' ? CONSTANTS.BLACK : CONSTANTS.WHITE)
export const opponentOf = (side: Side): Side => sideOf(OPPONENT[letterOf(side)])
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
    scratch = {
      state: kernels.record('STATE'),
      board: kernels.array('int8', MAX_CELLS),
      numbers: kernels.array('int64', 6 * MAX_CELLS),
      bytes: kernels.array('int8', MAX_CELLS),
    }
    return kernels
  })().catch((error: unknown) => {
    loading = null // the next one who needs them tries again
    throw error
  })
  return loading
}

/** The module of this thread, loaded before. */
export function kernels(): Kernels {
  if (!loaded) throw new Error('the kernels are not loaded yet')
  return loaded
}

/** The module's own copy of a board. */
function boardOf(cells: Int8Array): WasmArray {
  const board = kernels().arrayPart(scratch!.board, cells.length)
  board.view().set(cells)
  return board
}

/** Fills a record with a board as all searches get it: its stones, without their history. */
export function loadState(state: WasmRecord<'STATE'>, position: Position, side: Side = position.toMove): void {
  const { size, winLength, rule } = position.rules
  kernels().call('load', state, boardOf(position.cells), size, winLength, RULES[rule], side)
  state.bytes('history').fill(0)
  if (position.end && side === position.toMove) {
    state.set('result', position.end.winner ?? DRAW)
    state.set('reason', REASONS[position.end.reason])
  }
}

/** How a record says that its game ended. */
function endOf(state: WasmRecord<'STATE'>): BoardEnd | null {
  const result = state.get('result')
  if (result === UNDECIDED) return null
  return { winner: result === DRAW ? null : (result as Side), reason: nameOf(REASONS, state.get('reason')) }
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
    return Position.of(rules, new Int8Array(rules.size ** 2), sideOf(FIRST))
  }

  /** A board that was set up; by default the side to move is the one that the count of stones says. */
  static of(rules: BoardRules, cells: Int8Array, toMove?: Side): Position {
    const side = toMove ?? (kernels().call('side_by_count', boardOf(cells)) as Side)
    const { state } = scratch!
    loadState(state, new Position(rules, cells, side, 0, null, null, 0n))
    if (!kernels().call('judge_set_up', state)) throw new RuleError('unsupported_rule', 'set-up position: both colours have a winning row')
    return new Position(rules, cells, side, state.get('ply'), null, endOf(state), state.getBig('key'))
  }

  /** Why a cell cannot be played, or null. */
  refusal(cell: number): RuleError | null {
    const why = kernels().call('why_not', boardOf(this.cells), this.isOver, cell)
    const name = `cell ${cell}`
    if (why === MAY_PLAY) return null
    if (why === IS_OVER) return new RuleError('game_over', `${name}: the game is over`)
    return new RuleError('illegal_move', why === IS_OFF_BOARD ? `${name} is off the board` : `${name} is occupied`)
  }

  /** The position after a stone of the side to move. A forbidden point may be played, and loses. */
  play(cell: number): Position {
    const refused = this.refusal(cell)
    if (refused) throw refused
    const { state } = scratch!
    loadState(state, this)
    kernels().call('push', state, toPoint(cell, this.rules.size))
    const cells = this.cells.slice()
    cells[cell] = this.toMove
    return new Position(this.rules, cells, state.get('side') as Side, state.get('ply'), cell, endOf(state), state.getBig('key'))
  }

  /** 1 where the game is over, for the kernels. */
  private get isOver(): number {
    return Number(this.end !== null)
  }

  /** The same stones with a side to move. */
  turned(side: Side): Position {
    return Position.of(this.rules, this.cells, side)
  }

  get legalMoves(): number[] {
    const { cells } = this
    return cellsIn(this.mapped((out) => kernels().call('legal_map', boardOf(cells), this.isOver, out)))
  }

  /** A kernel's answers for all cells. */
  private mapped(fill: (out: WasmArray) => void): Int8Array {
    const out = kernels().arrayPart(scratch!.bytes, this.cells.length)
    fill(out)
    return (out.view() as Int8Array).slice()
  }

  private mappedFrom(kernel: 'forbidden_map' | 'foul_map'): Int8Array {
    loadState(scratch!.state, this)
    return this.mapped((out) => kernels().call(kernel, scratch!.state, out))
  }

  private kinds: Int8Array | null = null
  private fouls: Int8Array | null = null

  /** By cell why it is forbidden to Black: a number, 0 where it is not. */
  private get forbiddenKinds(): Int8Array {
    return (this.kinds ??= this.mappedFrom('forbidden_map'))
  }

  /** Why a cell is forbidden to Black, or null. */
  forbiddenKind(cell: number): ForbiddenName | null {
    const kind = nameOf(FORBIDDEN_KINDS, this.forbiddenKinds[cell]!)
    return kind === 'none' ? null : kind
  }

  /** The points forbidden to Black, whoever is to move. */
  get forbidden(): number[] {
    return cellsIn(this.forbiddenKinds)
  }

  /** Whether the side to move would lose by playing there. */
  isFoul(cell: number): boolean {
    return (this.fouls ??= this.mappedFrom('foul_map'))[cell] !== 0
  }

  /** The rows that won, each from one end to the other; none unless a row ended the game. */
  get winningLines(): number[][] {
    const winner = this.end?.reason === 'line' ? this.end.winner : null
    if (!winner) return []
    const { state, numbers } = scratch!
    loadState(state, this)
    const end = kernels().call('winning_rows', state, winner, numbers)
    const rows: number[][] = []
    for (let at = 0; at < end; at += rows.at(-1)!.length + 1) {
      rows.push(Array.from({ length: numbers.get(at) }, (_, i) => numbers.get(at + 1 + i)))
    }
    return rows
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

/** The cells of a map that are not 0. */
const cellsIn = (map: Int8Array): number[] => [...map.keys()].filter((cell) => map[cell])

/** Something that the rules refuse; `code` is one of the server's. */
export class RuleError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}
