/** Moves in words, as `wuzi.analysis.explain` finds them; the words themselves are Python's catalogues. */

import { formatCell } from '@/game/notation'
import { enemyOf, type Position, type Side, toPoint } from '@/wasm/rulebook'
import type { Kernels } from '@/wasm/kernels'
import type { EngineData } from './data'
import type { Line } from './info'
import type { Solution, VcfSolver } from './solvers'
import { CELL, Shapes, type Threat, type ThreatFinder, type ThreatKind } from './threats'

/** The catalogues: texts by key, with places such as `{cells}`. */
export type Words = Record<'en' | 'zh', Record<string, string>>
export type Language = keyof Words

const FOUR_NODES = 20_000
const CLEAR = 0.8
const [AREA_RADIUS, SMALL_SIZE] = [2, 10]
const FOURS: ThreatKind[] = ['four', 'open_four']
const DOUBLES = ['four_four', 'four_three', 'three_three'] as const
const BUILT: Record<number, string> = {
  [CELL.two]: 'open_two', [CELL.doubleTwo]: 'two_twos', [CELL.closedThree]: 'closed_three', [CELL.closedThreePlus]: 'closed_three',
}
const TAKEN: Record<number, string> = {
  [CELL.two]: 'takes_two', [CELL.doubleTwo]: 'takes_two', [CELL.three]: 'takes_three', [CELL.threePlus]: 'takes_three',
}
const STOPPED = new Set(['stops_five', 'stops_open_three', ...DOUBLES.map((kind) => `stops_${kind}`)])
const MADE = new Set(['open_four', 'two_fours', 'four_three', 'four', 'two_threes', 'open_three'])

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

/** What explaining needs. */
export interface ExplainTools {
  kernels: Kernels
  finder: ThreatFinder
  vcf: VcfSolver
}

const remark = (said: string, cells: number[] = [], plies = 0): Remark => ({ said, cells, plies })

/** Explains moves of one position that is not over. Without `data` only ends and proofs are said. */
export class Explainer {
  private readonly me: Side
  private readonly threats: Threat[]
  private readonly own: number[]
  private readonly foe: number[]
  private readonly solves: boolean

  constructor(
    private readonly tools: ExplainTools,
    private readonly position: Position,
    private readonly data: EngineData | null,
  ) {
    this.me = position.toMove
    this.solves = data !== null && !position.rules.rule.startsWith('caro')
    this.threats = data ? tools.finder.find(position, data) : []
    this.own = this.byFours(position)
    this.foe = this.byFours(position.turned(enemyOf(this.me)))
  }

  /** What a legal move does, most important first; `line` is what a search proved of it. */
  explain(move: number, line: Line | null = null): Remark[] {
    const after = this.position.play(move)
    if (after.end) return this.ended(after, move)
    const remarks: Remark[] = []
    if (this.data) {
      const threats = this.tools.finder.find(after, this.data)
      remarks.push(...this.against(threats))
      if (!remarks.some(({ said }) => said === 'leaves_five')) {
        remarks.push(...this.made(move, threats))
        remarks.push(...this.fours(move, after, remarks))
      }
    }
    remarks.push(...proved(line, remarks))
    const found = remarks.length ? remarks : this.shapes(move)
    return found.length ? found : [remark('quiet')]
  }

  private ended({ end }: Position, move: number): Remark[] {
    if (end!.reason === 'forbidden') return [remark(`foul_${this.position.forbiddenKind(move)}`)]
    return end!.winner === this.me ? [remark('wins')] : []
  }

  private shapes(move: number): Remark[] {
    if (!this.data) return []
    const shapes = new Shapes(this.tools.kernels, this.tools.finder.shapes)
    shapes.load(this.position, this.data)
    const point = toPoint(move, this.position.rules.size)
    const said = [BUILT[shapes.cellClass(this.me, point)], TAKEN[shapes.cellClass(enemyOf(this.me), point)]]
    return said.flatMap((one) => (one ? [remark(one)] : []))
  }

  private against(after: Threat[]): Remark[] {
    const foe = enemyOf(this.me)
    const left = after.filter(({ side }) => side === foe)
    const points = gains(left, FOURS)
    if (points.length) return [remark('leaves_five', points)]
    const before = this.threats.filter(({ side }) => side === foe)
    if (gains(before, FOURS).length) return [remark('stops_five')]
    const threes = new Set(left.filter(({ kind }) => kind === 'open_three').map(({ stones }) => stones.join()))
    if (before.some(({ kind, stones }) => kind === 'open_three' && !threes.has(stones.join()))) return [remark('stops_open_three')]
    const still = gains(left, DOUBLES)
    for (const kind of DOUBLES) {
      const gone = gains(before, [kind]).filter((cell) => !still.includes(cell))
      if (gone.length) return [remark(`stops_${kind}`, gone)]
    }
    return []
  }

  private made(move: number, after: Threat[]): Remark[] {
    const mine = after.filter(({ side, stones }) => side === this.me && stones.includes(move))
    const fours = gains(mine, FOURS)
    const threes = mine.filter(({ kind }) => kind === 'open_three')
    if (mine.some(({ kind }) => kind === 'open_four')) return [remark('open_four')]
    if (fours.length > 1) return [remark('two_fours')]
    if (fours.length) return [threes.length ? remark('four_three') : remark('four', fours)]
    if (threes.length) return [remark(threes.length > 1 ? 'two_threes' : 'open_three')]
    const old = gains(this.threats.filter(({ side }) => side === this.me), DOUBLES)
    for (const kind of DOUBLES) {
      const fresh = gains(mine, [kind]).filter((cell) => !old.includes(cell))
      if (fresh.length) return [remark(`prepares_${kind}`, fresh)]
    }
    return []
  }

  private fours(move: number, after: Position, remarks: Remark[]): Remark[] {
    if (this.own[0] === move) return [remark('begins_fours', this.own)]
    const answer = this.solve(after)
    if (!answer) return []
    if (answer.verdict === 'win') return [remark('allows_fours', answer.moves)]
    const found: Remark[] = []
    const stopsNone = !remarks.some(({ said }) => STOPPED.has(said))
    if (this.foe.length && stopsNone && answer.verdict === 'none') found.push(remark('stops_fours', this.foe))
    if (!remarks.some(({ said }) => MADE.has(said))) {
      const threat = this.byFours(after.turned(this.me))
      if (threat.length) found.push(remark('threatens_fours', threat))
    }
    return found
  }

  private solve(position: Position): Solution | null {
    return this.solves ? this.tools.vcf.solve(position, this.data!, FOUR_NODES) : null
  }

  private byFours(position: Position): number[] {
    return this.solve(position)?.moves ?? []
  }
}

function gains(threats: Threat[], kinds: readonly ThreatKind[]): number[] {
  return [...new Set(threats.filter(({ kind }) => kinds.includes(kind)).flatMap((one) => one.gains))].sort((a, b) => a - b)
}

function proved(line: Line | null, remarks: Remark[]): Remark[] {
  if (!line?.winIn || remarks.some(({ said }) => said === 'begins_fours' || said === 'leaves_five')) return []
  return [remark(line.winIn > 0 ? 'wins_in' : 'loses_in', [], Math.abs(line.winIn))]
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

/** Why a move is good for the side to move, as far as is certain: a key below `hintreason`. */
export function hintReason(tools: ExplainTools, position: Position, data: EngineData | null, move: number, line: Line | null): string {
  const me = position.toMove
  const wins = (after: Position, side: Side): boolean => after.end?.winner === side && after.end.reason === 'line'
  if (wins(position.play(move), me)) return 'wins'
  const turned = position.turned(enemyOf(me))
  if (!turned.end && wins(turned.play(move), enemyOf(me))) return 'blocks_win'
  const threats = data ? tools.finder.find(position, data).filter((one) => one.gains.includes(move)) : []
  const has = (kind: ThreatKind, mine: boolean): boolean => threats.some((one) => one.kind === kind && (one.side === me) === mine)
  if (has('open_three', true)) return 'open_four'
  if (has('four_four', true) || has('four_three', true)) return 'double_threat'
  if (has('open_three', false)) return 'stops_open_four'
  if (has('three_three', true)) return 'double_threat'
  if (line?.winIn) return line.winIn > 0 ? 'winning_line' : 'best_defence'
  const mine = line?.value == null ? null : (1 + line.value) / 2
  if (mine !== null && mine >= CLEAR) return 'advantage'
  return mine !== null && mine <= 1 - CLEAR ? 'difficult' : 'best_found'
}

