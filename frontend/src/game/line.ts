import type { Color } from '@/wire'
import { inTurn } from './color'
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
  for (const { move, color } of [...played, ...(line ? inTurn(line.color, line.moves) : [])]) cells[cellOf(move, size)] = color
  return cells
}
