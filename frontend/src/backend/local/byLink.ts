/** A game between two people who each have a link: what they ask of each other, and what one's page takes from the other's. */

import { opponentOf, RuleError } from '@/wasm/rulebook'
import type { Game } from '../engine/game'
import type { SeatClock } from '../engine/asks'
import type { Session } from './session'

export type OfferKind = 'undo' | 'draw' | 'rematch'

/** What one of the two asks the other. */
export interface Offer {
  kind: OfferKind
  seat: number
  /** Of a takeback: so many actions would be left. */
  to?: number
}

/** What a session has beside the game. */
export interface Between {
  offer: Offer | null
  /** The clocks stand until both are here. */
  stands: boolean
  /** The game after this one. */
  next: string | null
}

export const newBetween = (): Between => ({ offer: null, stands: true, next: null })

/** Seconds that a line and two clocks may differ by. */
const SLACK_S = 5

/** Why something cannot be asked now; null if it can. */
export function offerProblem({ game, between, ownActors }: Session, kind: OfferKind, seat: number): string | null {
  if (!between) return 'nobody is asked in this game'
  if (kind === 'rematch') return game.end && !between.next ? null : 'a rematch comes after the game'
  if (game.end) return 'the game is over'
  if (kind === 'draw') return game.phase === 'play' ? null : 'not during the opening'
  return ownActors.includes(seat) ? null : 'nothing to take back'
}

/** Asks the other side; where it has asked the same, that is agreed. True then. */
export function offer(session: Session, kind: OfferKind, seat: number): boolean {
  const problem = offerProblem(session, kind, seat)
  if (problem) throw new RuleError('not_allowed_now', problem)
  const between = session.between!
  if (between.offer?.kind === kind && between.offer.seat !== seat) return true
  between.offer = { kind, seat, ...(kind === 'undo' && { to: session.ownActors.lastIndexOf(seat) }) }
  session.seq += 1
  return false
}

/** What is wrong with a change that the other seat has made; null if nothing. `usedS`: seconds since the turn began. */
export function changeProblem(before: Session, after: Session, writer: number, usedS: number): string | null {
  const [old, now] = [before.game, after.game]
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
  if (!same(old.rules, now.rules) || !same(old.at(0).position.text, now.at(0).position.text)) return 'the rules have changed'
  if (!after.between || before.seats.some((seat, i) => seat.kind !== after.seats[i]!.kind || (i !== writer && seat.name !== after.seats[i]!.name))) return 'the seats have changed'
  const asked = before.between!.offer
  const agreed = asked && asked.seat !== writer ? asked : null
  const shared = old.actions.findIndex((action, i) => !same(action, now.actions[i]))
  if (shared >= 0) {
    const isTaken = agreed?.kind === 'undo' && now.actions.length === agreed.to && same(old.actions.slice(0, agreed.to), now.actions)
    if (!isTaken) return 'moves were taken back that nobody gave back'
  }
  for (let count = old.actions.length; count < now.actions.length; count++) if (now.at(count).seatToAct !== writer) return 'a move was made for the other side'
  return endProblem(old, now, writer, agreed, before, usedS) ?? clockProblem(before, after, writer, usedS)
}

function endProblem(old: Game, now: Game, writer: number, agreed: Offer | null, before: Session, usedS: number): string | null {
  if (old.end) return now.end && JSON.stringify(old.end) === JSON.stringify(now.end) ? null : 'the result has changed'
  if (!now.end || now.end === now.position.end) return null
  const { reason, winner } = now.end
  if (reason === 'resignation') return winner === opponentOf(now.sideOfSeat(writer)) ? null : 'one side gave up for the other'
  if (reason === 'agreement') return agreed?.kind === 'draw' && winner === null ? null : 'nobody has offered a draw'
  const clock = before.isTimed(old.seatToAct) ? before.clocks[old.seatToAct] : null
  if (reason !== 'time' || !clock || winner !== opponentOf(old.sideOfSeat(old.seatToAct))) return 'a game does not end so'
  return writer === old.seatToAct || clock.leftS - usedS < SLACK_S ? null : 'there is time left'
}

/** A clock goes back by the time that was used, and forward by what a move adds. */
function clockProblem(before: Session, after: Session, writer: number, usedS: number): string | null {
  const { game, clocks } = before
  const left = (clock: SeatClock | null | undefined): number => clock?.leftS ?? 0
  for (const seat of [0, 1]) {
    const [was, is] = [clocks[seat], after.clocks[seat]]
    if (!was !== !is) return 'a clock has changed'
    if (!was || !is) continue
    if (was.incrementS !== is.incrementS || was.moveS !== is.moveS) return 'a clock has changed'
    const used = !game.end && seat === game.seatToAct && before.isTimed(seat) ? Math.max(0, usedS) : 0
    const made = after.game.actions.length - game.actions.length
    const most = was.moveS ? was.moveS : left(was) - (made < 0 || seat !== writer ? 0 : used) + was.incrementS * Math.max(1, Math.abs(made))
    if (left(is) > most + SLACK_S) return 'a clock has gained time'
    if (seat !== writer && left(is) < left(was) - used - was.incrementS * Math.max(0, -made) - SLACK_S) return 'the other clock has lost time'
  }
  return null
}
