/** Threats for people, as `wuzi.tactics.threats` names them: what is on the board, and what one stone would make of it. */

import { byCells, letterOf, loadState, type Position, type Side, toCell, toPoint } from '@/wasm/rulebook'
import type { Kernels, WasmRecord } from '@/wasm/kernels'
import type { Threat as WireThreat } from '@/wire'
import type { EngineData } from './data'

/** Most urgent first. */
export const THREAT_KINDS = ['five', 'open_four', 'four', 'four_four', 'four_three', 'open_three', 'three_three', 'forbidden'] as const
export type ThreatKind = (typeof THREAT_KINDS)[number]

export interface Threat {
  kind: ThreatKind
  side: Side
  /** Cells, in order. */
  stones: number[]
  gains: number[]
}

/** The kernels' numbers of line and cell classes, see `core/classes.py`. */
export const LINE = { openThree: 9, openThreeS: 10, four: 11, openFour: 12, five: 13 }
export const CELL = { forbidden: 1, two: 2, closedThree: 3, doubleTwo: 4, closedThreePlus: 5, three: 6, threePlus: 7, doubleThree: 8, fourThree: 11, openFour: 12 }
/** Cells that may make two threats at once. */
const DOUBLES = [CELL.openFour, CELL.fourThree, CELL.doubleThree, CELL.forbidden]
const DIRECTIONS = [1, 32, 33, 31]
const GRID = 37 * 32

/** Patterns of a board, with the board. */
export class Shapes {
  readonly state: WasmRecord<'STATE'>
  readonly patterns: WasmRecord<'PATTERNS'>

  constructor(
    protected readonly kernels: Kernels,
    /** Whose records may be overwritten. */
    shared?: Shapes,
  ) {
    this.state = shared?.state ?? kernels.record('STATE')
    this.patterns = shared?.patterns ?? kernels.record('PATTERNS')
  }

  load(position: Position, data: EngineData, side: Side = position.toMove): void {
    loadState(this.state, position, side)
    this.state.set('result', 0)
    this.kernels.call('patterns_from_state', this.state, this.patterns, data.tables)
  }

  /** What a stone of a side on an empty cell would make. */
  cellClass(side: Side, point: number): number {
    return this.patterns.get('classes', (side - 1) * GRID + point)
  }

  /** The four line classes of a point for a side. */
  lineClasses(side: Side, point: number): number[] {
    const code = this.patterns.get('codes', (side - 1) * GRID + point)
    return [0, 1, 2, 3].map((direction) => (code >> (4 * direction)) & 15)
  }
}

/** Finds threats; keeps its records for the next position. */
export class ThreatFinder {
  readonly shapes: Shapes
  private position!: Position
  private size = 0

  constructor(private readonly kernels: Kernels) {
    this.shapes = new Shapes(kernels)
  }

  /** All threats of both colours, most urgent first; win lengths 4 and 5. */
  find(position: Position, data: EngineData): Threat[] {
    this.position = position
    this.size = position.rules.size
    this.shapes.load(position, data)
    const threats: Threat[] = position.winningLines.map((row) => ({ kind: 'five', side: position.cells[row[0]!] as Side, stones: row, gains: [] }))
    for (const side of [1, 2] as const) threats.push(...this.fours(side), ...this.threes(side), ...this.doubles(side))
    for (const cell of position.forbidden) threats.push({ kind: 'forbidden', side: 1, stones: [], gains: [cell] })
    const urgency = (one: Threat): number => THREAT_KINDS.indexOf(one.kind)
    return threats.sort((a, b) => urgency(a) - urgency(b) || a.side - b.side || byCells(a.stones, b.stones) || byCells(a.gains, b.gains))
  }

  private cell(point: number): number {
    return toCell(point, this.size)
  }

  private isEmpty(point: number): boolean {
    return this.shapes.state.get('cells', point) === 0
  }

  /** The empty points, row by row. */
  private *emptyPoints(): Generator<number> {
    for (let cell = 0; cell < this.size ** 2; cell++) if (!this.position.cells[cell]) yield toPoint(cell, this.size)
  }

  /** Empty points of a line class for a side, with the step of the line: direction by direction. */
  private points(side: Side, kind: number): [point: number, step: number][] {
    const classes = [...this.emptyPoints()].map((point) => [point, this.shapes.lineClasses(side, point)] as const)
    return DIRECTIONS.flatMap((step, d) => classes.filter(([, lines]) => lines[d] === kind).map(([point]): [number, number] => [point, step]))
  }

  /** Cells of the run through a point, which counts as a stone. */
  private run(point: number, step: number, side: Side): number[] {
    const length = (way: number): number => this.kernels.call('run_length', this.shapes.state, point, way, side)
    const [back, ahead] = [length(-step), length(step)]
    return Array.from({ length: back + ahead + 1 }, (_, i) => this.cell(point + (i - back) * step))
  }

  private isFoul(point: number, side: Side): boolean {
    return side === 1 && this.position.forbiddenKind(this.cell(point)) !== null
  }

  private fours(side: Side): Threat[] {
    const gains = new Gains()
    for (const [point, step] of this.points(side, LINE.five)) {
      for (const stones of this.foursBeside(point, step, side)) gains.add(step, stones, this.cell(point))
    }
    return gains.map((stones, cells) => ({ kind: cells.length > 1 ? 'open_four' : 'four', side, stones, gains: cells }))
  }

  /** The fours that a point completes: an unbroken one at either side, else all it would join. */
  private foursBeside(point: number, step: number, side: Side): number[][] {
    const run = this.run(point, step, side)
    const at = run.indexOf(this.cell(point))
    const wanted = this.position.rules.winLength - 1
    const unbroken = [run.slice(0, at), run.slice(at + 1)].filter((part) => part.length === wanted).map(sorted)
    return unbroken.length ? unbroken : [this.joined(point, step, side)]
  }

  /** The stones that a stone at a point would join. */
  private joined(point: number, step: number, side: Side): number[] {
    return sorted(this.run(point, step, side).filter((cell) => cell !== this.cell(point)))
  }

  private threes(side: Side): Threat[] {
    const gains = new Gains()
    for (const [point, step] of this.points(side, LINE.openFour)) {
      const stones = this.joined(point, step, side)
      if (stones.length === this.position.rules.winLength - 2 && !this.isFoul(point, side)) gains.add(step, stones, this.cell(point))
    }
    return gains.map((stones, cells) => ({ kind: 'open_three', side, stones, gains: cells }))
  }

  /** Empty cells that make two threats on different lines, or two fours on one. */
  private doubles(side: Side): Threat[] {
    const found: Threat[] = []
    for (const point of this.emptyPoints()) {
      if (!DOUBLES.includes(this.shapes.cellClass(side, point))) continue
      const lines = this.shapes.lineClasses(side, point)
      const at = (...kinds: number[]): number[] => [0, 1, 2, 3].filter((d) => kinds.includes(lines[d]!))
      const [fours, threes] = [at(LINE.four, LINE.openFour), at(LINE.openThree, LINE.openThreeS)]
      const kind = doubleKind(fours.length + this.secondFours(point, lines, side), threes.length)
      if (kind === null || this.isFoul(point, side)) continue
      const parts = kind === 'four_four' ? fours : [...fours, ...threes]
      const stones = new Set(parts.flatMap((d) => this.near(point, DIRECTIONS[d]!, side)))
      found.push({ kind, side, stones: sorted([...stones]), gains: [this.cell(point)] })
    }
    return found
  }

  /** How many lines give a point a second four of other stones. */
  private secondFours(point: number, lines: number[], side: Side): number {
    const wanted = this.position.rules.winLength - 1
    return DIRECTIONS.filter((step, d) => lines[d] === LINE.openFour && this.run(point, step, side).length !== wanted).length
  }

  /** Stones of a side within a winning row's reach of a point, up to the first enemy or wall. */
  private near(point: number, step: number, side: Side): number[] {
    const found: number[] = []
    for (const way of [step, -step]) {
      for (let i = 1; i < this.position.rules.winLength; i++) {
        const content = this.shapes.state.get('cells', point + i * way)
        if (content === side) found.push(this.cell(point + i * way))
        else if (!this.isEmpty(point + i * way)) break
      }
    }
    return found
  }
}

/** The gains of threats by their line and stones, in the order they were met. */
class Gains {
  private readonly known = new Map<string, { stones: number[]; cells: number[] }>()

  add(step: number, stones: number[], cell: number): void {
    const key = `${step} ${stones.join()}`
    const one = this.known.get(key) ?? { stones, cells: [] }
    one.cells.push(cell)
    this.known.set(key, one)
  }

  map(make: (stones: number[], cells: number[]) => Threat): Threat[] {
    return [...this.known.values()].map(({ stones, cells }) => make(stones, sorted(cells)))
  }
}

function doubleKind(fours: number, threes: number): ThreatKind | null {
  if (fours >= 2) return 'four_four'
  if (fours && threes) return 'four_three'
  return threes >= 2 ? 'three_three' : null
}

const sorted = (cells: number[]): number[] => [...cells].sort((a, b) => a - b)

/** A threat as it travels. */
export function threatOut({ kind, side, stones, gains }: Threat, name: (cell: number) => string): WireThreat {
  return { kind, color: letterOf(side), stones: stones.map(name), gains: gains.map(name) }
}
