/** What a server keeps for all pages: each value with a version, so that no page writes over what it has not seen. */

import type { Stored } from '@/wire'
import type { Backend } from '../backend'
import { keep } from './kept'
import { forgetOwn, noteOwn, ownOf } from '../local/ownItems'
import { myKey } from '../local/seats'
import type { Keeper, Kept, Seated, Watch, WatchHandlers } from '../local/store'
import { BackendError } from '../backend'

export class ServerKeeper<T, S> implements Keeper<T, S> {
  readonly isShared = true
  /** The server's clock, less ours, as far as it is known. */
  private ahead = -Infinity

  constructor(
    private readonly server: Backend,
    private readonly kind: 'games' | 'reviews',
  ) {}

  private read({ id, version, createdAt, updatedAt, data, writer }: Stored): Kept<T> {
    return { id, version, createdAt, updatedAt, data: data as T, writer }
  }

  async get(id: string): Promise<Kept<T> | undefined> {
    const asked = Date.now()
    const stored = await this.server.request('store.look', { kind: this.kind, id })
    // Without a line this is what was kept here, with the time of then.
    if (this.server.isReachable.value) this.setClock(stored.now, asked)
    // What is opened here is in the lists here.
    if (!ownOf(this.kind, id)) noteOwn(this.kind, id, {})
    return this.read(stored)
  }

  async summaries(limit: number, search: string): Promise<S[]> {
    return (await this.server.request('store.recent', { kind: this.kind, limit, ...(search && { search }) })) as S[]
  }

  async put({ id, version = 0, data }: Kept<T>, summary: S, isLast = false, seated: Seated = {}): Promise<Kept<T>> {
    const key = this.kind === 'games' ? myKey(id) : ''
    const body = { version, summary: summary as Record<string, unknown>, data: data as Record<string, unknown>, ...(key && { key }), ...seated }
    const asked = Date.now()
    const stored = await this.server.request('store.put', { kind: this.kind, id, body }, { isLast })
    this.setClock(stored.now, asked)
    noteOwn(this.kind, id, { at: Date.now(), summary: summary as object })
    void keep(this.place(id), stored)
    return this.read(stored)
  }

  private place(id: string): string {
    return `/store/${this.kind}/${id}`
  }

  /** A game by a link is forgotten here, and stays the other side's. */
  async remove(id: string): Promise<void> {
    try {
      await this.server.request('store.remove', { kind: this.kind, id })
    } catch (error) {
      if (!(error instanceof BackendError) || !['no_seat', 'not_found'].includes(error.code)) throw error
    }
    forgetOwn(this.kind, id)
  }

  watch(id: string, { onStored, onWatch, onSaid, onLink }: WatchHandlers<T>): Watch {
    const stream = this.server.open('store', { kind: this.kind, id }, {
      onMessage: (message) => {
        if (message.type === 'watch') onWatch(message.leads, message.watchers, message.here)
        else if (message.type === 'said') onSaid(message.said)
        else {
          this.setClock(message.value.now)
          void keep(this.place(id), message.value)
          onStored(this.read(message.value))
        }
      },
      onLink: (state, attempt) => {
        const key = state === 'online' && this.kind === 'games' ? myKey(id) : ''
        if (key) stream.send({ type: 'sit', key })
        onLink(state, attempt)
      },
    })
    return { sit: () => void stream.send({ type: 'sit', key: myKey(id) }), say: (said) => void stream.send({ type: 'say', said }), reconnectNow: () => stream.reconnectNow(), close: () => stream.close() }
  }

  /** A message may be late, by seconds where a line was lost: it shows that the server's clock is at least so far ahead. What was asked for shows both bounds. */
  private setClock(now: number, askedAt = -Infinity): void {
    this.ahead = Math.min(now - askedAt, Math.max(now - Date.now(), this.ahead))
  }

  readonly now = (): number => Date.now() + (this.ahead === -Infinity ? 0 : this.ahead)
}
