import { describe, expect, it } from 'vitest'
import { cellAt, cellIn, geometryOf, moveCursor, placeOf, starPoints, turned, UNIT, xOf, yOf } from '@/game/geometry'

describe('points and cells', () => {
  it.each([3, 6, 15, 20, 26])('finds each cell of a %i board at its own point and anywhere near it', (size) => {
    for (const labelled of [true, false]) {
      const g = geometryOf(size, labelled)
      for (let cell = 0; cell < size * size; cell++) {
        for (const off of [-0.49 * UNIT, 0, 0.49 * UNIT]) {
          expect(cellAt(xOf(cell, g) + off, yOf(cell, g) - off, g)).toBe(cell)
        }
      }
      expect(xOf(size - 1, g)).toBeLessThan(g.side)
    }
  })

  it('finds nothing outside of the outermost half cell', () => {
    const g = geometryOf(15, true)
    expect(cellAt(g.margin - 0.6 * UNIT, g.margin, g)).toBeNull()
    expect(cellAt(g.side, g.side, g)).toBeNull()
  })
})

describe('star points', () => {
  it('are the usual five on 15x15 and 9x9, four on even boards', () => {
    expect(starPoints(15)).toEqual([48, 56, 112, 168, 176])
    expect(starPoints(9)).toEqual([20, 24, 40, 56, 60])
    expect(starPoints(20)).toHaveLength(4)
    expect(starPoints(3)).toEqual([4])
    expect(starPoints(6)).toEqual([])
  })

  it('are symmetric on every size', () => {
    for (let size = 3; size <= 26; size++) {
      const mirrored = starPoints(size).map((cell) => size * size - 1 - cell)
      expect(mirrored.sort((a, b) => a - b)).toEqual(starPoints(size))
    }
  })
})

describe('the keyboard cursor', () => {
  const KEYS = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown']
  it('never leaves the board nor wraps around', () => {
    const size = 5
    for (let cell = 0; cell < size * size; cell++) {
      for (const key of KEYS) {
        const next = moveCursor(cell, key, size)!
        expect(next).toBeGreaterThanOrEqual(0)
        expect(next).toBeLessThan(size * size)
        const sameRow = Math.floor(next / size) === Math.floor(cell / size)
        expect(sameRow || next % size === cell % size).toBe(true)
      }
    }
  })

  it('leaves other keys alone', () => {
    expect(moveCursor(0, 'h', 5)).toBeNull()
    expect(moveCursor(12, 'ArrowUp', 5)).toBe(7)
    expect(moveCursor(0, 'ArrowLeft', 5)).toBe(0)
  })
})

describe('a board that is turned', () => {
  it('has each cell at one place, and finds it there again', () => {
    const images = new Set<string>()
    for (let turn = 0; turn < 8; turn++) {
      const g = geometryOf(5, true, turn)
      const places = Array.from({ length: 25 }, (_, cell) => placeOf(cell, 5, turn))
      images.add(places.join())
      for (let cell = 0; cell < 25; cell++) {
        expect(cellIn(places[cell]!, 5, turn)).toBe(cell)
        expect(cellAt(xOf(cell, g), yOf(cell, g), g)).toBe(cell)
      }
    }
    expect(images.size).toBe(8)
  })

  it('rotates clockwise as it is seen, and flips left and right as they are seen', () => {
    expect(placeOf(0, 3, turned(0, 'rotate'))).toBe(2)
    for (let turn = 0; turn < 8; turn++) {
      expect([1, 2, 3, 4].reduce((now) => turned(now, 'rotate'), turn)).toBe(turn)
      expect(turned(turned(turn, 'flip'), 'flip')).toBe(turn)
      const [seen, flipped] = [placeOf(1, 5, turn), placeOf(1, 5, turned(turn, 'flip'))]
      expect(flipped).toBe(seen - (seen % 5) + 4 - (seen % 5))
      const quarter = placeOf(1, 5, turned(turn, 'rotate'))
      expect(quarter).toBe((seen % 5) * 5 + 4 - Math.floor(seen / 5))
    }
  })

  it('moves the cursor as the arrows point', () => {
    for (let turn = 0; turn < 8; turn++) {
      const g = geometryOf(5, false, turn)
      const next = moveCursor(7, 'ArrowRight', 5, turn)!
      expect(xOf(next, g) - xOf(7, g) === UNIT || xOf(7, g) === xOf(next, g)).toBe(true)
      expect(yOf(next, g)).toBe(yOf(7, g))
    }
  })
})
