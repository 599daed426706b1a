import { screenUrl } from '@/host'
import type { Color, GameState, PositionIn, RuleName } from '@/wire'
import { other } from './color'
import { FIRST } from './facts'
import { cellOf, formatCell, LETTERS, parseCode } from './notation'
import { addLine, at, cellsAt, newTree, pathTo, ROOT, type SetUp, toMoveAt, type Tree, type TreeRules } from './tree'

/** Positions of a tree as the server takes them, and as links carry them. */

/** The position at a node: by its moves where they alternate from the start, else by its stones. */
export function requestAt(tree: Tree, id: number): PositionIn & { rule: RuleName } {
  const { size, winLength } = tree.rules
  const base = { size, winLength, rule: tree.rules.rule as RuleName }
  const path = pathTo(tree, id)
  const start = at(tree, ROOT).setup
  const first = toMoveAt(tree, ROOT)
  let turn = first
  const moves: string[] = []
  for (const step of path.slice(1)) {
    const { move, color, setup } = at(tree, step)
    if (setup || (move !== null && color !== turn)) return { ...base, cells: cellsAt(tree, id).join(''), toMove: toMoveAt(tree, id) }
    if (move === null) continue
    moves.push(formatCell(move, size))
    turn = other(turn)
  }
  return start ? { ...base, cells: cellsAt(tree, ROOT).join(''), toMove: first, moves } : { ...base, moves }
}

/** The stones that lay before a game's moves, and who had the first one; nothing for an empty board. */
export function startOf(game: GameState): Pick<PositionIn, 'cells' | 'toMove'> {
  const cells = game.cells.split('')
  const played = game.moves.map((move) => cellOf(move, game.rules.size))
  const first = played[0] === undefined ? game.toMove : (cells[played[0]] as Color)
  if (game.ply === played.length && first === FIRST) return {}
  for (const cell of played) cells[cell] = '.'
  return { cells: cells.join(''), toMove: first }
}

/** A game as a tree of one line from its start, and the last node. */
export function fromGame(game: GameState): { tree: Tree; last: number } {
  const { size, winLength, rule } = game.rules
  const { cells, toMove } = startOf(game)
  const named = (color: Color): number[] => [...cells!].flatMap((cell, i) => (cell === color ? i : []))
  const tree = newTree({ size, winLength, rule }, cells ? { black: named('B'), white: named('W'), empty: [], toMove: toMove! } : null)
  return { tree, last: addLine(tree, ROOT, game.moves.map((move) => cellOf(move, size))) }
}

export interface PlaceQuery {
  [key: string]: string
}

/** The parts of a link to the position at a node. */
export function linkParts(tree: Tree, id: number): { code: string; query: PlaceQuery } {
  const { size, winLength, rule } = tree.rules
  const request = requestAt(tree, id)
  const query: PlaceQuery = { size: String(size), winLength: String(winLength), rule }
  if (request.cells) {
    const named = (color: string): string => [...request.cells!].flatMap((cell, i) => (cell === color ? formatCell(i, size) : [])).join('')
    Object.assign(query, { black: named('B'), white: named('W'), toMove: request.toMove ?? 'B' })
  }
  return { code: request.moves?.join('') || '-', query }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The tree that a link describes and its last node; null when it describes none. */
export function fromLink(code: string, query: Record<string, unknown>): { tree: Tree; last: number } | null {
  const rules: TreeRules = {
    size: Number(query.size ?? 15),
    winLength: Number(query.winLength ?? 5),
    rule: text(query.rule) || 'freestyle',
  }
  if (!Number.isInteger(rules.size) || rules.size < 1 || rules.size > LETTERS) return null
  const moves = parseCode(code, rules.size)
  const black = parseCode(text(query.black), rules.size)
  const white = parseCode(text(query.white), rules.size)
  if (!moves || !black || !white) return null
  const toMove: Color | null = query.toMove === 'W' ? 'W' : query.toMove === 'B' ? 'B' : null
  const setup: SetUp | null = black.length || white.length || toMove ? { black, white, empty: [], toMove } : null
  const tree = newTree(rules, setup)
  return { tree, last: addLine(tree, ROOT, moves) }
}

/** The address of a position in the analysis, as other people can open it. */
export function analysisLink(code: string, query: PlaceQuery): string {
  return screenUrl(`/analysis/${code}?${new URLSearchParams(query).toString()}`)
}

/** The address of a position without set-up stones, as other people can open it. */
export function positionLink(code: string, { size, winLength, rule }: TreeRules): string {
  return screenUrl(`/p/${code || '-'}?${new URLSearchParams({ size: String(size), winLength: String(winLength), rule }).toString()}`)
}
