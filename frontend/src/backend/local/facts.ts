/** What `wuzi site` wrote down for a page without a server. */

import type { Engine, Puzzle, RuleName, Version } from '@/wire'
import { fetchPacked } from '@/backend/engine/data'
import type { EngineFacts } from '@/backend/engine/asks'
import { fileUrl, SITE_FACTS } from '@/host'
import { keptText } from '../remote/kept'

export interface Facts extends EngineFacts {
  version: Version
  engines: Engine[]
  /** The players' specs by engine and level. */
  specs: Record<string, Record<string, string>>
  /** Openings by the name of their book: columns and rows from the centre. */
  books: Record<string, [number, number][][]>
  /** The name of the file of puzzles. */
  puzzles: string
}

async function fetchJson<T>(name: string): Promise<T> {
  const get = async (): Promise<string> => new TextDecoder().decode(await fetchPacked(fileUrl(name)))
  return JSON.parse(SITE_FACTS === null ? await keptText(`/${name}`, get) : await get()) as T
}

export const fetchFacts = (name: string): Promise<Facts> => fetchJson<Facts>(name)
export const fetchPuzzles = (name: string): Promise<Puzzle[]> => fetchJson<Puzzle[]>(name)

/** An opening drawn from a book, turned or mirrored at random; null where there is no such book for a board. */
export function drawOpening(facts: Facts, book: 'even' | 'renju26', { rule, size }: { rule: RuleName; size: number }): number[] | null {
  const openings = facts.books[book === 'even' ? `${rule}-${size}` : book]
  if (!openings) return null
  const opening = openings[Math.floor(Math.random() * openings.length)]!
  const [flipX, flipY, swap] = [0, 0, 0].map(() => Math.random() < 0.5)
  const middle = Math.floor(size / 2)
  return opening.map(([dx, dy]) => {
    const [x, y] = [flipX ? -dx : dx, flipY ? -dy : dy]
    return (middle + (swap ? x : y)) * size + middle + (swap ? y : x)
  })
}
