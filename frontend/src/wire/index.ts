/** The types and addresses of the server; `generated.ts` is made by scripts/wire_types.py. */

import type { Operations, Topics } from './generated'

export * from './generated'
export type { ColorLetter as Color } from './generated'

export type Operation = keyof Operations
export type Topic = keyof Topics
/** Figures of an iteration by name; its number is `iteration`. */
export type MetricsRow = Record<string, number | null>
