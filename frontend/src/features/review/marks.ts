import { other } from '@/game/color'
import type { Line } from '@/game/line'
import type { ReviewMove } from '@/wire'

const SYMBOLS = { good: '', inaccuracy: '?!', mistake: '?', blunder: '??' } as const

/** What stands behind a move: ?!, ?, ??, or □ for the only defence, found. */
export function symbolOf(move: ReviewMove): string {
  if (move.mark && move.mark !== 'good') return SYMBOLS[move.mark]
  return move.only !== null && move.only === move.move ? '□' : ''
}

/** Whether the move lost something. */
export function isBad(move: ReviewMove): boolean {
  return move.mark !== null && move.mark !== 'good'
}

/** What would have been better than a bad move; null for others, and where nothing was. */
export function betterThan(move: ReviewMove): string | null {
  const found = move.missed?.moves[0] ?? move.defence ?? move.best[0] ?? null
  return isBad(move) && found !== move.move ? found : null
}

/** The lines that can be looked at beside a move, with the name of their text below `review`. */
export function linesOf(move: ReviewMove): { key: string; line: Line }[] {
  const { ply, color, missed, allowed, defence, best } = move
  const found: { key: string; line: Line }[] = []
  if (missed) found.push({ key: 'missedLine', line: { from: ply, color, moves: missed.moves } })
  else if (isBad(move) && best.length && best[0] !== move.move) found.push({ key: 'betterLine', line: { from: ply, color, moves: best } })
  if (allowed) found.push({ key: 'allowedLine', line: { from: ply + 1, color: other(color), moves: allowed.moves } })
  if (defence && !missed && best[0] !== defence) found.push({ key: 'defenceLine', line: { from: ply, color, moves: [defence] } })
  return found
}
