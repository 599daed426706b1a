/** Games as the page sees them: the server's messages, made here. */

import { formatCell } from '@/game/notation'
import { letterOf, type Position } from '@/wasm/rulebook'
import type { Engine, Forbidden, GameState, GameSummary, LocalText, Outcome, Position as WirePosition, Seat, SearchStatus } from '@/wire'
import type { Game } from '@/backend/engine/game'
import { HUMAN_NAME, type Session } from './session'

const named = (cells: readonly number[], size: number): string[] => cells.map((cell) => formatCell(cell, size))

export const timeText = (ms: number): string => new Date(ms).toISOString()

export function forbiddenOut(position: Position): Forbidden[] {
  if (position.end) return []
  return position.forbidden.map((cell) => ({ move: formatCell(cell, position.rules.size), kind: position.forbiddenKind(cell)! }))
}

export function outcomeOut(game: Game): Outcome | null {
  const { end, moves, actions } = game
  if (!end) return null
  const foul = end.reason === 'forbidden' && moves.length ? game.at(actions.length - 1).position.forbiddenKind(moves.at(-1)!) : null
  return { winner: end.winner && letterOf(end.winner), reason: end.reason, forbiddenKind: foul }
}

/** What to call an opponent: one of the list, a net of a training run, or one that is there no more. */
function engineName(id: string, engines: Engine[]): LocalText {
  const found = engines.find((one) => one.id === id)
  const [, run, net] = /^run\/([^/]+)\/(.+)$/.exec(id) ?? []
  if (found || !run || !net) return found?.name ?? { en: id, zh: id }
  const games = /-g(\d+)(?:-|$)/.exec(net)?.[1]
  return games ? { en: `${run} after ${games} games`, zh: `${run}（${games} 局后）` } : { en: `${net} (${run})`, zh: `${net}（${run}）` }
}

function seatsOut(session: Session, engines: Engine[]): [Seat, Seat] {
  return session.seats.map(({ kind, engine, level, name, ponders = false }, seat) => ({
    kind,
    engine,
    level,
    name: kind === 'human' ? (name ? { en: name, zh: name } : HUMAN_NAME) : engineName(engine!, engines),
    isUnnamed: kind === 'human' && !name,
    ponders,
    color: letterOf(session.game.sideOfSeat(seat)),
  })) as [Seat, Seat]
}

export function summaryOf(id: string, session: Session, engines: Engine[], updatedAt: number): GameSummary {
  const { game } = session
  const { size, winLength, rule, opening } = game.rules
  return { id, name: session.name, rules: { size, winLength, rule, opening }, seats: seatsOut(session, engines), ply: game.ply, outcome: outcomeOut(game), updatedAt: timeText(updatedAt) }
}

/** Everything a board needs to show. */
export function stateOf(about: { id: string; createdAt: number; updatedAt: number; here?: number[]; foul?: string | null; unsent?: boolean }, session: Session, engines: Engine[], thinking: SearchStatus | null, elapsedS: number): GameState {
  const { game } = session
  const { position } = game
  const { size } = game.rules
  const clocks = session.clocks.map((clock, seat) => {
    const running = session.timedSeat === seat
    return clock && { leftS: Number(Math.max(0, clock.leftS - (running ? elapsedS : 0)).toFixed(2)), incrementS: clock.incrementS, moveS: clock.moveS ?? null, running }
  })
  return {
    ...summaryOf(about.id, session, engines, about.updatedAt),
    seats: seatsOut(session, engines).map((seat, i) => ({ ...seat, isMe: session.between !== null && session.me === i })) as [Seat, Seat],
    seq: session.seq,
    paceS: session.paceS,
    createdAt: timeText(about.createdAt),
    phase: game.phase,
    seatToAct: game.seatToAct,
    toMove: letterOf(game.toMove),
    toPlace: game.toPlace.map(letterOf),
    moves: named(game.moves, size),
    cells: position.text,
    lastMove: position.lastMove === null ? null : formatCell(position.lastMove, size),
    winningLines: position.winningLines.map((row) => named(row, size)),
    forbidden: game.end ? [] : forbiddenOut(position),
    thinking,
    paused: session.paused,
    engineError: session.failure,
    winrate: session.winrate,
    winrates: session.knownWinrates,
    canUndo: session.canUndo,
    canRedo: session.canRedo,
    positionCode: named(game.moves, size).join(''),
    clocks,
    byLink: session.between && { ...session.between, seat: session.me as 0 | 1 | null, here: about.here ?? [], foul: about.foul ?? null, unsent: about.unsent ?? false },
  }
}

/** A position as `positions.look` answers. */
export function positionOut(game: Game): WirePosition {
  const { position, moves } = game
  const { size } = game.rules
  return {
    cells: position.text,
    toMove: letterOf(position.toMove),
    ply: position.ply,
    legal: position.legalMoves.length,
    forbidden: forbiddenOut(position),
    outcome: outcomeOut(game),
    winningLines: position.winningLines.map((row) => named(row, size)),
    positionCode: named(moves, size).join(''),
    threats: null,
  }
}
