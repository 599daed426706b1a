/** The run that is kept in the browser: its state, its nets and its games. */

import type { FinishedGame } from './replay'
import type { KeptNet, RunState } from './run'

const NAME = 'wuzi-learn'
const PARTS = 'parts'

export interface KeptRun {
  state: RunState
  nets: KeptNet[]
  games: FinishedGame[]
}

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('the browser keeps nothing'))
  })

async function database(): Promise<IDBDatabase | null> {
  try {
    const request = indexedDB.open(NAME, 1)
    request.onupgradeneeded = () => void request.result.createObjectStore(PARTS)
    return await done(request)
  } catch {
    return null // a private window: a run lasts as long as its page
  }
}

const numbered = (kind: string, number: number): string => `${kind}/${String(number).padStart(4, '0')}`
const allOf = (kind: string): IDBKeyRange => IDBKeyRange.bound(`${kind}/`, `${kind}/~`)

export class RunStore {
  private readonly opened = database()

  /** The run that was kept, whole; null where there is none. */
  async load(): Promise<KeptRun | null> {
    const store = (await this.opened)?.transaction(PARTS).objectStore(PARTS)
    if (!store) return null
    const [state, nets, games] = await Promise.all([
      done(store.get('state') as IDBRequest<RunState | undefined>),
      done(store.getAll(allOf('net')) as IDBRequest<KeptNet[]>),
      done(store.getAll(allOf('games')) as IDBRequest<FinishedGame[][]>),
    ])
    return state ? { state, nets, games: games.flat() } : null
  }

  /** Forgets the run before. */
  async clear(): Promise<void> {
    await this.write((store) => store.clear())
  }

  /** Adds what an iteration or a measurement brought; all of it is kept, or nothing. */
  async keep(state: RunState, net: KeptNet, games: readonly FinishedGame[]): Promise<void> {
    await this.write((store) => {
      store.put(state, 'state')
      store.put(net, numbered('net', net.iteration))
      if (games.length) store.put(games, numbered('games', net.iteration))
    })
  }

  private async write(change: (store: IDBObjectStore) => void): Promise<void> {
    const db = await this.opened
    if (!db) return
    const transaction = db.transaction(PARTS, 'readwrite')
    change(transaction.objectStore(PARTS))
    await new Promise((resolve) => {
      transaction.oncomplete = resolve
      transaction.onabort = resolve // a full disk: the run goes on, and is kept as it was
    })
  }
}
