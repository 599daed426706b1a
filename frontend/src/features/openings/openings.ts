import { cellOf } from '@/game/notation'
import type { Color, RuleName } from '@/wire'
import text from './openings.json?raw'

/** What `scripts/known_openings.py` wrote. */
interface Known {
  engine: string
  /** How many games were looked through. */
  games: number
  /** Of the 26 openings of renju, in English and Chinese. */
  names: Record<string, [string, string]>
  sets: OpeningSet[]
}

export interface OpeningSet {
  book: string
  rule: RuleName
  size: number
  /** Positions that the engine looked at for each opening. */
  nodes: number
  openings: Opening[]
}

export interface Opening {
  id: string
  /** A position code, Black's stone first. */
  moves: string
  /** Of a book: Black's expected score by the longer search that chose it. */
  study?: number
  /** Black's expected score, the depth of the search and its line; what is missing was not searched. */
  winrate?: number
  depth?: number
  line?: string
  /** A win that the search sees: whose, and in how many plies. */
  winner?: Color
  win?: number
  /** Kept games that came to this position, and Black's score in them. */
  games: number
  score: number | null
  /** The shipped proof of a reply takes so many plies at most. */
  plies?: number
}

export const RENJU = 'renju26'
export const PROOF = 'proof'
export const known = JSON.parse(text) as Known
export const BOOKS = [...new Set(known.sets.map(({ book }) => book))]
/** In what order a set is shown: its own, or by what the engine says. */
export const ORDERS = ['own', 'even', 'black'] as const
export type Order = (typeof ORDERS)[number]

/** A book under a rule; by default under the first that it has. */
export function setOf(book: string, rule: string): OpeningSet | undefined {
  const all = known.sets.filter((one) => one.book === book)
  return all.find((one) => one.rule === rule) ?? all[0]
}

/** Black's expected score by the longest search. */
export const rateOf = ({ study, winrate }: Opening): number | undefined => study ?? winrate

export function ordered(openings: readonly Opening[], order: Order): Opening[] {
  const rate = (one: Opening): number => rateOf(one) ?? 0.5
  if (order === 'even') return [...openings].sort((a, b) => Math.abs(rate(a) - 0.5) - Math.abs(rate(b) - 0.5))
  return order === 'black' ? [...openings].sort((a, b) => rate(b) - rate(a)) : [...openings]
}

/** The moves of a position code. */
export const movesOf = (code: string): string[] => code.match(/[a-z]\d+/g) ?? []

export const cellsOf = (code: string, size: number): number[] => movesOf(code).map((move) => cellOf(move, size))
