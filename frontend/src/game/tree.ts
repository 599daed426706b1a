import type { Color } from '@/wire'
import { other } from './color'
import { FIRST, TO_MOVE_BY_COUNT } from './facts'

/**
 * A game with its variations and comments, as an analysis or a review edits it. The first child of a node
 * continues its line; the others are variations. Cells are indices, row 0 at the top.
 */

export interface SetUp {
  black: number[]
  white: number[]
  empty: number[]
  toMove: Color | null
}

/** What a search thought of the position at a node; `winrate` is Black's. */
export interface NodeScore {
  winrate: number | null
  /** Plies to a proven end, negative for a loss of the side to move. */
  winIn: number | null
  visits: number
  by: string
}

export interface TreeNode {
  id: number
  parent: number | null
  children: number[]
  move: number | null
  color: Color | null
  setup: SetUp | null
  comment: string
  score: NodeScore | null
  /** Whatever else a file held, given back unchanged when it is saved. */
  extra: Record<string, unknown>
}

export interface TreeRules {
  size: number
  winLength: number
  rule: string
}

/** How a game ended; no winner is a draw. */
export interface RecordEnd {
  winner: Color | null
  reason: string
}

/** What a file says of its game beside the tree; `line` is the main line that it is about. */
export interface About {
  date: string
  end: RecordEnd | null
  opening: string
  /** What the seats did in a swap opening: `place3`, `place2`, `place`, `swap`, `keep`. */
  actions: string[] | null
  headers: Record<string, string>
  line: number[]
}

export interface Tree {
  rules: TreeRules
  players: { black: string; white: string }
  about?: About
  nodes: Record<number, TreeNode>
  next: number
}

export const ROOT = 0

export function newTree(rules: TreeRules, setup: SetUp | null = null): Tree {
  const tree: Tree = { rules: { ...rules }, players: { black: '', white: '' }, nodes: {}, next: 0 }
  addNode(tree, null, { setup })
  return tree
}

/** A new last child; returns its id. */
export function addNode(tree: Tree, parent: number | null, parts: Partial<TreeNode>): number {
  const id = tree.next++
  tree.nodes[id] = { move: null, color: null, setup: null, comment: '', score: null, extra: {}, ...parts, id, parent, children: [] }
  if (parent !== null) at(tree, parent).children.push(id)
  return id
}

export function at(tree: Tree, id: number): TreeNode {
  const node = tree.nodes[id]
  if (!node) throw new Error(`the tree has no node ${id}`)
  return node
}

/** The child with this stone, made now if there is none; a stone that is known already starts no new variation. */
export function addMove(tree: Tree, parent: number, move: number, color: Color): number {
  const known = at(tree, parent).children.find((id) => at(tree, id).move === move && at(tree, id).color === color)
  return known ?? addNode(tree, parent, { move, color })
}

/** Adds a whole line of stones, colours in turn, and returns the last node. */
export function addLine(tree: Tree, from: number, moves: readonly number[]): number {
  return moves.reduce((id, move) => addMove(tree, id, move, toMoveAt(tree, id)), from)
}

/** The ids from the root to a node. */
export function pathTo(tree: Tree, id: number): number[] {
  const path: number[] = []
  for (let node: number | null = id; node !== null; node = at(tree, node).parent) path.push(node)
  return path.reverse()
}

/** The path to a node and on along the first children: the line that one steps through. */
export function lineThrough(tree: Tree, id: number): number[] {
  const line = pathTo(tree, id)
  for (let next = at(tree, id).children[0]; next !== undefined; next = at(tree, next).children[0]) line.push(next)
  return line
}

/** The node itself and everything below it. */
export function subtree(tree: Tree, id: number): number[] {
  const found: number[] = []
  const stack = [id]
  while (stack.length) {
    const node = stack.pop()!
    found.push(node)
    stack.push(...at(tree, node).children)
  }
  return found
}

/** The next or previous variation beside a node; the node itself when there is none. */
export function sibling(tree: Tree, id: number, by: 1 | -1): number {
  const { parent } = at(tree, id)
  if (parent === null) return id
  const all = at(tree, parent).children
  return all[(all.indexOf(id) + by + all.length) % all.length]!
}

/** Removes a node with all below it and returns its parent; the root stays. */
export function removeNode(tree: Tree, id: number): number {
  const { parent } = at(tree, id)
  if (parent === null) return id
  const family = at(tree, parent)
  family.children = family.children.filter((child) => child !== id)
  for (const gone of subtree(tree, id)) delete tree.nodes[gone]
  return parent
}

/** The start of the variation that a node is in: itself or the nearest ancestor that is no first child. */
export function variationStart(tree: Tree, id: number): number | null {
  for (const node of pathTo(tree, id).reverse()) {
    const { parent } = at(tree, node)
    if (parent !== null && at(tree, parent).children[0] !== node) return node
  }
  return null
}

/** Makes the line to a node the main line, however deep it is nested; false when it is that already. */
export function promote(tree: Tree, id: number): boolean {
  const wasMain = variationStart(tree, id) === null
  for (let start = variationStart(tree, id); start !== null; start = variationStart(tree, start)) {
    const family = at(tree, at(tree, start).parent!)
    family.children = [start, ...family.children.filter((child) => child !== start)]
  }
  return !wasMain
}

/** Moves the variation that a node is in one place up among those beside it; false where it is the first. */
export function raise(tree: Tree, id: number): boolean {
  const start = variationStart(tree, id)
  if (start === null) return false
  const { children } = at(tree, at(tree, start).parent!)
  const place = children.indexOf(start)
  children.splice(place - 1, 2, start, children[place - 1]!)
  return true
}

/** The board at a node: one of `.`, `B`, `W` a cell. */
export function cellsAt(tree: Tree, id: number): string[] {
  const cells = Array<string>(tree.rules.size ** 2).fill('.')
  for (const step of pathTo(tree, id)) {
    const { setup, move, color } = at(tree, step)
    setup?.black.forEach((cell) => (cells[cell] = 'B'))
    setup?.white.forEach((cell) => (cells[cell] = 'W'))
    setup?.empty.forEach((cell) => (cells[cell] = '.'))
    if (move !== null) cells[move] = color ?? 'B'
  }
  return cells
}

/** The stones played on the way to a node, in order. */
export function movesAt(tree: Tree, id: number): number[] {
  return pathTo(tree, id).flatMap((step) => at(tree, step).move ?? [])
}

/** The stones of the main line. */
export const mainMoves = (tree: Tree): number[] => lineThrough(tree, ROOT).flatMap((id) => at(tree, id).move ?? [])

/** Whose turn it is: after the last stone the other's; on a set-up board as it says, else by the count. */
export function toMoveAt(tree: Tree, id: number): Color {
  for (const step of pathTo(tree, id).reverse()) {
    const { color, setup } = at(tree, step)
    if (color) return other(color)
    if (setup) return setup.toMove ?? byCount(cellsAt(tree, step))
  }
  return FIRST
}

function byCount(cells: readonly string[]): Color {
  const count = (color: string): number => cells.filter((cell) => cell === color).length
  const more = count('B') - count('W')
  return TO_MOVE_BY_COUNT[more > 0 ? 'more_black' : more < 0 ? 'more_white' : 'even']
}

/** A run of moves on one line of the list; `depth` is how far the variation is nested. */
export interface Run {
  depth: number
  nodes: number[]
}

/** The tree as a list: a line is interrupted where variations branch off and continues after them. */
export function layout(tree: Tree): Run[] {
  const runs: Run[] = []
  // Entries wait on a stack, so that deep trees need no deep recursion.
  const stack: { id: number; depth: number }[] = []
  const open = (id: number, depth: number): void => {
    const run: Run = { depth, nodes: [] }
    if (id !== ROOT) run.nodes.push(id)
    let { children } = at(tree, id)
    while (children.length === 1) {
      run.nodes.push(children[0]!)
      children = at(tree, children[0]!).children
    }
    const [first, ...variations] = children
    if (first !== undefined) {
      run.nodes.push(first)
      if (at(tree, first).children.length) stack.push({ id: first, depth })
      stack.push(...variations.reverse().map((variation) => ({ id: variation, depth: depth + 1 })))
    }
    if (run.nodes.length) runs.push(run)
  }
  open(ROOT, 0)
  const seen = new Set(runs[0]?.nodes)
  while (stack.length) {
    const { id, depth } = stack.pop()!
    const before = runs.length
    open(id, depth)
    const added = runs[before]
    // A line that continues after its variations does not repeat the move that they are variations of.
    if (added && seen.has(id)) added.nodes.shift()
    added?.nodes.forEach((node) => seen.add(node))
  }
  return runs.filter((run) => run.nodes.length)
}
