import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pairingCount } from '@/features/arena/pairings'
import { starPoints } from '@/game/geometry'
import { displayCell, formatCell, parseCell } from '@/game/notation'
import type { FormatName } from '@/wire'

/** Written by tests/apps/test_board_facts.py: what Python says. */
const facts = JSON.parse(readFileSync(join(import.meta.dirname, '../../tests/golden/files/board-facts.json'), 'utf8')) as {
  stars: Record<string, number[]>
  cells: Record<string, { renju: string[]; matrix: string[] }>
  pairings: Record<FormatName, number[]>
}

describe('the page and Python agree', () => {
  it.each(Object.entries(facts.stars))('on the star points of size %s', (size, stars) => {
    expect(starPoints(Number(size))).toEqual(stars.toSorted((a, b) => a - b))
  })

  it.each(Object.entries(facts.cells))('on the names of cells on size %s', (name, { renju, matrix }) => {
    const size = Number(name)
    const cells = [0, size - 1, size, size * size - 1]
    expect(cells.map((cell) => formatCell(cell, size))).toEqual(renju)
    expect(cells.map((cell) => displayCell(cell, size, 'matrix'))).toEqual(matrix)
    expect(matrix.map((text) => parseCell(text, size, 'matrix'))).toEqual(cells)
    expect(renju.map((text) => parseCell(text, size))).toEqual(cells)
  })

  it.each(Object.entries(facts.pairings))('on how many meet in a %s', (format, counts) => {
    expect(counts.map((_, i) => pairingCount(format as FormatName, i + 2))).toEqual(counts)
  })
})
