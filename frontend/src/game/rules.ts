/** What may be done under which rules, before the kernels are loaded: lookups in the rule book's own tables. */

import type { GameState, Rules } from '@/wire'
import { CHOICES, HANDICAP, LIMITS } from './facts'

/** What the seat to act may do at once. */
export interface Choices {
  swap: boolean
  keep: boolean
  /** How many stones it may put down. */
  stones: readonly number[]
}

/** Whether the last stone ended the game: nobody can have the move there. After a resignation the position is still open. */
export const endedByStone = ({ outcome }: Pick<GameState, 'outcome'>): boolean => ['line', 'draw_full', 'forbidden'].includes(outcome?.reason ?? '')

export const choicesOf = ({ rules, phase }: Pick<GameState, 'rules' | 'phase'>): Choices => CHOICES[rules.opening][phase]

/** The only win lengths of each rule; null where the board alone limits them. */
const WIN_LENGTHS = new Map<string, readonly number[] | null>(LIMITS.rules.map((one) => [one.id, one.winLengths]))

/** What is wrong with rules, as a key below `setup.problem`, or null. */
export function rulesProblem({ size, winLength, rule, opening }: Rules): string | null {
  if (!Number.isInteger(size) || size < LIMITS.minSize || size > LIMITS.maxSize) return 'size'
  if (!Number.isInteger(winLength) || winLength < LIMITS.minWinLength || winLength > size) return 'winLength'
  if (!(WIN_LENGTHS.get(rule)?.includes(winLength) ?? true)) return 'renjuFive'
  return opening !== 'free' && size < LIMITS.minOpeningSize ? 'openingSize' : null
}

/** Whether Black may have extra stones, and so many. */
export function mayHandicap({ opening, size, winLength }: Omit<Rules, 'rule'>, extra = 1): boolean {
  return opening === 'free' && size >= HANDICAP.minSize && winLength >= HANDICAP.minWinLength && extra < HANDICAP.stones.length
}
