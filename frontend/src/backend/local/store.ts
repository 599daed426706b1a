/** What is kept in the browser, newest first: analyses, and without a server games and reviews. */

import type { LinkState } from '@/backend'

export interface Kept<T> {
  id: string
  /** Milliseconds since 1970. */
  createdAt: number
  updatedAt: number
  data: T
  /** Of a value that other pages may change: that of the next write. */
  version?: number
  /** The seat that wrote it, of a game by a link. */
  writer?: number | null
}

/** Who may write from now on: whoever has one of these keys, or those of another game, seats turned where they are `swapped`. */
export interface Seated {
  key?: string
  keys?: [string, string]
  like?: string
  swapped?: boolean
}

/** Where games or reviews are kept: in the browser, or on a server (`remote/shelf.ts`). */
export interface Keeper<T, S> {
  /** Other pages may change what is kept, too. */
  isShared: boolean
  get: (id: string) => Promise<Kept<T> | undefined>
  /** What lists show of those touched last, of a search those that have all its words. */
  summaries: (limit: number, search: string) => Promise<S[]>
  /** Keeps a new value; fails with the code `conflict` where somebody else was faster. */
  put: (one: Kept<T>, summary: S, isLast?: boolean, seated?: Seated) => Promise<Kept<T>>
  remove: (id: string) => Promise<void>
  /** Hears of what other pages do with a value, and can talk to them. */
  watch: (id: string, handlers: WatchHandlers<T>) => Watch
  /** The time by the clock of whoever keeps it. */
  now: () => number
}

export interface WatchHandlers<T> {
  onStored: (one: Kept<T>) => void
  onWatch: (leads: boolean, watchers: number, here: number[]) => void
  onSaid: (said: unknown) => void
  onLink: (state: LinkState, attempt: number) => void
}

export interface Watch {
  /** Tells that this page has a seat. */
  sit: () => void
  say: (said: unknown) => void
  reconnectNow: () => void
  close: () => void
}

/** What is kept in the browser, for the desks of games and reviews. */
export class LocalKeeper<T, S> implements Keeper<T, S> {
  readonly isShared = false
  private readonly shelf: Shelf<T>

  constructor(
    name: StoreName,
    private readonly summary: (one: Kept<T>) => S,
    private readonly words: (one: S) => string = () => '',
  ) {
    this.shelf = new Shelf<T>(name)
  }

  get(id: string): Promise<Kept<T> | undefined> {
    return this.shelf.get(id)
  }

  async summaries(limit: number, search: string): Promise<S[]> {
    const wanted = search.toLowerCase().split(/\s+/).filter(Boolean)
    const found = (await this.shelf.recent(wanted.length ? Infinity : limit)).map((one) => this.summary(one))
    return found.filter((one) => wanted.every((word) => this.words(one).includes(word))).slice(0, limit)
  }

  async put(one: Kept<T>): Promise<Kept<T>> {
    await this.shelf.put({ ...one, data: structuredClone(one.data) })
    return one
  }

  remove(id: string): Promise<void> {
    return this.shelf.remove(id)
  }

  watch(_: string, { onWatch, onLink }: WatchHandlers<T>): Watch {
    queueMicrotask(() => {
      onLink('online', 0)
      onWatch(true, 1, [])
    })
    return { sit: () => undefined, say: () => undefined, reconnectNow: () => undefined, close: () => undefined }
  }

  readonly now = (): number => Date.now()
}

type StoreName = 'games' | 'reviews' | 'studies'
/** The stores of each database: another store in one that is open elsewhere would have to wait until it is closed there. */
const DATABASES: Record<string, StoreName[]> = { wuzi: ['games', 'reviews'], 'wuzi-studies': ['studies'] }
const MOST = 300

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the browser keeps nothing'))
  })

const opening = new Map<string, Promise<IDBDatabase | null>>()

async function opened(name: string): Promise<IDBDatabase | null> {
  try {
    const request = indexedDB.open(name, 1)
    request.onupgradeneeded = () => {
      for (const store of DATABASES[name]!) request.result.createObjectStore(store, { keyPath: 'id' }).createIndex('updatedAt', 'updatedAt')
    }
    return await done(request)
  } catch {
    return null // a private window: what is played lasts as long as the page
  }
}

function database(store: StoreName): Promise<IDBDatabase | null> {
  const name = Object.keys(DATABASES).find((one) => DATABASES[one]!.includes(store))!
  if (!opening.has(name)) opening.set(name, opened(name))
  return opening.get(name)!
}

/** One kind of things; everything is in memory too, so that a browser that keeps nothing only forgets at the end. */
export class Shelf<T> {
  private readonly known = new Map<string, Kept<T>>()
  private loading: Promise<void> | null = null

  /** `most`: so many are kept, the oldest go. */
  constructor(
    private readonly name: StoreName,
    private readonly most = MOST,
  ) {}

  private load(): Promise<void> {
    this.loading ??= (async () => {
      const db = await database(this.name)
      const all = db ? await done(db.transaction(this.name).objectStore(this.name).getAll() as IDBRequest<Kept<T>[]>) : []
      for (const one of all) if (!this.known.has(one.id)) this.known.set(one.id, one)
    })()
    return this.loading
  }

  async get(id: string): Promise<Kept<T> | undefined> {
    await this.load()
    return this.known.get(id)
  }

  async recent(limit: number): Promise<Kept<T>[]> {
    await this.load()
    return [...this.known.values()].sort((a, b) => b.updatedAt - a.updatedAt).slice(0, limit)
  }

  async put(one: Kept<T>): Promise<void> {
    this.known.set(one.id, one)
    await this.write((store) => store.put(one))
    for (const old of (await this.recent(Infinity)).slice(this.most)) await this.remove(old.id)
  }

  async remove(id: string): Promise<void> {
    await this.load()
    this.known.delete(id)
    await this.write((store) => store.delete(id))
  }

  private async write(change: (store: IDBObjectStore) => IDBRequest): Promise<void> {
    try {
      const db = await database(this.name)
      if (!db) return
      const transaction = db.transaction(this.name, 'readwrite')
      const changed = done(change(transaction.objectStore(this.name)))
      transaction.commit() // at once, because the page may be about to end
      await changed
    } catch {
      // A full disk only means that it is gone with the page.
    }
  }
}

/** A new id: letters and digits. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte & 31]).join('')
}
