/** What a search knows, and how it travels: the same messages as the server's. */

import { letterOf, type Side } from '@/wasm/rulebook'
import type { LimitIn, MoveInfo, RootInfo } from '@/wire'

/** A candidate; `value` is the side to move's, -1 to 1, and `winIn` plies to a proven end. */
export interface Line {
  move: number
  value: number | null
  score: number | null
  pv: number[]
  winIn: number | null
  prior?: number
}

export interface Info {
  side: Side
  lines: Line[]
  nodes: number
  depth: number
  maxDepth: number
  timeS: number
}

/** Hears of a search, and may end it between two steps by answering true; it takes its time. */
export type Progress = (info: Info) => Promise<boolean>

/** A budget; the first limit that is reached ends the search. */
export type Budget = LimitIn

/** Black's expected score from a value of the side to move. */
export const blackRate = (value: number, side: Side): number => (1 + (side === 1 ? value : -value)) / 2

/** A line by its score: beyond `proven` it is `win` less the plies to the end. */
export function scoredLine(pv: number[], score: number, win: number, proven: number, scale: number): Line {
  const winIn = Math.abs(score) > proven ? (win - Math.abs(score)) * Math.sign(score) : null
  return { move: pv[0]!, pv, score, winIn, value: winIn ? Math.sign(score) : Math.tanh(score / scale) }
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))

export function reportOf(info: Info, multipv: number, name: (cell: number) => string): { rootInfo: RootInfo; moveInfos: MoveInfo[] } {
  const rateOf = ({ value }: Line): number | null => (value === null ? null : blackRate(value, info.side))
  const best = info.lines[0]
  return {
    rootInfo: {
      currentPlayer: letterOf(info.side),
      visits: info.nodes,
      winrate: best ? rateOf(best) : null,
      nodes: info.nodes,
      simulations: 0,
      depth: info.depth,
      maxDepth: info.maxDepth,
      nps: info.timeS > 0 ? rounded(info.nodes / info.timeS, 1) : 0,
      time: rounded(info.timeS, 4),
    },
    moveInfos: info.lines.slice(0, multipv).map((line, order) => ({
      move: name(line.move),
      order,
      visits: 0,
      winrate: rateOf(line),
      prior: line.prior ?? null,
      value: line.value,
      score: line.score,
      pv: line.pv.map(name),
      winIn: line.winIn,
    })),
  }
}
