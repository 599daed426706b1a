/** The seats of this browser in games by a link: their keys, and the part of a link that gives one. */

import { noteOwn, ownOf, type SeatNumber } from './ownItems'
import { newId } from './store'

const SEAT = 'wuzi.seat.'
/** The seats of this tab. */
const chosen = new Map<string, string>()

function remembered(id: string): string | null {
  try {
    return sessionStorage.getItem(SEAT + id)
  } catch {
    return chosen.get(id) ?? null
  }
}

/** The seat of this tab in a game by a link; two tabs of a browser may have both. */
export function mySeat(id: string): SeatNumber | null {
  const own = ownOf('games', id)
  if (!own?.keys) return null
  const here = remembered(id)
  return here === null ? (own.seat ?? null) : (Number(here) as SeatNumber)
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
  try {
    sessionStorage.setItem(SEAT + id, String(seat))
  } catch {
    chosen.set(id, String(seat))
  }
}

/** 120 bits of chance. */
export const newKey = (): string => newId() + newId()

/** The part of a link that gives a seat. */
export const seatMark = (seat: SeatNumber, key: string): string => `#${seat}-${key}`

export function readMark(mark: string): { seat: SeatNumber; key: string } | null {
  const [, seat, key] = /^#([01])-([a-z2-7]{24})$/.exec(mark) ?? []
  return key ? { seat: Number(seat) as SeatNumber, key } : null
}
