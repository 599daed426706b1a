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
  /** How the board lies before whoever looks at it; see `placeOf`. */
  turn: number
}

export function geometryOf(size: number, labelled: boolean, turn = 0): BoardGeometry {
  const margin = labelled ? MARGIN_LABELLED : MARGIN_PLAIN
  return { size, margin, side: (size - 1) * UNIT + 2 * margin, turn }
}

/**
 * Where a cell lies, as the cell of a board that lies as usual: mirrored from left to right if `turn` is 4 or more,
 * then turned clockwise by as many quarters.
 */
export function placeOf(cell: number, size: number, turn: number): number {
  let [row, col] = [Math.floor(cell / size), cell % size]
  if (turn >= 4) col = size - 1 - col
  for (let quarters = turn % 4; quarters > 0; quarters--) [row, col] = [col, size - 1 - row]
  return row * size + col
}

/** The cell that lies at a place: `placeOf` backwards. */
export function cellIn(place: number, size: number, turn: number): number {
  const back = turn >= 4 ? turn : (4 - turn) % 4
  return placeOf(place, size, back)
}

/** The turn after another quarter, or with left and right exchanged as they are seen. */
export function turned(turn: number, how: 'rotate' | 'flip'): number {
  if (how === 'rotate') return Math.floor(turn / 4) * 4 + ((turn + 1) % 4)
  return turn >= 4 ? (8 - turn) % 4 : 4 + ((4 - turn) % 4)
}

export function xOf(cell: number, g: BoardGeometry): number {
  return g.margin + (placeOf(cell, g.size, g.turn) % g.size) * UNIT
}

export function yOf(cell: number, g: BoardGeometry): number {
  return g.margin + Math.floor(placeOf(cell, g.size, g.turn) / g.size) * UNIT
}

/** The cell nearest to a point in board units, or null outside of the outermost half cell. */
export function cellAt(x: number, y: number, g: BoardGeometry): number | null {
  const col = Math.round((x - g.margin) / UNIT)
  const row = Math.round((y - g.margin) / UNIT)
  return col >= 0 && col < g.size && row >= 0 && row < g.size ? cellIn(row * g.size + col, g.size, g.turn) : null
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

/** The next cell of the keyboard cursor, as the board lies; it stops at the edge. Null for other keys. */
export function moveCursor(cell: number, key: string, size: number, turn = 0): number | null {
  const next = nextPlace(placeOf(cell, size, turn), key, size)
  return next === null ? null : cellIn(next, size, turn)
}

function nextPlace(cell: number, key: string, size: number): number | null {
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
