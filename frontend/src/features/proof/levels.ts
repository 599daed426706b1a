import { blackMoves } from './useProof'

/** The classes of the lengths of a win, by the most moves of Black that each stands for. */
export const LEVELS = { short: 5, middle: 10, long: 15, longest: Infinity } as const
export type Level = keyof typeof LEVELS | 'proved' | 'open'

/** The class of a reply: `proved` where the length is not counted, `open` where nobody knows. */
export function levelOf(plies: number | null): Level {
  if (!plies) return plies === null ? 'open' : 'proved'
  return (Object.keys(LEVELS) as (keyof typeof LEVELS)[]).find((name) => blackMoves(plies) <= LEVELS[name])!
}
