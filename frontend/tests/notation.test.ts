import { describe, expect, it } from 'vitest'
import { axisLabels, cellOf, displayCell, displayMove, formatCell, parseCell, parseCode } from '@/game/notation'

describe('cells as text', () => {
  it('names the corners and the centre as the server does', () => {
    expect(formatCell(7 * 15 + 7, 15)).toBe('h8')
    expect(formatCell(0, 15)).toBe('a15')
    expect(formatCell(14 * 15, 15)).toBe('a1')
    expect(displayCell(0, 15, 'matrix')).toBe('A1')
    expect(displayCell(8 * 9 + 2, 9, 'matrix')).toBe('I3')
  })

  it('reads back what it wrote, on every size and in both styles', () => {
    for (let size = 3; size <= 26; size++) {
      for (let cell = 0; cell < size * size; cell++) {
        expect(cellOf(formatCell(cell, size), size)).toBe(cell)
        for (const style of ['renju', 'matrix'] as const) {
          expect(parseCell(displayCell(cell, size, style), size, style)).toBe(cell)
        }
      }
    }
  })

  it.each(['', 'h', '8', 'h0', 'h16', 'p8', '15,0', '-1,3', 'h8x', '8h', 'h08'])('refuses %j on 15x15', (text) => {
    expect(parseCell(text, 15)).toBeNull()
  })

  it('accepts capitals, blanks and column,row from the top left', () => {
    expect(parseCell(' H8 ', 15)).toBe(112)
    expect(parseCell('7, 7', 15)).toBe(112)
    expect(parseCell('2,0', 9, 'matrix')).toBe(2)
  })

  it('shows a wire move in the chosen style', () => {
    expect(displayMove('a15', 15, 'matrix')).toBe('A1')
    expect(displayMove('h8', 15, 'renju')).toBe('H8')
  })
})

describe('position codes', () => {
  it('splits cells without separators', () => {
    expect(parseCode('h8h10a1', 15)).toEqual([112, 82, 210])
    expect(parseCode('', 15)).toEqual([])
    expect(parseCode('-', 15)).toEqual([])
  })

  it.each(['h8?', 'zz9', '8h', 'h8 i9'])('refuses %j', (code) => {
    expect(parseCode(code, 15)).toBeNull()
  })
})

it('labels the axes from the left and from the top', () => {
  const renju = axisLabels(15, 'renju')
  expect([renju.columns[0], renju.columns[14], renju.rows[0], renju.rows[14]]).toEqual(['A', 'O', '15', '1'])
  const matrix = axisLabels(9, 'matrix')
  expect([matrix.columns[0], matrix.rows[0], matrix.rows[8]]).toEqual(['1', 'A', 'I'])
})
