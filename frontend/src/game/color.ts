import type { Color } from '@/wire'

export function other(color: Color): Color {
  return color === 'B' ? 'W' : 'B'
}

/** The chance of `side`, from Black's. */
export function chanceOf(black: number, side: Color): number {
  return side === 'B' ? black : 1 - black
}
