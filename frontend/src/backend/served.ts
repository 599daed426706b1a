/** The page of a server: its own games and reviews, kept there, and the engines there; until they are compiled its own engine. */

import type { Engine, Operation, Operations, Topic, Version } from '@/wire'
import { type Backend, BackendError, type RequestOptions, type Said, type Stream, type StreamHandlers } from './backend'
import type { LocalDesk } from './local/local'
import { allOwn, type Kind, noteOwn, ownOf } from './local/ownItems'
import type { Topics } from '@/wire'

const FACTS = 'api/v1/data/facts'
/** Set where an earlier page kept games in the browser that it began while the server compiled. */
const EARLIER = 'wuzi.here'
/** Set when the games and reviews that were opened before lists were this browser's own are in them. */
const ADOPTED = 'wuzi.mine'
/** What the page itself does; lists and what a server alone has are asked for there. */
const OWN = /^(games|play|positions|proofs|reviews|puzzles)\.|^(system\.probe|records\.(import_game|export|collection)|analysis\.(analyze|balance|layers))$/
const OWN_TOPICS: Topic[] = ['games', 'reviews', 'analysis']

type Answered = <O extends Operation>(operation: O, asks: Operations[O]['asks']) => Promise<Operations[O]['answer']> | undefined

export interface Served extends Backend {
  /** From now on the browser's own engine answers; fails where it cannot. */
  playHere: () => Promise<void>
  /** From now on the server's engines, which are returned, do; fails while it has none. */
  handOver: () => Promise<Engine[]>
  /** What is answered on the page's own thread, where it knows; undefined for all else. */
  instant: Answered
}

export function served(server: Backend): Served {
  let playsHere = false
  let opening: Promise<LocalDesk> | null = null
  let version: Promise<Version> | null = null

  /** The page's own part, made when something first needs it. */
  function desk(): Promise<LocalDesk> {
    opening ??= open()
    opening.catch(() => (opening = null))
    return opening
  }

  async function open(): Promise<LocalDesk> {
    const { openDesk } = await import('./local/local')
    const made = await openDesk(FACTS, server)
    if (localStorage.getItem(EARLIER)) void made.moveIn(server).then(() => localStorage.removeItem(EARLIER), () => undefined)
    if (!playsHere) {
      made.handOver()
      void server.request('system.engines').then((engines) => made.know(engines), () => undefined)
    }
    return made
  }

  /** Once: what was opened here before lists were this browser's own. */
  async function adopt(): Promise<void> {
    try {
      if (localStorage.getItem(ADOPTED)) return
      localStorage.setItem(ADOPTED, '1')
      if ('caches' in window && (await caches.keys()).length) await (await import('./remote/adopt')).adoptKept()
    } catch {
      // Lists begin empty.
    }
  }

  /** What lists show: this browser's own, or of a server that only shows all that it has. */
  async function recent(kind: Kind, asks: { limit?: number; search?: string }): Promise<object[]> {
    version ??= server.request('system.version')
    version.catch(() => (version = null))
    if (!(await version).can.includes('play')) return server.request('store.recent', { kind, ...asks })
    await adopt()
    const own = allOwn(kind)
    if (!own.length) return []
    try {
      const found = await server.request('store.recent', { kind, ...asks, ids: own.map(([id]) => id).join(',') }, { fresh: true })
      for (const one of found as { id?: string }[]) if (one.id && ownOf(kind, one.id)) noteOwn(kind, one.id, { summary: one })
      return found
    } catch (error) {
      if (!(error instanceof BackendError) || !error.isNetwork) throw error
      return own.flatMap(([, { summary }]) => (summary ? [summary] : [])).slice(0, asks.limit)
    }
  }

  async function request<O extends Operation>(operation: O, asks: Operations[O]['asks'], options?: RequestOptions): Promise<Operations[O]['answer']> {
    const known = made.instant(operation, asks)
    if (known) return known
    if (operation === 'games.recent' || operation === 'reviews.recent') {
      return (await recent(operation === 'games.recent' ? 'games' : 'reviews', asks as { limit?: number; search?: string })) as Operations[O]['answer']
    }
    if (OWN.test(operation) || (playsHere && operation === 'system.engines')) {
      const { answered } = await import('./instant')
      return answered((await desk()).answers, operation, asks)
    }
    const answer = await (server.request as typeof request)(operation, asks, options)
    if (operation === 'system.engines') void opening?.then((one) => one.know(answer as Engine[]), () => undefined)
    return answer
  }

  function follow<T extends Topic>(topic: T, asks: Topics[T]['asks'], handlers: StreamHandlers<Said<T>>): Stream<T> {
    if (!OWN_TOPICS.includes(topic)) return server.open(topic, asks, handlers)
    let stream: Stream<T> | null = null
    let isClosed = false
    void Promise.all([desk(), import('./local/local')]).then(
      ([found, { openStream }]) => {
        if (!isClosed) stream = openStream(found, topic, asks, handlers)
      },
      () => handlers.onLink?.('lost', 1),
    )
    const close = (): void => {
      isClosed = true
      stream?.close()
    }
    return { send: (message) => stream?.send(message) ?? false, reconnectNow: () => stream?.reconnectNow(), close }
  }

  const made: Served = {
    isReachable: server.isReachable,
    request: request as Backend['request'],
    open: follow,
    download: (operation, asks, version) => server.download(operation, asks, version),
    formats: () => server.formats(),
    isKept: async (operation, asks) => {
      if (operation !== 'games.look' && operation !== 'reviews.look') return server.isKept(operation, asks)
      return server.isKept('store.look', { kind: operation === 'games.look' ? 'games' : 'reviews', ...(asks as { id: string }) })
    },
    playHere: async () => {
      playsHere = true
      try {
        ;(await desk()).takeBack()
      } catch (error) {
        playsHere = false
        throw error
      }
    },
    handOver: async () => {
      const engines = await server.request('system.engines')
      if (!engines.length) throw new BackendError('engine_busy', 503, 'no engines yet')
      playsHere = false
      const one = await desk()
      one.know(engines)
      one.handOver()
      return engines
    },
    instant: () => undefined,
  }
  return made
}
