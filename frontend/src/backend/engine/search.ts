/** The engine's search of one position after another; the kernels deepen, and this watches the budget between two depths. */

import { loadState, type Position, toCell } from '@/wasm/rulebook'
import { CONSTANTS, RECORDS } from '@/wasm/generated'
import type { KernelName, Kernels, WasmArray, WasmRecord } from '@/wasm/kernels'
import type { EngineData } from './data'
import { type Budget, type Info, type Line, type Progress, scoredLine } from './info'
import { type Board, control, newBoard, newControl, ThreatRecords } from './records'

const { DEFAULT_S, FORCED_DEPTH, STOP, NODES, MAX_NODES, MATE, MATE_BOUND, LOGIT, UNSCORED, VCF_TABLE_BITS } = CONSTANTS
const { ENGINE_GUARD_PERCENT, ENGINE_MAX_DEPTH, ENGINE_ROOT_VCF_NODES, ENGINE_VCF_NODES } = CONSTANTS
/** Positions a second before any were counted, and before a running depth is cut short at the soonest. */
const FIRST_SPEED = 60_000
const LEAST_NODES = 500

export interface SearchOptions {
  /** Forget what earlier searches learned. */
  fresh?: boolean
  /** Memory of what is searched, for a search that is to be the same on every machine; all there is without it. */
  tableMb?: number | undefined
  /** Positions of the threat search at a leaf. */
  vcfNodes?: number
}

/** Everything that one search needs, made once. */
export class EngineSearch {
  private readonly board: Board
  private readonly work: WasmRecord<'ALPHABETA'>
  private readonly accumulator: WasmRecord<'ACCUMULATOR'>
  private readonly vcf: WasmRecord<'VCF'>
  private readonly deep: WasmRecord<'DEEPENING'>
  private readonly entries: WasmArray
  private readonly ctl: WasmArray
  private readonly vcfCtl: WasmArray
  private readonly spare: WasmArray
  private readonly stack: WasmArray
  private readonly guard: ThreatRecords

  /** `table` is the memory of what was searched: uint64 [2 ** bits, 2]. */
  constructor(
    private readonly kernels: Kernels,
    private table: WasmArray,
  ) {
    this.board = newBoard(kernels)
    this.work = kernels.record('ALPHABETA')
    this.accumulator = kernels.record('ACCUMULATOR')
    this.vcf = kernels.record('VCF')
    this.deep = kernels.record('DEEPENING')
    this.entries = kernels.array('VCF_ENTRY', 1 << VCF_TABLE_BITS)
    ;[this.ctl, this.vcfCtl, this.spare] = [newControl(kernels), newControl(kernels), newControl(kernels)]
    this.stack = kernels.array('SEARCH_NODE', 2, CONSTANTS.MAX_LEVEL + 1)
    this.guard = new ThreatRecords(kernels)
  }

  /** The same search with another table. */
  withTable(table: WasmArray): EngineSearch {
    const other = Object.create(this) as EngineSearch
    other.table = table
    return other
  }

  async run(position: Position, data: EngineData, budget: Budget, multipv: number, options: SearchOptions = {}, progress?: Progress): Promise<Info> {
    const begun = performance.now()
    const elapsed = (): number => (performance.now() - begun) / 1000
    const { state, patterns } = this.board
    const engine = [state, patterns, data.tables, this.work, data.parameters, data.net, this.accumulator, this.vcf]
    const arrays = [this.entries, this.table, this.ctl, this.vcfCtl, this.stack]
    const guard = [...this.guard.records(data), ...this.guard.arrays]
    const call = (name: KernelName, ...more: Parameters<Kernels['call']>[1][]): number => this.kernels.call(name, ...engine, ...arrays, ...more)

    loadState(state, position)
    if (options.fresh) {
      this.kernels.call('search_forget', this.work, ...arrays)
      this.guard.forget()
    }
    this.work.set('vcf_nodes', options.vcfNodes ?? ENGINE_VCF_NODES)
    control(this.ctl, 0)
    for (const [name, value] of Object.entries({ multipv, guard_percent: ENGINE_GUARD_PERCENT, root_vcf_nodes: ENGINE_ROOT_VCF_NODES })) {
      this.deep.set(name as 'multipv', value)
    }
    const limits = Boolean(budget.nodes || budget.visits || budget.depth)
    const time = budget.time ?? (limits ? null : DEFAULT_S)
    const most = Math.min(budget.nodes ?? Infinity, budget.visits ?? Infinity)
    this.limit(most, time, 0)
    let going = !call('search_begin', this.spare, this.deep)
    const depth = Math.min(budget.depth ?? ENGINE_MAX_DEPTH, ENGINE_MAX_DEPTH)
    for (let d = 1; going && d <= depth; d++) {
      this.limit(most, time, elapsed())
      going = Boolean(call('search_deepen', this.spare, this.deep, ...guard))
      if (this.deep.get('reported') && going && progress && (await progress(this.info(position, elapsed())))) break
      if (time !== null && elapsed() >= time) break
      if (this.deep.get('forced') && multipv === 1 && time !== null && d >= FORCED_DEPTH) break
    }
    return this.info(position, elapsed())
  }

  /** Time is watched by positions: a running kernel sees nothing else. */
  private limit(most: number, time: number | null, elapsed: number): void {
    const done = this.ctl.get(NODES)
    const speed = elapsed > 0.05 && done ? done / elapsed : FIRST_SPEED
    const inTime = time === null ? Infinity : done + Math.max(LEAST_NODES, (time - elapsed) * speed)
    const least = Math.min(most, inTime)
    this.ctl.set(MAX_NODES, Number.isFinite(least) ? Math.round(least) : 0)
    this.ctl.set(STOP, 0)
  }

  private info(position: Position, timeS: number): Info {
    const { deep } = this
    const { size } = position.rules
    const width = RECORDS.DEEPENING.fields.lines.shape[2]
    const lines: Line[] = Array.from({ length: deep.get('count') }, (_, i) => {
      const length = deep.get('lengths', i)
      const pv = Array.from({ length }, (_, j) => toCell(deep.get('lines', i * width + j), size))
      const score = deep.get('scores', i)
      return score === UNSCORED ? { move: pv[0]!, pv, value: null, score: null, winIn: null } : scoredLine(pv, score, MATE, MATE_BOUND, 2 * LOGIT)
    })
    const nodes = this.ctl.get(NODES) + this.spare.get(NODES) + deep.get('earlier')
    return { side: position.toMove, lines, nodes, depth: deep.get('line_depth'), maxDepth: deep.get('deepest'), timeS }
  }
}
