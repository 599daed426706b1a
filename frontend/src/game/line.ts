import type { Color } from '@/wire'
import { other } from './color'
import { cellOf } from './notation'

/** Moves that are shown upon a position without being played. */
export interface Line {
  /** Moves of the game that are on the board. */
  from: number
  color: Color
  moves: readonly string[]
}

/** The stones after some moves of known colours, and a line upon them. */
export function stonesOf(
  start: string,
  played: readonly { move: string; color: Color }[],
  size: number,
  line: Line | null = null,
): string[] {
  const cells = start.split('')
  for (const { move, color } of played) cells[cellOf(move, size)] = color
  let color = line?.color
  for (const move of line?.moves ?? []) {
    cells[cellOf(move, size)] = color!
    color = other(color!)
  }
  return cells
}
