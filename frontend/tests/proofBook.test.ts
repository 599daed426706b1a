import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ProofBook, type Stones, stonesOf } from '@/game/proofBook'
import { parseCell } from '@/game/notation'

const golden = (name: string) => readFileSync(resolve('..', 'tests', 'golden', 'files', name), 'utf8')
const SIZE = 6
const STEPS = [
  [0, 1],
  [1, 0],
  [1, 1],
  [1, -1],
] as const

/** The empty cells where a stone makes four or more: a plain count, beside the rule book. */
const wins = ({ black, white }: Stones): number[] =>
  Array.from({ length: SIZE * SIZE }, (_, cell) => cell).filter((cell) => ![...black, ...white].includes(cell) && completes(black, cell))

function completes(black: readonly number[], cell: number): boolean {
  const has = new Set(black)
  const [row, col] = [Math.floor(cell / SIZE), cell % SIZE]
  return STEPS.some(([down, right]) => {
    let run = 1
    for (const way of [1, -1]) {
      for (let i = 1; ; i++) {
        const [r, c] = [row + way * i * down, col + way * i * right]
        if (r < 0 || c < 0 || r >= SIZE || c >= SIZE || !has.has(r * SIZE + c)) break
        run++
      }
    }
    return run >= 4
  })
}

describe('a proof to play from', () => {
  const book = new ProofBook(golden('proof-6x6.txt'))
  const games = JSON.parse(golden('proof-6x6-games.json')) as string[][]
  const cells = games.map((names) => names.map((name) => parseCell(name, SIZE)!))

  it('claims the whole board', () => {
    expect(book.claims).toEqual([[]])
    expect(book.size).toBe(SIZE)
    expect(book.length).toBeGreaterThan(10)
  })

  it('gives the answers that Python gives, in all orientations', () => {
    for (const moves of cells) {
      for (let ply = 2; ply < moves.length; ply += 2) {
        const node = book.answer(moves.slice(0, ply), wins)
        expect(node?.move, moves.slice(0, ply).join(' ')).toBe(moves[ply])
      }
    }
  })

  it('says nothing for White, nor after a move of Black that it does not play', () => {
    const [moves] = cells
    expect(book.answer(moves!.slice(0, 1), wins)).toBeNull()
    expect(book.answer([0, 1, 35, 2], wins)).toBeNull()
  })

  it('counts plies: every game is at most as long as it says, and some game is exactly so long', () => {
    for (const moves of cells) {
      for (let ply = 2; ply < moves.length; ply++) {
        const found = book.plies(moves.slice(0, ply), wins)!
        expect(moves.length - ply, moves.slice(0, ply).join(' ')).toBeLessThanOrEqual(found)
        expect(found % 2).toBe(1 - (ply % 2))
      }
    }
    const longest = [cells[0]![0]!]
    const said = book.plies(longest, wins)!
    while (!wins(stonesOf(longest)).includes(book.answer(longest, wins)?.move ?? -1)) {
      if (longest.length % 2) longest.push([...book.replies(longest, wins)!].reduce((a, b) => (b[1] > a[1] ? b : a))[0])
      else longest.push(book.answer(longest, wins)!.move)
    }
    expect(longest.length).toBe(said)
  })

  it.each([
    ['another version', (text: string) => text.replace('proof 1', 'proof 9'), /expected wuzi-proof 1/],
    ['lines that are missing', (text: string) => text.split('\n').slice(0, 8).join('\n'), /cut off/],
    ['a line too many', (text: string) => `${text}nonsense\n`, /expected root/],
  ])('refuses %s', (_, damage, said) => {
    expect(() => new ProofBook(damage(golden('proof-6x6.txt')))).toThrow(said)
  })
})
