/** A proof to play from, by its file (docs/proof.md); `wuzi.search.proof.book` is the same in Python. */

import { placeOf } from '@/game/geometry'

/** Black's move, the node that answers a pass of White, and those that answer its replies. */
export interface ProofNode {
  move: number
  passed: ProofNode | null
  /** Null where the position after the reply has a line of its own. */
  replies: Map<number, ProofNode | null>
}

export interface Stones {
  black: readonly number[]
  white: readonly number[]
}

/** The empty cells where a stone of Black makes a winning row: the rule book decides. */
export type Wins = (stones: Stones) => readonly number[]

/** A position that has a line of its own. */
interface Place {
  stones: Stones
  line: number
}

type Keys = readonly (readonly [number, number])[]

const HEAD = /^wuzi-proof 1\nboard (\d+)x\1\nwin (\d)( exactly)?\n/
const TOKEN = /[a-z][1-9][0-9]?|@\d+|[-*()]/g
const WITH_LINE = /([a-z]\d+)\*/g
export const TURNS = [0, 1, 2, 3, 4, 5, 6, 7]

/** The stones of a list of moves in turn. */
export const stonesOf = (moves: readonly number[]): Stones => ({
  black: moves.filter((_, ply) => ply % 2 === 0),
  white: moves.filter((_, ply) => ply % 2 === 1),
})

/** Numbers by chance for the keys of positions: the same at every run. */
function* numbers(): Generator<number, never> {
  for (let state = 1; ; ) {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    yield (mixed ^ (mixed >>> 14)) >>> 0
  }
}

export class ProofBook {
  readonly size: number
  readonly winLength: number
  readonly exactly: boolean
  /** The moves after which Black, to move, wins by the file. */
  readonly claims: number[][] = []
  private readonly lines: string[]
  private readonly places = new Map<string, Place>()
  private readonly marks: [number, number][][]
  /** The plies of nodes and of lines that were counted. */
  private readonly counted = new Map<ProofNode | number, number>()

  /** An Error for a text that is no proof, or is cut off. */
  constructor(text: string) {
    const head = HEAD.exec(text)
    if (!head) throw new Error(`the proof begins with ${text.slice(0, 40)}: expected wuzi-proof 1 and a square board`)
    this.size = Number(head[1])
    this.winLength = Number(head[2])
    this.exactly = head[3] !== undefined
    this.lines = text.slice(head[0].length).trimEnd().split('\n')
    const next = numbers()
    const cells = Array.from({ length: this.size * this.size }, (_, cell) => cell)
    this.marks = ['black', 'white'].map(() => cells.map(() => [next.next().value, next.next().value]))
    this.index()
  }

  /** The positions that have a line of their own. */
  get length(): number {
    return this.places.size
  }

  /** The node by which Black, to move, wins after these moves; null where the proof does not say. */
  answer(moves: readonly number[], wins: Wins): ProofNode | null {
    if (moves.length % 2) return null
    const stonesAfter = (plies: number): Stones => stonesOf(moves.slice(0, plies))
    let keys = this.keysOf(stonesAfter(0))
    let [begin, place]: [number, Place | null] = [0, null]
    for (let ply = 0; ply <= moves.length; ply += 2) {
      const found = this.places.get(least(keys))
      if (found) [begin, place] = [ply, found]
      moves.slice(ply, ply + 2).forEach((cell, color) => (keys = this.with(keys, color, cell)))
    }
    let node = place && this.ownNode(place, stonesAfter(begin))
    for (let ply = begin; ply < moves.length; ply += 2) {
      if (node?.move !== moves[ply]) return null
      node = this.next(node!, moves[ply + 1]!, stonesAfter(ply + 2), wins)
    }
    return node
  }

  /**
   * At most so many plies until Black's row, against the longest defence: after Black's move of the proof, or where it is
   * Black's turn. Null where the proof does not say.
   */
  plies(moves: readonly number[], wins: Wins): number | null {
    if (moves.length % 2) {
      const replies = this.replies(moves, wins)
      return replies && 1 + Math.max(...replies.values())
    }
    const node = this.answer(moves, wins)
    if (!node) return null
    const stones = stonesOf(moves)
    if (wins(stones).includes(node.move)) return 1
    return this.count(node, this.with(this.keysOf(stones), 0, node.move))
  }

  /** The same after each reply of White to a move of the proof, by cell; null where the last move is not the proof's. */
  replies(moves: readonly number[], wins: Wins): Map<number, number> | null {
    const node = moves.length % 2 ? this.answer(moves.slice(0, -1), wins) : null
    if (!node || node.move !== moves.at(-1)) return null
    const keys = this.keysOf(stonesOf(moves))
    const taken = new Set(moves)
    const others = node.passed ? this.count(node.passed) : 1
    const found = new Map<number, number>()
    for (let cell = 0; cell < this.size * this.size; cell++) {
      if (!taken.has(cell)) found.set(cell, node.replies.has(cell) ? this.afterReply(node, cell, keys) : others)
    }
    return found
  }

  /** The plies of a node's win. `keys`: the position after its move, for nodes with replies that have a line of their own. */
  private count(node: ProofNode, keys?: Keys): number {
    const known = this.counted.get(node)
    if (known !== undefined) return known
    const answers = [...node.replies.keys()].map((cell) => this.afterReply(node, cell, keys))
    // A node without answers leaves two cells that complete a row.
    const plies = 2 + Math.max(1, node.passed ? this.count(node.passed) : 1, ...answers)
    this.counted.set(node, plies)
    return plies
  }

  private afterReply(node: ProofNode, cell: number, keys?: Keys): number {
    const answer = node.replies.get(cell)
    if (answer) return this.count(answer)
    const place = this.places.get(least(this.with(keys!, 1, cell)))!
    const known = this.counted.get(place.line)
    if (known !== undefined) return known
    const own = this.parse(this.lines[place.line]!, 0)
    const plies = this.count(own, this.with(this.keysOf(place.stones), 0, own.move))
    this.counted.set(place.line, plies)
    return plies
  }

  /** The node that answers White's reply, which is among the stones. */
  private next(node: ProofNode, reply: number, stones: Stones, wins: Wins): ProofNode | null {
    const listed = node.replies.get(reply)
    if (listed !== undefined) return listed
    if (node.passed) return node.passed
    const [cell] = wins(stones)
    return cell === undefined ? null : { move: cell, passed: null, replies: new Map() }
  }

  /** The node of a line, whose position is an image of these stones. */
  private ownNode({ stones, line }: Place, { black, white }: Stones): ProofNode | null {
    const [blacks, whites] = [new Set(black), new Set(white)]
    const lies = (turn: number, mine: readonly number[], all: Set<number>) =>
      mine.every((cell) => all.has(placeOf(cell, this.size, turn)))
    const turn = TURNS.find((one) => lies(one, stones.black, blacks) && lies(one, stones.white, whites))
    return turn === undefined ? null : this.parse(this.lines[line]!, turn)
  }

  /** The tree of a line, turned. */
  private parse(line: string, turn: number): ProofNode {
    const tokens = line.match(TOKEN) ?? []
    if (tokens.join('') !== line) throw new Error(`expected one node on the line: ${line.slice(0, 60)}`)
    const all: ProofNode[] = []
    let at = 0
    const node = (): ProofNode | null => {
      const token = tokens[at++]
      if (token === undefined) throw new Error(`the line ends too early: ${line.slice(0, 60)}`)
      if (token === '*') return null
      if (token.startsWith('@')) return all[Number(token.slice(1))] ?? null
      const made: ProofNode = { move: placeOf(this.cell(token), this.size, turn), passed: null, replies: new Map() }
      all.push(made)
      if (tokens[at] !== '(') return made
      for (at++; tokens[at] !== ')'; ) {
        const reply = tokens[at++]
        if (reply === undefined) throw new Error(`the line ends too early: ${line.slice(0, 60)}`)
        if (reply === '-') made.passed = node()
        else made.replies.set(placeOf(this.cell(reply), this.size, turn), node())
      }
      at++
      return made
    }
    const root = node()
    if (!root) throw new Error(`expected a node: ${line.slice(0, 60)}`)
    return root
  }

  private cell(name: string): number {
    const [column, row] = [name.charCodeAt(0) - 97, this.size - Number(name.slice(1))]
    if (!(column >= 0 && column < this.size && row >= 0 && row < this.size)) throw new Error(`${name} is no cell of the proof's board`)
    return row * this.size + column
  }

  private keysOf({ black, white }: Stones): Keys {
    let keys: Keys = TURNS.map(() => [0, 0])
    for (const cell of black) keys = this.with(keys, 0, cell)
    for (const cell of white) keys = this.with(keys, 1, cell)
    return keys
  }

  private with(keys: Keys, color: number, cell: number): Keys {
    return keys.map(([high, low], turn) => {
      const [a, b] = this.marks[color]![placeOf(cell, this.size, turn)]!
      return [(high ^ a) >>> 0, (low ^ b) >>> 0]
    })
  }

  /** Find the position of every line: they follow each other in the order of their stars. */
  private index(): void {
    for (let line = 0; line < this.lines.length; ) {
      const [root, ...names] = this.lines[line++]!.split(' ')
      if (root !== 'root') throw new Error(`the proof is damaged at line ${line + 3}: expected root`)
      const moves = names.map((name) => this.cell(name))
      this.claims.push(moves)
      const stones = stonesOf(moves)
      const todo: [Stones, Keys][] = [[stones, this.keysOf(stones)]]
      for (let here = todo.pop(); here; here = todo.pop()) {
        const [{ black, white }, keys] = here
        const key = least(keys)
        if (this.places.has(key)) continue
        const text = this.lines[line]
        if (text === undefined) throw new Error('the proof is cut off')
        this.places.set(key, { stones: { black, white }, line: line++ })
        const [move = ''] = text.split('(', 1)
        const after = [...black, this.cell(move)]
        const moved = this.with(keys, 0, this.cell(move))
        for (const [, name] of [...text.slice(move.length).matchAll(WITH_LINE)].reverse()) {
          const cell = this.cell(name!)
          todo.push([{ black: after, white: [...white, cell] }, this.with(moved, 1, cell)])
        }
      }
    }
  }
}

/** The same for all images of a position. */
const least = (keys: Keys): string => {
  const [high, low] = keys.reduce((a, b) => (b[0] < a[0] || (b[0] === a[0] && b[1] < a[1]) ? b : a))
  return `${high}.${low}`
}
