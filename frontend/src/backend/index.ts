/** The page's only way to whatever plays, searches and stores; nothing else may fetch or open a socket. */

import { SITE_FACTS } from '@/host'
import type { Backend } from './backend'
import type { Operations } from '@/wire'
import { server } from './remote/server'

export * from './backend'

/** The server, or on a static site what works in the browser; chosen once, before the page is shown. */
export let backend: Backend = server

export async function chooseBackend(): Promise<void> {
  if (SITE_FACTS !== null) backend = await (await import('./local/local')).openLocal(SITE_FACTS)
}

/** Those of some things that can be shown while nobody can be asked. */
export async function onlyKept<T extends { id: string }>(look: 'games.look' | 'reviews.look', all: readonly T[]): Promise<T[]> {
  const found = await Promise.all(all.map(({ id }) => backend.isKept(look, { id } satisfies Operations[typeof look]['asks'])))
  return all.filter((_, i) => found[i])
}
