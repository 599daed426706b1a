/**
 * What is this browser's of what a server keeps: the games and reviews that were made or played here, and the seats of
 * games by a link. Each is an entry of its own, so that all tabs see the same.
 */

import { newId } from './store'

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
const SEAT = 'wuzi.seat.'
const place = (kind: Kind, id: string): string => `${PREFIX}${kind}.${id}`

/** What was kept where the browser keeps nothing: it lasts as long as the page. */
const here = new Map<string, string>()

function read(store: () => Storage, name: string): string | null {
  try {
    return store().getItem(name)
  } catch {
    return here.get(name) ?? null
  }
}

function write(store: () => Storage, name: string, text: string | null): void {
  try {
    if (text === null) store().removeItem(name)
    else store().setItem(name, text)
  } catch {
    if (text === null) here.delete(name)
    else here.set(name, text)
  }
}

const local = (): Storage => localStorage
const session = (): Storage => sessionStorage

export function ownOf(kind: Kind, id: string): Own | null {
  const text = read(local, place(kind, id))
  return text === null ? null : (JSON.parse(text) as Own)
}

function names(): string[] {
  try {
    return Object.keys(localStorage)
  } catch {
    return [...here.keys()]
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
  write(local, place(kind, id), JSON.stringify({ at: Date.now(), summary: null, ...before, ...more }))
  if (before) return
  const all = allOwn(kind).sort((a, b) => Number(b[1].keys !== undefined) - Number(a[1].keys !== undefined) || b[1].at - a[1].at)
  for (const [old] of all.slice(MOST)) forgetOwn(kind, old)
}

export function forgetOwn(kind: Kind, id: string): void {
  write(local, place(kind, id), null)
}

/** The seat of this tab in a game by a link; two tabs of a browser may have both. */
export function mySeat(id: string): SeatNumber | null {
  const own = ownOf('games', id)
  if (!own?.keys) return null
  const chosen = read(session, SEAT + id)
  return chosen === null ? (own.seat ?? null) : (Number(chosen) as SeatNumber)
}

/** The key with which this tab writes; empty for none. */
export function myKey(id: string): string {
  const seat = mySeat(id)
  return seat === null ? '' : ownOf('games', id)!.keys![seat]
}

/** Sits down: from now on this tab plays that seat. */
export function sit(id: string, seat: SeatNumber, keys: [string, string]): void {
  const known = ownOf('games', id)?.keys ?? ['', '']
  noteOwn('games', id, { at: Date.now(), seat, keys: [keys[0] || known[0], keys[1] || known[1]] })
  write(session, SEAT + id, String(seat))
}

/** 120 bits of chance. */
export const newKey = (): string => newId() + newId()

/** The part of a link that gives a seat. */
export const seatMark = (seat: SeatNumber, key: string): string => `#${seat}-${key}`

export function readMark(mark: string): { seat: SeatNumber; key: string } | null {
  const [, seat, key] = /^#([01])-([a-z2-7]{24})$/.exec(mark) ?? []
  return key ? { seat: Number(seat) as SeatNumber, key } : null
}
