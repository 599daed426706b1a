import { other } from '@/game/color'
import type { Line } from '@/game/line'
import type { ReviewMove, Win } from '@/wire'

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

/** The forced win that the mover had, and that the move let go or may have let go. */
const winBefore = ({ missed, openWin }: ReviewMove): Win | null => missed ?? openWin

/** What would have been better than a bad move; null for others, and where nothing was. */
export function betterThan(move: ReviewMove): string | null {
  const found = winBefore(move)?.moves[0] ?? move.defence ?? move.best[0] ?? null
  return isBad(move) && found !== move.move ? found : null
}

/** The lines that can be looked at beside a move, with the name of their text below `review`. */
export function linesOf(move: ReviewMove): { key: string; line: Line }[] {
  const { ply, color, loses, defence, best } = move
  const win = winBefore(move)
  const found: { key: string; line: Line }[] = []
  if (win) found.push({ key: 'missedLine', line: { from: ply, color, moves: win.moves } })
  else if (isBad(move) && best.length && best[0] !== move.move) found.push({ key: 'betterLine', line: { from: ply, color, moves: best } })
  if (loses) found.push({ key: 'allowedLine', line: { from: ply + 1, color: other(color), moves: loses.moves } })
  if (defence && !win && best[0] !== defence) found.push({ key: 'defenceLine', line: { from: ply, color, moves: [defence] } })
  return found
}
