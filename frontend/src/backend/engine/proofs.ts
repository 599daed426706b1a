/** The shipped proofs that Black wins: its answers, and what is proved of a position. */

import { formatCell, parseCell } from '@/game/notation'
import { placeOf } from '@/game/geometry'
import { ProofBook, type Stones, stonesOf, TURNS } from '@/game/proofBook'
import { CONSTANTS } from '@/wasm/generated'
import { type BoardRules, Position } from '@/wasm/rulebook'
import type { ProofLook } from '@/wire'
import { fetchPacked } from './data'
import type { Game } from './game'

const { BLACK, WHITE } = CONSTANTS

/** What a site's facts tell of the proofs: Black's first move, and the files of White's replies up to symmetry. */
export interface ProofFacts {
  rules: BoardRules
  first: string
  files: Record<string, string>
}

/** Whether the proofs are about this game, as far as it has come. */
export function isAbout({ first, rules: known }: ProofFacts, { rules, start, moves }: Game): boolean {
  const { rule, size, winLength } = known
  const isSame = rules.rule === rule && rules.size === size && rules.winLength === winLength && rules.opening === 'free'
  return isSame && start.key === 0n && (!moves.length || formatCell(moves[0]!, size) === first)
}

export class ProofShelf {
  private readonly known = new Map<string, Promise<ProofBook>>()
  private readonly size: number
  private readonly first: number

  constructor(
    private readonly facts: ProofFacts,
    private readonly base: string,
  ) {
    this.size = facts.rules.size
    this.first = parseCell(facts.first, this.size)!
  }

  /** Black's winning move; null where no proof says. */
  async answer(game: Game): Promise<number | null> {
    if (!isAbout(this.facts, game)) return null
    if (!game.moves.length) return this.first
    return (await this.book(game.moves))?.answer(game.moves, this.wins)?.move ?? null
  }

  /** What is proved of a position. */
  async look(game: Game): Promise<ProofLook> {
    const found: ProofLook = { state: 'off', of: Object.keys(this.facts.files).length, move: null, plies: null, line: [], replies: [] }
    if (!isAbout(this.facts, game)) return found
    const { moves } = game
    found.state = 'open'
    if (game.end) return game.end.winner === BLACK ? { ...found, state: 'proved', plies: 0 } : found
    if (moves.length < 2) found.state = 'proved'
    if (!moves.length) return { ...found, move: this.facts.first }
    if (moves.length === 1) return { ...found, replies: game.position.legalMoves.map((cell) => this.replyOut(cell, 0)) }
    const book = await this.book(moves)
    if (!book) return found
    const line = this.longest(book, moves)
    if (!line) return found
    const replies = [...(book.replies(moves, this.wins) ?? [])].map(([cell, plies]) => this.replyOut(cell, plies))
    const names = line.map((cell) => formatCell(cell, this.size))
    return { ...found, state: 'proved', move: moves.length % 2 ? null : names[0]!, plies: book.plies(moves, this.wins), line: names, replies }
  }

  /** Black's win against the defence that lasts longest; null where no proof says. */
  private longest(book: ProofBook, moves: readonly number[]): number[] | null {
    const all = [...moves]
    for (;;) {
      if (all.length % 2) {
        const replies = book.replies(all, this.wins)
        if (!replies) return null
        all.push([...replies].reduce((a, b) => (b[1] > a[1] ? b : a))[0])
      }
      const node = book.answer(all, this.wins)
      if (!node) return null
      const isLast = this.wins(stonesOf(all)).includes(node.move)
      all.push(node.move)
      if (isLast) return all.slice(moves.length)
    }
  }

  private replyOut(cell: number, plies: number): ProofLook['replies'][number] {
    return { move: formatCell(cell, this.size), plies }
  }

  /** The file of a reply to the first move, as it lies or turned. */
  private fileOf(reply: number): string | undefined {
    const { files } = this.facts
    return TURNS.map((turn) => files[formatCell(placeOf(reply, this.size, turn), this.size)]).find((file) => file !== undefined)
  }

  /** The proof that knows these moves; null where there is none. */
  private async book([, reply]: readonly number[]): Promise<ProofBook | null> {
    const file = reply === undefined ? undefined : this.fileOf(reply)
    if (!file) return null
    let found = this.known.get(file)
    if (!found) {
      found = fetchPacked(new URL(file, this.base).href).then((content) => new ProofBook(new TextDecoder().decode(content)))
      found.catch(() => this.known.delete(file))
      this.known.set(file, found)
    }
    return found
  }

  /** Cells where Black completes a row. */
  private readonly wins = ({ black, white }: Stones): number[] => {
    const cells = new Int8Array(this.size ** 2)
    for (const cell of black) cells[cell] = BLACK
    for (const cell of white) cells[cell] = WHITE
    return Position.of(this.facts.rules, cells, BLACK).pointsToWin(BLACK)
  }
}
