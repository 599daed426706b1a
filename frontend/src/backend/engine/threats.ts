/** Threats for people, as the kernel `list_threats` finds them: what is on the board, and what one stone would make of it. */

import { CONSTANTS, THREAT_KINDS } from '@/wasm/generated'
import type { Kernels, WasmArray } from '@/wasm/kernels'
import { letterOf, loadState, type Position, type Side } from '@/wasm/rulebook'
import type { Threat as WireThreat } from '@/wire'
import type { EngineData } from './data'
import { type Board, newBoard } from './records'

export interface Threat {
  kind: (typeof THREAT_KINDS)[number]
  side: Side
  /** Cells, in order. */
  stones: number[]
  gains: number[]
}

/** Finds threats; keeps its records for the next position. */
export class ThreatFinder {
  private readonly board: Board
  private readonly rows: WasmArray

  constructor(private readonly kernels: Kernels) {
    this.board = newBoard(kernels)
    this.rows = kernels.array('THREAT', CONSTANTS.MAX_THREATS)
  }

  /** All threats of both colours, most urgent first; win lengths 4 and 5. */
  find(position: Position, data: Pick<EngineData, 'tables'>): Threat[] {
    const { rows } = this
    const { state, patterns } = this.board
    loadState(state, position)
    const count = this.kernels.call('list_threats', state, patterns, data.tables, rows)
    const cells = (row: number, field: 'stones' | 'gains'): number[] =>
      Array.from({ length: rows.getField(row, `num_${field}`) }, (_, i) => rows.getField(row, field, i))
    return Array.from({ length: count }, (_, row) => ({
      kind: THREAT_KINDS[rows.getField(row, 'kind')]!,
      side: rows.getField(row, 'color') as Side,
      stones: cells(row, 'stones'),
      gains: cells(row, 'gains'),
    }))
  }
}

/** A threat as it travels. */
export function threatOut({ kind, side, stones, gains }: Threat, name: (cell: number) => string): WireThreat {
  return { kind, color: letterOf(side), stones: stones.map(name), gains: gains.map(name) }
}
