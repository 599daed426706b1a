/** Board units: the distance of two lines is UNIT; the viewBox starts at the outer edge of the wood. */

export const UNIT = 40
/** From the edge of the wood to the first line, without and with coordinates. */
const MARGIN_PLAIN = 26
const MARGIN_LABELLED = 40

export interface BoardGeometry {
  size: number
  margin: number
  /** Side of the square viewBox. */
  side: number
}

export function geometryOf(size: number, labelled: boolean): BoardGeometry {
  const margin = labelled ? MARGIN_LABELLED : MARGIN_PLAIN
  return { size, margin, side: (size - 1) * UNIT + 2 * margin }
}

export function xOf(cell: number, g: BoardGeometry): number {
  return g.margin + (cell % g.size) * UNIT
}

export function yOf(cell: number, g: BoardGeometry): number {
  return g.margin + Math.floor(cell / g.size) * UNIT
}

/** The cell nearest to a point in board units, or null outside of the outermost half cell. */
export function cellAt(x: number, y: number, g: BoardGeometry): number | null {
  const col = Math.round((x - g.margin) / UNIT)
  const row = Math.round((y - g.margin) / UNIT)
  return col >= 0 && col < g.size && row >= 0 && row < g.size ? row * g.size + col : null
}

/** The usual star points: 3-3 below 13 lines, 4-4 from there on; the centre when there is one. */
export function starPoints(size: number): number[] {
  if (size < 7) return size % 2 ? [((size * size) / 2) | 0] : []
  const edge = size < 13 ? 2 : 3
  const lines = [edge, size - 1 - edge]
  const points = lines.flatMap((row) => lines.map((col) => row * size + col))
  if (size % 2) points.push(((size * size) / 2) | 0)
  return points.sort((a, b) => a - b)
}

/** The next cell of the keyboard cursor; it stops at the edge. Null for other keys. */
export function moveCursor(cell: number, key: string, size: number): number | null {
  const row = Math.floor(cell / size)
  const col = cell % size
  switch (key) {
    case 'ArrowUp':
      return row > 0 ? cell - size : cell
    case 'ArrowDown':
      return row < size - 1 ? cell + size : cell
    case 'ArrowLeft':
      return col > 0 ? cell - 1 : cell
    case 'ArrowRight':
      return col < size - 1 ? cell + 1 : cell
    case 'Home':
      return row * size
    case 'End':
      return row * size + size - 1
    case 'PageUp':
      return col
    case 'PageDown':
      return (size - 1) * size + col
    default:
      return null
  }
}
