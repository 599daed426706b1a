/** Moves in words: kernels find what there is to say, the words themselves are Python's catalogues. */

import { formatCell } from '@/game/notation'
import { CONSTANTS, HINT, HINT_REASONS, RECORDS, SAID } from '@/wasm/generated'
import type { Kernels, WasmArray, WasmRecord } from '@/wasm/kernels'
import { loadState, type Position } from '@/wasm/rulebook'
import type { EngineData } from './data'
import type { Line } from './info'
import { type Board, newBoard, newControl } from './records'
import { knowsFours } from './solvers'

/** The catalogues: texts by key, with places such as `{cells}`. */
export type Words = Record<'en' | 'zh', Record<string, string>>
export type Language = keyof Words

const { AREA_RADIUS, SMALL_SIZE } = HINT
const ROOM = RECORDS.EXPLAINED.fields.own.shape[0]

/** One thing to say of a move: a key below `said`, the cells it is about, plies to a proven end. */
export interface Remark {
  said: string
  cells: number[]
  plies: number
}

/** A template of the catalogues, filled. */
export function say(words: Words, language: Language, key: string, values: Record<string, string | number> = {}): string {
  return words[language][key]!.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]))
}

export function remarkText(words: Words, language: Language, { said, cells, plies }: Remark, size: number): string {
  return say(words, language, `said.${said}`, { cells: cells.map((cell) => formatCell(cell, size)).join(' '), plies })
}

/** Explains moves of one position after another. Without `data` only ends and proofs are said. */
export class Explainer {
  private readonly board: Board
  private readonly vcf: WasmRecord<'VCF'>
  private readonly work: WasmRecord<'EXPLAINED'>
  private readonly entries: WasmArray
  private readonly arrays: WasmArray[]
  private noTables: WasmRecord<'TABLES'> | null = null
  private records: Parameters<Kernels['call']>[1][] = []

  constructor(private readonly kernels: Kernels) {
    this.board = newBoard(kernels)
    this.vcf = kernels.record('VCF')
    this.work = kernels.record('EXPLAINED')
    this.entries = kernels.array('VCF_ENTRY', 1 << CONSTANTS.FOURS_TABLE_BITS)
    const rows = (): WasmArray => kernels.array('THREAT', CONSTANTS.MAX_THREATS)
    const cells = (count: number): WasmArray => kernels.array('int64', count)
    this.arrays = [rows(), rows(), this.entries, newControl(kernels), cells(ROOM), cells(CONSTANTS.MAX_CELLS), cells(CONSTANTS.MAX_CELLS)]
  }

  /** Finds what is known of a position that is not over. */
  begin(position: Position, data: EngineData | null): this {
    this.load(position, data, CONSTANTS.FOUR_NODES)
    if (this.vcf.get('solved')) this.entries.clear()
    this.vcf.set('solved', 0)
    this.kernels.call('explain_begin', ...this.records, ...this.arrays)
    return this
  }

  private load(position: Position, data: EngineData | null, maxNodes: number): void {
    const { board, work } = this
    loadState(board.state, position)
    work.set('named', Number(data !== null))
    work.set('solves', Number(data !== null && maxNodes > 0 && knowsFours(position)))
    work.set('max_nodes', maxNodes)
    const tables = data?.tables ?? (this.noTables ??= this.kernels.record('TABLES'))
    this.records = [board.state, board.patterns, tables, this.vcf, work]
  }

  /** What a legal move does, most important first; `line` is what a search proved of it. */
  explain(move: number, line: Line | null = null): Remark[] {
    const { work } = this
    const count = this.kernels.call('explain_move', ...this.records, ...this.arrays, move, line?.winIn ?? 0)
    return Array.from({ length: count }, (_, i) => {
      const cells = Array.from({ length: work.get('num_cells', i) }, (_, j) => work.get('cells', i * ROOM + j))
      const said = SAID[work.get('said', i)]!
      // The move's own place is not named a second time.
      const here = cells.length === 1 && cells[0] === move ? SAID.find((one) => one === `${said}_here`) : undefined
      return { said: here ?? said, cells, plies: work.get('plies', i) }
    })
  }

  /** Why a move is good for the side to move, as far as is certain: a key below `hintreason`. */
  hintReason(position: Position, data: EngineData | null, move: number, line: Line): string {
    this.load(position, data, 0)
    const rate = line.value === null ? NaN : (1 + line.value) / 2
    return HINT_REASONS[this.kernels.call('hint_why', ...this.records, ...this.arrays, move, line.winIn ?? 0, rate)]!
  }
}

/** The cells of a region that holds a move, usually not in its middle. */
export function hintArea(move: number, size: number): number[] {
  const radius = size > SMALL_SIZE ? AREA_RADIUS : AREA_RADIUS - 1
  const [row, col] = [Math.floor(move / size), move % size]
  const [down, right] = [((row * 7 + col * 3) % 3) - 1, ((row * 5 + col * 11) % 3) - 1]
  const cells: number[] = []
  for (let r = Math.max(0, row + down - radius); r <= Math.min(size - 1, row + down + radius); r++)
    for (let c = Math.max(0, col + right - radius); c <= Math.min(size - 1, col + right + radius); c++) cells.push(r * size + c)
  return cells
}
