import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { type Kept, Shelf } from '@/backend'
import { ROOT, type Tree } from '@/game/tree'
import type { Color } from '@/wire'

/** Where a study came from: a game or a review of this page. */
export interface Source {
  game?: string
  review?: string
  /** The colour of the only person who played. */
  mine?: Color | null
}

/** A study as it is stored. */
export interface StoredStudy {
  version: 1
  /** Studies stored before several were kept have none. */
  id?: string
  /** When something in it was changed last, in milliseconds since 1970; nothing was, where it is missing. */
  changedAt?: number
  tree: Tree
  current: number
  source: Source | null
  /** What somebody calls it. */
  name?: string
  /** The study that it is a chapter of, and its place there. */
  book?: Book | null
}

/** A study of several chapters, each of which is kept by itself. */
export interface Book {
  id: string
  name: string
  place: number
}

/** Whether there is anything in a study that somebody could miss. */
export function isWorthKeeping({ tree, name, book }: StoredStudy): boolean {
  const root = tree.nodes[ROOT]
  return Object.keys(tree.nodes).length > 1 || Boolean(root?.setup || root?.comment || name || book)
}

/** The analyses that made way for others, newest first; kept in this browser. */
export const useSavedStudies = defineStore('savedStudies', () => {
  const shelf = new Shelf<StoredStudy>('studies', Infinity)
  const list = shallowRef<Kept<StoredStudy>[]>([])

  async function load(): Promise<void> {
    list.value = await shelf.recent(Infinity)
  }

  /** Keeps a study; one that is kept already in a newer state stays. */
  async function keep(id: string, study: StoredStudy): Promise<void> {
    const changedAt = study.changedAt ?? Date.now()
    const known = await shelf.get(id)
    if (known && known.updatedAt >= changedAt) return
    await shelf.put({ id, createdAt: known?.createdAt ?? changedAt, updatedAt: changedAt, data: { ...study, id, changedAt } })
    await load()
  }

  async function remove(id: string): Promise<void> {
    await shelf.remove(id)
    await load()
  }

  async function find(wanted: (study: StoredStudy) => boolean): Promise<StoredStudy | undefined> {
    return (await shelf.recent(Infinity)).find(({ data }) => wanted(data))?.data
  }

  /** The chapters of a study that are kept, in their order. */
  async function chapters(book: string): Promise<StoredStudy[]> {
    const all = (await shelf.recent(Infinity)).map(({ data }) => data)
    return all.filter((one) => one.book?.id === book).sort((a, b) => a.book!.place - b.book!.place)
  }

  return { list, load, keep, remove, find, chapters }
})
