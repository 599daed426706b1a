/** The page's only way to whatever plays, searches and stores; nothing else may fetch or open a socket. */

import { SITE_FACTS } from '@/host'
import type { Backend } from './backend'
import type { Engine, Operations } from '@/wire'
import { ownOf } from './local/ownItems'
import { server } from './remote/server'
import { served } from './served'

export * from './backend'
export { effort } from './effort'
export { type Kept, newId, Shelf } from './local/store'

/** Whether a server keeps what the page shows, so that others can see it too. */
export const isServed = SITE_FACTS === null

const withServer = served(server)

/** Whether this browser has a side in a game by a link. */
export const hasSeat = (game: string): boolean => ownOf('games', game)?.seat !== undefined

/** The server, or on a static site what works in the browser; chosen once, before the page is shown. */
export let backend: Backend = withServer

export async function chooseBackend(): Promise<void> {
  if (SITE_FACTS !== null) backend = await (await import('./local/local')).openLocal(SITE_FACTS)
}

/** Until the server's engines are ready the browser's own engine plays and analyses; fails where it cannot. */
export const playHere = (): Promise<void> => withServer.playHere()

/** From now on the server's engines do, which are returned. */
export const handOver = (): Promise<Engine[]> => withServer.handOver()

/** The kernels' WebAssembly; the code that knows its address is loaded when somebody asks. */
export async function fetchModule(): Promise<BufferSource> {
  return (await import('./module')).fetchModule()
}

/** The text of a file, whatever its charset, or in a given one; the tables of charsets are loaded when somebody asks. */
export async function textOfFile(file: File, charset = ''): Promise<string> {
  const known = await import('./local/charset')
  return charset ? known.decode(new Uint8Array(await file.arrayBuffer()), charset).text : known.textOfFile(file)
}

/** From now on the kernels that the page has loaded look at boards; everything else stays with the server. */
export async function answerHere(): Promise<void> {
  const { answered, besideServer } = await import('./instant')
  const instant = besideServer(server)
  withServer.instant = (operation, asks) => (operation in instant ? answered(instant, operation, asks) : undefined)
}

/** Those of some things that can be shown while nobody can be asked. */
export async function onlyKept<T extends { id: string }>(look: 'games.look' | 'reviews.look', all: readonly T[]): Promise<T[]> {
  const found = await Promise.all(all.map(({ id }) => backend.isKept(look, { id } satisfies Operations[typeof look]['asks'])))
  return all.filter((_, i) => found[i])
}
