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
