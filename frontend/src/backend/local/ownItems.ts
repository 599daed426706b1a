/**
 * What is this browser's of what a server keeps: the games and reviews that were made, played or opened here, and the seats of
 * games by a link. Each is an entry of its own, so that all tabs see the same.
 */

export type Kind = 'games' | 'reviews'
export type SeatNumber = 0 | 1

export interface Own {
  /** Milliseconds since 1970 of the last change from here. */
  at: number
  /** What lists show. */
  summary: object | null
  /** By seat, of a game by a link; empty where only the other side has it. */
  keys?: [string, string]
  seat?: SeatNumber
}

const MOST = 300
const PREFIX = 'wuzi.mine.'
const place = (kind: Kind, id: string): string => `${PREFIX}${kind}.${id}`

/** Where the browser keeps nothing, nothing is remembered. */
function write(name: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(name)
    else localStorage.setItem(name, text)
  } catch {
    // A private window: who closes it has no list.
  }
}

export function ownOf(kind: Kind, id: string): Own | null {
  try {
    return JSON.parse(localStorage.getItem(place(kind, id)) ?? 'null') as Own | null
  } catch {
    return null
  }
}

function names(): string[] {
  try {
    return Object.keys(localStorage)
  } catch {
    return []
  }
}

/** The latest change first. */
export function allOwn(kind: Kind): [id: string, own: Own][] {
  const begin = `${PREFIX}${kind}.`
  const ids = names().filter((name) => name.startsWith(begin)).map((name) => name.slice(begin.length))
  return ids.map((id): [string, Own] => [id, ownOf(kind, id)!]).sort((a, b) => b[1].at - a[1].at)
}

/** Notes what this browser has done with something; the oldest make room, seats last. */
export function noteOwn(kind: Kind, id: string, more: Partial<Own>): void {
  const before = ownOf(kind, id)
  write(place(kind, id), JSON.stringify({ at: Date.now(), summary: null, ...before, ...more }))
  if (before) return
  const all = allOwn(kind).sort((a, b) => Number(b[1].keys !== undefined) - Number(a[1].keys !== undefined) || b[1].at - a[1].at)
  for (const [old] of all.slice(MOST)) forgetOwn(kind, old)
}

export function forgetOwn(kind: Kind, id: string): void {
  write(place(kind, id), null)
}
