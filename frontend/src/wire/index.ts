/** The types and addresses of the server, which scripts/wire_types.py makes, and of what the page does by itself. */

import type { Operations as ServerOperations, Topics as ServerTopics } from './generated'
import type { OwnOperations, OwnTopics } from './own'

export * from './generated'
export * from './own'
export type { ServerOperations, ServerTopics }
export type { ColorLetter as Color } from './generated'

/** What the page may ask. */
export interface Operations extends ServerOperations, OwnOperations {}
export interface Topics extends Omit<ServerTopics, keyof OwnTopics>, OwnTopics {}
export type Operation = keyof Operations
export type Topic = keyof Topics
/** Figures of an iteration by name; its number is `iteration`. */
export type MetricsRow = Record<string, number | null>
