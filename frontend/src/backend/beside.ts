/**
 * Beside a server: until its engines are compiled the browser's own engine plays and analyses, and a game that was
 * begun here goes on here to its end.
 */

import type { Backend, FileOperation, RequestOptions, Said, Stream, StreamHandlers } from './backend'
import type { Engine, GameSummary, Operation, Operations, ReviewSummary, Topic, Topics } from '@/wire'

/** How the ids of games and reviews begin that are kept in the browser; those of a server never do. */
export const HERE = 'here.'
const FACTS = 'api/v1/data/facts'
/** Set where such games are kept, so that lists look for them. */
const FLAG = 'wuzi.here'
/** What needs engines: in the browser while the server has none. */
const ENGINES = new Set<Operation>([
  'system.engines',
  'system.probe',
  'games.create',
  'analysis.analyze',
  'analysis.balance',
  'analysis.layers',
  'reviews.create',
  'puzzles.attempt',
  'positions.look',
  'positions.look_at',
])
const THINGS = /^(games|play|reviews|records)\./
const LISTS = new Set<Operation>(['games.recent', 'reviews.recent'])

type Asked = { id?: string; limit?: number; body?: { gameId?: string | null } }
type Answered = <O extends Operation>(operation: O, asks: Operations[O]['asks']) => Promise<Operations[O]['answer']> | undefined

export interface Beside extends Backend {
  /** From now on the browser's engine answers; fails where it cannot. */
  playHere: () => Promise<void>
  /** From now on the server's engines, which are returned, answer, in streams that are open too; fails while it has none. */
  handOver: () => Promise<Engine[]>
  /** What is answered on the page's own thread, where it knows; undefined for all else. */
  instant: Answered
}

const isHere = (id: string | null | undefined): boolean => id?.startsWith(HERE) ?? false

export function beside(server: Backend): Beside {
  let playsHere = false
  let opening: Promise<Backend> | null = null
  let desk: Backend | null = null
  const movers = new Set<() => void>()

  function here(): Promise<Backend> {
    opening ??= import('./local/local').then(({ openLocal }) => openLocal(FACTS)).then((found) => (desk = found))
    opening.catch(() => (opening = null))
    return opening
  }

  /** Whether a request is the browser's: its games and reviews for ever, engines for the time being. */
  function isOwn(operation: Operation, { id, body }: Asked): boolean {
    const thing = body?.gameId ?? (THINGS.test(operation) ? id : undefined)
    return thing ? isHere(thing) : playsHere && ENGINES.has(operation)
  }

  async function request<O extends Operation>(operation: O, asks: Operations[O]['asks'], options?: RequestOptions): Promise<Operations[O]['answer']> {
    const ask = (of: Backend): Promise<Operations[O]['answer']> => (of.request as typeof request)(operation, asks, options)
    const known = made.instant(operation, asks)
    if (known) return known
    if (isOwn(operation, (asks ?? {}) as Asked)) {
      if (operation === 'games.create' || operation === 'reviews.create') localStorage.setItem(FLAG, '1')
      return ask(await here())
    }
    if (LISTS.has(operation) && localStorage.getItem(FLAG)) {
      const lists = (await Promise.all([ask(server), here().then(ask)])) as (GameSummary | ReviewSummary)[][]
      return newestFirst(lists.flat()).slice(0, (asks as Asked | undefined)?.limit) as Operations[O]['answer']
    }
    return ask(server)
  }

  function open<T extends Topic>(topic: T, asks: Topics[T]['asks'], handlers: StreamHandlers<Said<T>>): Stream<T> {
    if (isHere((asks as Asked).id)) return opened(here(), topic, asks, handlers)
    if (!playsHere || topic !== 'analysis') return server.open(topic, asks, handlers)
    let stream = opened(here(), topic, asks, handlers)
    const move = (): void => {
      stream.close()
      handlers.onLink?.('lost', 1)
      stream = server.open(topic, asks, handlers)
    }
    movers.add(move)
    const close = (): void => {
      movers.delete(move)
      stream.close()
    }
    return { send: (message) => stream.send(message), reconnectNow: () => stream.reconnectNow(), close }
  }

  /** Whose a file or a format is. */
  const of = (id: string | undefined): Backend => (isHere(id) ? (desk ?? server) : server)

  const made: Beside = {
    isReachable: server.isReachable,
    request: request as Backend['request'],
    open,
    download: <O extends FileOperation>(operation: O, asks: Operations[O]['asks'], version?: string) => of((asks as Asked).id).download(operation, asks, version),
    formats: (id) => of(id).formats(id),
    keep: async (operation, asks, answer) => (isHere((asks as Asked).id) ? undefined : server.keep(operation, asks, answer)),
    isKept: async (operation, asks) => isHere((asks as Asked).id) || server.isKept(operation, asks),
    playHere: async () => {
      await here()
      playsHere = true
    },
    handOver: async () => {
      const engines = await server.request('system.engines')
      playsHere = false
      for (const move of movers) move()
      movers.clear()
      return engines
    },
    instant: () => undefined,
  }
  return made
}

/** A stream of somebody who is not there yet. */
function opened<T extends Topic>(coming: Promise<Backend>, topic: T, asks: Topics[T]['asks'], handlers: StreamHandlers<Said<T>>): Stream<T> {
  let stream: Stream<T> | null = null
  let isClosed = false
  const connect = (from: Promise<Backend>): void =>
    void from.then(
      (found) => {
        if (!isClosed) stream = found.open(topic, asks, handlers)
      },
      () => handlers.onLink?.('lost', 1),
    )
  connect(coming)
  const close = (): void => {
    isClosed = true
    stream?.close()
  }
  return { send: (message) => stream?.send(message) ?? false, reconnectNow: () => stream?.reconnectNow(), close }
}

const timeOf = (one: GameSummary | ReviewSummary): string => ('updatedAt' in one ? one.updatedAt : one.createdAt)
const newestFirst = (all: (GameSummary | ReviewSummary)[]): (GameSummary | ReviewSummary)[] => all.sort((a, b) => Date.parse(timeOf(b)) - Date.parse(timeOf(a)))
