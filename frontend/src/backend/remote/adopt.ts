import { type Kind, noteOwn } from '../local/ownItems'
import { keptUrls } from './kept'

/** Earlier versions listed what the server had: what was opened in this browser stays in its lists. */
export async function adoptKept(): Promise<void> {
  for (const url of await keptUrls().catch(() => [])) {
    const [, kind, id] = /\/kept\/store\/(games|reviews)\/([\w.-]+)$/.exec(url) ?? []
    if (kind && id) noteOwn(kind as Kind, id, { at: 0 })
  }
}
