/** What a page without a server keeps in the browser: games and reviews, newest first. */

import { HERE } from '@/backend/beside'
import { SITE_FACTS } from '@/host'

export interface Kept<T> {
  id: string
  /** Milliseconds since 1970. */
  createdAt: number
  updatedAt: number
  data: T
}

type StoreName = 'games' | 'reviews'
const NAME = 'wuzi'
const MOST = 300

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the browser keeps nothing'))
  })

let opening: Promise<IDBDatabase | null> | null = null

function database(): Promise<IDBDatabase | null> {
  opening ??= (async () => {
    try {
      const request = indexedDB.open(NAME, 1)
      request.onupgradeneeded = () => {
        for (const name of ['games', 'reviews']) request.result.createObjectStore(name, { keyPath: 'id' }).createIndex('updatedAt', 'updatedAt')
      }
      return await done(request)
    } catch {
      return null // a private window: what is played lasts as long as the page
    }
  })()
  return opening
}

/** One kind of things; everything is in memory too, so that a browser that keeps nothing only forgets at the end. */
export class Shelf<T> {
  private readonly known = new Map<string, Kept<T>>()
  private loading: Promise<void> | null = null

  constructor(private readonly name: StoreName) {}

  private load(): Promise<void> {
    this.loading ??= (async () => {
      const db = await database()
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
    for (const old of (await this.recent(Infinity)).slice(MOST)) await this.remove(old.id)
  }

  async remove(id: string): Promise<void> {
    await this.load()
    this.known.delete(id)
    await this.write((store) => store.delete(id))
  }

  private async write(change: (store: IDBObjectStore) => IDBRequest): Promise<void> {
    try {
      const db = await database()
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

/** A new id: letters and digits, beside a server with a beginning that its own ids never have. */
export function newId(): string {
  return (SITE_FACTS === null ? HERE : '') + Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => 'abcdefghijklmnopqrstuvwxyz234567'[byte & 31]).join('')
}
