import { blackMoves } from './useProof'

/** The classes of the lengths of a win, by the most moves of Black that each stands for. */
export const LEVELS = { short: 5, middle: 10, long: 15, longest: Infinity } as const
export type Level = keyof typeof LEVELS | 'proved'

/** The class of a reply: `proved` where the length is not counted. */
export function levelOf(plies: number): Level {
  if (!plies) return 'proved'
  return (Object.keys(LEVELS) as (keyof typeof LEVELS)[]).find((name) => blackMoves(plies) <= LEVELS[name])!
}
