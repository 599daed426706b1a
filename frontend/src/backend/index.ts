/** The page's only way to whatever plays, searches and stores; nothing else may fetch or open a socket. */

import { SITE_FACTS } from '@/host'
import type { Backend, RequestOptions } from './backend'
import type { Operation, Operations } from '@/wire'
import { server } from './remote/server'

export * from './backend'

/** The server, or on a static site what works in the browser; chosen once, before the page is shown. */
export let backend: Backend = server

export async function chooseBackend(): Promise<void> {
  if (SITE_FACTS !== null) backend = await (await import('./local/local')).openLocal(SITE_FACTS)
}

/** The kernels' WebAssembly; the code that knows its address is loaded when somebody asks. */
export async function fetchModule(): Promise<BufferSource> {
  return (await import('./module')).fetchModule()
}

/** From now on the kernels that the page has loaded look at boards; everything else stays with the server. */
export async function answerHere(): Promise<void> {
  const { answered, besideServer } = await import('./instant')
  if (backend !== server) return
  const instant = besideServer(server)
  const request = <O extends Operation>(operation: O, asks: Operations[O]['asks'], options?: RequestOptions): Promise<Operations[O]['answer']> =>
    operation in instant ? answered(instant, operation, asks) : (server.request as typeof request)(operation, asks, options)
  backend = { ...server, request: request as Backend['request'] }
}

/** Those of some things that can be shown while nobody can be asked. */
export async function onlyKept<T extends { id: string }>(look: 'games.look' | 'reviews.look', all: readonly T[]): Promise<T[]> {
  const found = await Promise.all(all.map(({ id }) => backend.isKept(look, { id } satisfies Operations[typeof look]['asks'])))
  return all.filter((_, i) => found[i])
}
