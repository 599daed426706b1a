/**
 * What the server has told, kept for the times when it cannot be asked: games and reviews that were opened, and the
 * lists. Browsers have this store on https and on the own machine only; elsewhere nothing is kept.
 */

const STORE = 'wuzi-kept-3'
const MOST = 300
const KEPT = /^\/(version|engines|nets|puzzles|store\/(games|reviews)\/[\w.-]+$)/

const address = (path: string): string => `/kept${path}`

async function open(): Promise<Cache | null> {
  return 'caches' in window ? await caches.open(STORE) : null
}

/** Keeps an answer, if it is one to keep; the oldest ones make room. */
export async function keep(path: string, answer: unknown): Promise<void> {
  if (!KEPT.test(path)) return
  try {
    const store = await open()
    await store?.put(address(path), new Response(JSON.stringify(answer)))
    const all = (await store?.keys()) ?? []
    for (const old of all.slice(0, Math.max(0, all.length - MOST))) await store?.delete(old)
  } catch {
    // A full disk or a private window only means that less can be seen offline.
  }
}

/** The newest kept answer, or undefined. */
export async function kept<T>(path: string): Promise<T | undefined> {
  try {
    const found = await (await open())?.match(address(path))
    return found ? ((await found.json()) as T) : undefined
  } catch {
    return undefined
  }
}

/** The text of an answer that is kept whatever it is: what the page's own part needs to open without its server. */
export async function keptText(path: string, get: () => Promise<string>): Promise<string> {
  try {
    const text = await get()
    void (await open().catch(() => null))?.put(address(path), new Response(text)).catch(() => undefined)
    return text
  } catch (error) {
    const found = await (await open().catch(() => null))?.match(address(path))
    if (!found) throw error
    return found.text()
  }
}

/** The addresses of all that is kept. */
export async function keptUrls(): Promise<string[]> {
  return ((await (await open())?.keys()) ?? []).map(({ url }) => url)
}

/** Forgets what was removed on the server. */
export async function forget(path: string): Promise<void> {
  try {
    await (await open())?.delete(address(path))
  } catch {
    // It is in no list any more.
  }
}
