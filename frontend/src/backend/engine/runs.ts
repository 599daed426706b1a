/** Hand-made scores of runs: the score table of the documents with its reasons, and minimax upon such scores. */

import { formatCell } from '@/game/notation'
import { CONSTANTS, DIRECTIONS, LAYERS, MINIMAX, RECORDS, WEIGHT } from '@/wasm/generated'
import { opponentOf, letterOf, loadState, type Position, type Side, toCell, toPoint } from '@/wasm/rulebook'
import type { Kernels, WasmArray, WasmRecord } from '@/wasm/kernels'
import type { ScoreLayer, ScoreReason, TreeLayer } from '@/wire'
import { type Budget, type Info, type Line, type Progress, scoredLine } from './info'
import { control, newControl } from './records'

/** Values by stones (0 to 5) and open ends (0 to 2), and points for a stone per ring nearer to the centre. */
export interface RunScores {
  table: number[][]
  centre: number
}

export type ScoresName = 'weight_s0' | 'minimax_s0' | 'minimax_s1'
export type AllScores = Record<ScoresName, RunScores>

const { WIN, UNSCORED, STOP, NODES, MAX_NODES, MAX_CELLS, TRACED, DEEPEST } = CONSTANTS
const { REASONED, TREE_NODES, TREE_WIDTH } = LAYERS
const TRACE_FIELDS = MINIMAX.TRACE_FIELDS.length
/** Positions a second before any were counted. */
const FIRST_SPEED = 400_000

export interface MinimaxOptions {
  scores: ScoresName
  depth: number
  width: number
  trace: boolean
}

/** The score table and minimax; one position at a time. */
export class RunEngine {
  private readonly state: WasmRecord<'STATE'>
  private readonly work: WasmRecord<'MINIMAX'>
  private readonly ctl: WasmArray
  private readonly trace: WasmArray
  private readonly noTrace: WasmArray
  private readonly both: [WasmArray, WasmArray]
  private readonly tables: Record<ScoresName, WasmArray>

  constructor(
    private readonly kernels: Kernels,
    private readonly scores: AllScores,
  ) {
    this.state = kernels.record('STATE')
    this.work = kernels.record('MINIMAX')
    this.ctl = newControl(kernels)
    this.trace = kernels.array('int64', TREE_NODES, TRACE_FIELDS)
    this.noTrace = kernels.arrayPart(this.trace, 0, TRACE_FIELDS)
    this.both = [kernels.array('int64', MAX_CELLS), kernels.array('int64', MAX_CELLS)]
    this.tables = {} as Record<ScoresName, WasmArray>
    for (const [name, { table }] of Object.entries(scores)) {
      const array = (this.tables[name as ScoresName] = kernels.array('int64', 6, 3))
      table.flat().forEach((value, i) => array.set(i, value))
    }
  }

  /** Points of one unit of log-odds. */
  logit(name: ScoresName): number {
    return this.scores[name].table[4]![2]!
  }

  /** Attack and defence weights of every cell for the side to move; -1 where a stone is. */
  weights(position: Position): [attack: number[], defence: number[]] {
    const count = position.rules.size ** 2
    const [attack, defence] = this.both.map((whole) => this.kernels.arrayPart(whole, count)) as [WasmArray, WasmArray]
    loadState(this.state, position)
    this.kernels.call('cell_weights', this.state, this.tables.weight_s0, position.toMove, attack, defence)
    const read = (array: WasmArray): number[] => Array.from({ length: count }, (_, i) => array.get(i))
    return [read(attack), read(defence)]
  }

  /** The score table's choice: greatest sum, then the centre. */
  rank(position: Position, multipv: number): Info {
    const begun = performance.now()
    const [attack, defence] = this.weights(position)
    const { size } = position.rules
    const centre = (size - 1) / 2
    const off = (cell: number): number => {
      const [down, right] = [Math.abs(Math.floor(cell / size) - centre), Math.abs((cell % size) - centre)]
      return Math.max(down, right) + (down + right) / (4 * size)
    }
    const foul = (cell: number): number => Number(position.isFoul(cell))
    const weight = (cell: number): number => attack[cell]! + defence[cell]!
    const order = position.legalMoves.sort((a, b) => foul(a) - foul(b) || weight(b) - weight(a) || off(a) - off(b) || a - b)
    const lines: Line[] = order.slice(0, multipv).map((move) => ({
      move, pv: [move], winIn: null, score: weight(move), value: Math.tanh(weight(move) / WEIGHT.CERTAIN),
    }))
    return { side: position.toMove, lines, nodes: order.length, depth: 1, maxDepth: 1, timeS: (performance.now() - begun) / 1000 }
  }

  /** The score table with the reasons of the cells with the greatest scores. */
  scoreLayer(position: Position): ScoreLayer {
    const [attack, defence] = this.weights(position)
    const { size } = position.rules
    const sum = (cell: number): number => attack[cell]! + defence[cell]!
    const best = [...attack.keys()].sort((a, b) => sum(b) - sum(a) || a - b).slice(0, REASONED).filter((cell) => attack[cell]! >= 0)
    loadState(this.state, position)
    return {
      attack: attack.map((value) => Math.max(value, 0)),
      defence: defence.map((value) => Math.max(value, 0)),
      reasons: Object.fromEntries(best.map((cell) => [formatCell(cell, size), this.reasons(position, cell)])),
    }
  }

  private reasons(position: Position, cell: number): ScoreReason[] {
    const { size } = position.rules
    const point = toPoint(cell, size)
    const found: ScoreReason[] = []
    const sides: ['attack' | 'defence', Side][] = [['attack', position.toMove], ['defence', opponentOf(position.toMove)]]
    for (const [side, color] of sides) {
      DIRECTIONS.forEach((step, d) => {
        const score = this.kernels.call('line_weight', this.state, this.tables.weight_s0, point, color, step)
        if (!score) return
        const ahead = this.kernels.call('run_length', this.state, point, step, color)
        const back = this.kernels.call('run_length', this.state, point, -step, color)
        const isOpen = (at: number): number => Number(this.state.get('cells', at) === 0)
        const stones = Array.from({ length: ahead + back + 1 }, (_, i) => point + (i - back) * step).filter((one) => one !== point)
        found.push({
          side,
          direction: WEIGHT.DIRECTION_NAMES[d]!,
          stones: ahead + back + 1,
          open_ends: isOpen(point + (ahead + 1) * step) + isOpen(point - (back + 1) * step),
          score,
          cells: stones.map((one) => formatCell(toCell(one, size), size)),
        })
      })
    }
    return found.sort((a, b) => b.score - a.score)
  }

  /** Minimax to a depth; with a limit in time or positions the depths 1, 2, ... in turn. */
  async minimax(position: Position, options: MinimaxOptions, budget: Budget, multipv: number, progress?: Progress): Promise<Info> {
    const begun = performance.now()
    const { scores, centre } = { scores: this.tables[options.scores], centre: this.scores[options.scores].centre }
    loadState(this.state, position)
    this.kernels.call('minimax_setup', this.state, this.work, scores, centre, MINIMAX.REACH)
    this.work.set('width', options.width)
    this.work.set('ordered', 1)
    control(this.ctl, 0)
    const depth = Math.min(options.depth, budget.depth ?? options.depth)
    const elapsed = (): number => (performance.now() - begun) / 1000
    let best: Info | null = null
    for (let level = budget.time || budget.nodes || progress ? 1 : depth; level <= depth; level++) {
      this.ctl.set(TRACED, 0)
      this.limit(budget, elapsed())
      const lines = this.root(options, level, multipv, best === null)
      if (!lines) break
      best = { side: position.toMove, lines, nodes: this.ctl.get(NODES), depth: level, maxDepth: this.ctl.get(DEEPEST), timeS: elapsed() }
      const ended = level < depth && (await progress?.(best))
      if (ended || this.ctl.get(STOP) || (budget.time && elapsed() >= budget.time)) break
    }
    return { ...best!, timeS: elapsed() }
  }

  /** Time is watched by positions: a running kernel sees nothing else. */
  private limit({ nodes, time }: Budget, elapsed: number): void {
    const done = this.ctl.get(NODES)
    const speed = elapsed > 0.05 ? done / elapsed : FIRST_SPEED
    const inTime = time ? done + Math.max(1000, (time - elapsed) * speed) : Infinity
    const most = Math.min(nodes ?? Infinity, inTime)
    this.ctl.set(MAX_NODES, Number.isFinite(most) ? Math.round(most) : 0)
  }

  /** The best lines at a depth; null where the search was cut short. */
  private root(options: MinimaxOptions, depth: number, multipv: number, keepPartial: boolean): Line[] | null {
    const { work } = this
    const table = this.tables[options.scores]
    const trace = options.trace ? this.trace : this.noTrace
    const searched = [this.state, work, table, this.ctl, trace] as const
    const count = this.kernels.call('minimax_root', ...searched, depth, multipv, Number(keepPartial))
    if (count < 0) return null
    const width = RECORDS.MINIMAX.fields.lines.shape[1]
    const scale = 2 * this.logit(options.scores)
    return Array.from({ length: count }, (_, i) => {
      const pv = Array.from({ length: work.get('lengths', i) }, (_, j) => work.get('lines', i * width + j))
      const score = work.get('scores', i)
      return score === UNSCORED ? { move: pv[0]!, pv, value: null, score: null, winIn: null } : scoredLine(pv, score, WIN, MINIMAX.PROVEN, scale)
    })
  }

  /** The tree of a shallow minimax search, as its nodes were entered. */
  async treeLayer(position: Position, depth: number): Promise<TreeLayer> {
    const info = await this.minimax(position, { scores: 'minimax_s1', depth, width: TREE_WIDTH, trace: true }, {}, 1)
    const { size } = position.rules
    const bound = (value: number): number | null => (Math.abs(value) >= MINIMAX.INFINITY ? null : value)
    const rows = Array.from({ length: this.ctl.get(TRACED) }, (_, id) => {
      const [parent, move, plies, alpha, beta, value, cutoff, color] = Array.from({ length: TRACE_FIELDS }, (_, i) => this.trace.get(id * TRACE_FIELDS + i))
      return {
        id,
        parent: parent! < 0 ? null : parent!,
        move: move! < 0 ? null : formatCell(move!, size),
        color: letterOf(color as Side),
        depth: plies!,
        alpha: bound(alpha!),
        beta: bound(beta!),
        value: value!,
        cutoff: Boolean(cutoff),
      }
    })
    return { depth, width: TREE_WIDTH, rows, isCut: rows.length >= TREE_NODES, best: info.lines[0]!.pv.map((cell) => formatCell(cell, size)) }
  }
}
