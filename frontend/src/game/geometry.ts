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

/** The dots that guide the eye: four and the middle, nine on large odd boards. `records.svg` draws the same. */
export function starPoints(size: number): number[] {
  const middle = Math.floor(size / 2)
  if (size < 7) return size % 2 ? [middle * size + middle] : []
  const edge = size < 12 ? 2 : 3
  const lines = [edge, size - 1 - edge]
  const points = lines.flatMap((row) => lines.map((col) => [row, col] as const))
  if (size % 2) points.push([middle, middle])
  if (size % 2 && size >= 17)
    points.push(
      ...lines.flatMap(
        (line) =>
          [
            [line, middle],
            [middle, line],
          ] as const,
      ),
    )
  return points.map(([row, col]) => row * size + col).sort((a, b) => a - b)
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
