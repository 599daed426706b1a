import type { Color } from '@/wire'
import { OPPONENT } from './facts'

export function other(color: Color): Color {
  return OPPONENT[color]
}

/** Whose the stones of a line are: both sides' in turn. */
export function inTurn<T>(first: Color, moves: readonly T[]): { move: T; color: Color }[] {
  let color = other(first)
  return moves.map((move) => ({ move, color: (color = other(color)) }))
}

/** The chance of `side`, from Black's. */
export function chanceOf(black: number, side: Color): number {
  return side === 'B' ? black : 1 - black
}
