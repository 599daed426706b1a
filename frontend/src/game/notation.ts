/** Text for cells. Index = row * size + column with row 0 at the top, as everywhere in wuzi. */

export type CoordinateStyle = 'renju' | 'matrix'

const RENJU = /^([a-z])([1-9][0-9]?)$/i
const GOMOCUP = /^(\d{1,2})\s*,\s*(\d{1,2})$/
/** A board has no more columns than there are letters. */
export const LETTERS = 26
const A = 'a'.charCodeAt(0)

/** ASCII for the full-width letters, digits and signs of Chinese and Japanese keyboards. */
export const narrow = (text: string): string =>
  text.replace(/[\uff01-\uff5e]/g, (char) => String.fromCharCode(char.charCodeAt(0) - 0xfee0)).replaceAll('\u3000', ' ')

/** `h8` (column from the left, row from the bottom): what goes over the wire. */
export function formatCell(cell: number, size: number): string {
  const row = Math.floor(cell / size)
  return String.fromCharCode(A + (cell % size)) + String(size - row)
}

/** The cell for people, in the coordinate style they chose: `H8`. */
export function displayCell(cell: number, size: number, style: CoordinateStyle): string {
  if (style === 'matrix') {
    return String.fromCharCode(A + Math.floor(cell / size)).toUpperCase() + String((cell % size) + 1)
  }
  return formatCell(cell, size).toUpperCase()
}

/** The cell that a typed text names, or null. `7,7` (column,row from the top left) works in every style. */
export function parseCell(text: string, size: number, style: CoordinateStyle = 'renju'): number | null {
  const trimmed = narrow(text).trim()
  let row = -1
  let col = -1
  const pair = GOMOCUP.exec(trimmed)
  const named = RENJU.exec(trimmed)
  if (pair) {
    col = Number(pair[1])
    row = Number(pair[2])
  } else if (named) {
    const letter = named[1]!.toLowerCase().charCodeAt(0) - A
    const number = Number(named[2])
    if (style === 'matrix') [row, col] = [letter, number - 1]
    else [row, col] = [size - number, letter]
  }
  return row >= 0 && row < size && col >= 0 && col < size ? row * size + col : null
}

/** Wire text to cell; the server never sends anything else. */
export function cellOf(move: string, size: number): number {
  const cell = parseCell(move, size)
  if (cell === null) throw new Error(`${move} is no cell of a ${size}x${size} board`)
  return cell
}

/** A move text from the wire, shown in the chosen style. */
export function displayMove(move: string, size: number, style: CoordinateStyle): string {
  const cell = parseCell(move, size)
  return cell === null ? move : displayCell(cell, size, style)
}

/** The cells of a position code (`h8h9i7`), or null when it is none. */
export function parseCode(code: string, size: number): number[] | null {
  if (code === '' || code === '-') return []
  const parts = code.match(/[a-z][1-9][0-9]?/gi)
  if (!parts || parts.join('') !== code) return null
  const cells = parts.map((part) => parseCell(part, size))
  return cells.some((cell) => cell === null) ? null : (cells as number[])
}

/** Column or row labels, from the left or from the top. */
export function axisLabels(size: number, style: CoordinateStyle): { columns: string[]; rows: string[] } {
  const letters = Array.from({ length: size }, (_, i) => String.fromCharCode(A + i).toUpperCase())
  const numbers = Array.from({ length: size }, (_, i) => String(i + 1))
  return style === 'matrix' ? { columns: numbers, rows: letters } : { columns: letters, rows: numbers.slice().reverse() }
}
