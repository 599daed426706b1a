/** Records and arrays that several searches need, made the same way for each. */

import { CONSTANTS } from '@/wasm/generated'
import type { Kernels, WasmArray, WasmRecord } from '@/wasm/kernels'
import type { EngineData } from './data'

const { NODES, MAX_NODES, LEAF_NODES, TABLE_BITS, VCF_TABLE_BITS } = CONSTANTS

/** A board with its patterns. */
export interface Board {
  state: WasmRecord<'STATE'>
  patterns: WasmRecord<'PATTERNS'>
}

export const newBoard = (kernels: Kernels): Board => ({ state: kernels.record('STATE'), patterns: kernels.record('PATTERNS') })

/** Control words of a search. */
export const newControl = (kernels: Kernels): WasmArray => kernels.array('int64', 8)

/** Begins a search of at most so many positions; 0 for no limit. */
export function control(ctl: WasmArray, maxNodes: number): void {
  ctl.clear()
  ctl.set(MAX_NODES, maxNodes)
}

export const nodesOf = (ctl: WasmArray): number => ctl.get(NODES)

/** What the search for wins by threats works on. */
export class ThreatRecords {
  readonly board: Board
  readonly work: WasmRecord<'VCT'>
  readonly vcf: WasmRecord<'VCF'>
  readonly entries: WasmArray
  readonly table: WasmArray
  readonly ctl: WasmArray
  private readonly leafCtl: WasmArray

  constructor(kernels: Kernels) {
    this.board = newBoard(kernels)
    this.work = kernels.record('VCT')
    this.work.set('leaf_nodes', LEAF_NODES)
    this.vcf = kernels.record('VCF')
    this.entries = kernels.array('VCF_ENTRY', 1 << VCF_TABLE_BITS)
    this.table = kernels.array('VCT_ENTRY', 1 << TABLE_BITS)
    this.ctl = newControl(kernels)
    this.leafCtl = newControl(kernels)
  }

  /** The kernels' argument `threats`. */
  records({ tables }: EngineData): [WasmRecord<'STATE'>, WasmRecord<'PATTERNS'>, WasmRecord<'TABLES'>, WasmRecord<'VCT'>, WasmRecord<'VCF'>] {
    return [this.board.state, this.board.patterns, tables, this.work, this.vcf]
  }

  /** The kernels' argument `arrays`. */
  get arrays(): [WasmArray, WasmArray, WasmArray, WasmArray] {
    return [this.entries, this.table, this.ctl, this.leafCtl]
  }

  /** Forgets earlier positions, so that the next answers do not depend on how many there were. */
  forget(): void {
    if (!this.work.get('solved')) return
    this.work.set('solved', 0)
    this.work.set('used', 0)
    for (const array of this.arrays) array.clear()
  }
}
