import type { Color, ForcedWin, MoveInfo, RootInfo } from '@/wire'
import { chanceOf } from '@/game/color'
import { cellOf } from '@/game/notation'

/** How a candidate compares with the best one: shown by shape and number, and by colour besides. */
export type Grade = 'best' | 'good' | 'fair' | 'weak' | 'bad'

const GRADES: [number, Grade][] = [
  [0.02, 'best'],
  [0.07, 'good'],
  [0.15, 'fair'],
  [0.3, 'weak'],
]

export interface CandidateMark {
  cell: number
  rank: number
  grade: Grade
  candidate: MoveInfo
  /** Loss against the best, in win chance of the side to move, 0 to 1. */
  loss: number | null
}

export function marksOf(candidates: readonly MoveInfo[], mover: Color, size: number): CandidateMark[] {
  const chances = candidates.map((one) => (one.winrate === null ? null : chanceOf(one.winrate, mover)))
  const best = chances[0] ?? null
  return candidates.map((candidate, i) => {
    const chance = chances[i] ?? null
    const loss = best === null || chance === null ? null : Math.max(0, best - chance)
    return { cell: cellOf(candidate.move, size), rank: i + 1, grade: i === 0 ? 'best' : gradeOf(loss), candidate, loss }
  })
}

export type ProvedWin = Pick<ForcedWin, 'color' | 'moves'>

/** A report in which a proved win of the side to move stands first, whatever the search believed of it. */
export function withProof<R extends { rootInfo: RootInfo; moveInfos: MoveInfo[] }>(report: R, win: ProvedWin | undefined): R {
  const { moveInfos } = report
  const first = win?.moves[0]
  if (!win || first === undefined || (moveInfos[0]?.winIn ?? 0) > 0) return report
  const winrate = win.color === 'B' ? 1 : 0
  const searched = moveInfos.find(({ move }) => move === first)
  const proved: MoveInfo = {
    move: first, order: 0, visits: searched?.visits ?? 0, winrate, prior: searched?.prior ?? null, value: 1, score: null, pv: win.moves, winIn: null,
  }
  const others = moveInfos.filter((one) => one !== searched).slice(0, Math.max(moveInfos.length - 1, 0))
  return { ...report, rootInfo: { ...report.rootInfo, winrate }, moveInfos: [proved, ...others].map((one, order) => ({ ...one, order })) }
}

export function gradeOf(loss: number | null): Grade {
  if (loss === null) return 'fair'
  return GRADES.find(([most]) => loss < most)?.[1] ?? 'bad'
}

/** `1.2k` for 1234: at most four characters. */
export function compact(count: number): string {
  if (count < 1000) return String(count)
  const [value, unit] = count < 999_500 ? [count / 1000, 'k'] : count < 999_500_000 ? [count / 1e6, 'M'] : [count / 1e9, 'G']
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${unit}`
}

/** `M5` where `side` has a proven win in five plies, `−M5` for its proven loss; `winIn` is the mover's. */
export function mate(winIn: number, mover: Color, side: Color): string {
  return winIn > 0 === (mover === side) ? `M${Math.abs(winIn)}` : `−M${Math.abs(winIn)}`
}

/** Values over the board, ready to be drawn. */
export interface Heat {
  /** By cell: strength from 0 to 1, or from -1 to 1 where the values have a sign; null where there is none. */
  values: (number | null)[]
  signed: boolean
  /** What is written on the strongest cells. */
  labels: Map<number, string>
}

const MOST_LABELS = 16
/** Of the greatest value: what is less is not labelled, unless it has a sign: near nought is a value like others there. */
const LEAST_LABEL = 0.1

/** Scales values so that the greatest is 1; labels the strongest cells. */
export function heatOf(values: readonly (number | null)[], write: (value: number) => string, signed = false): Heat {
  const top = Math.max(1e-12, ...values.map((value) => Math.abs(value ?? 0)))
  const strongest = values
    .flatMap((value, cell) => (value === null || (!signed && (value <= 0 || value < top * LEAST_LABEL)) ? [] : [cell]))
    .sort((a, b) => Math.abs(values[b]!) - Math.abs(values[a]!))
    .slice(0, MOST_LABELS)
  return {
    values: values.map((value) => (value === null ? null : value / top)),
    signed,
    labels: new Map(strongest.map((cell) => [cell, write(values[cell]!)])),
  }
}

/** The values above their middle one: what sets cells apart where most have the same. */
export function aboveUsual(values: readonly (number | null)[]): (number | null)[] {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b)
  const usual = known[Math.floor(known.length / 2)] ?? 0
  return values.map((value) => (value === null ? null : Math.max(0, value - usual)))
}
