/** Files through the rule book, as `wuzi.records.replay` does it: the rules decide who won, not the file. */

import { STONES } from '@/game/record'
import { formatCell } from '@/game/notation'
import { rulesRefusal } from './positions'
import { at, lineThrough, mainMoves, type RecordEnd, ROOT, type SetUp, type Tree, type TreeNode } from '@/game/tree'
import { type Action, Game, type GameRules } from '@/backend/engine/game'
import { type BoardEnd, letterOf, Position, RuleError, sideOf } from '@/wasm/rulebook'
import type { Color, OpeningName, ReasonName, RuleName } from '@/wire'

export const bad = (message: string): RuleError => new RuleError('bad_record', message)

/** A game file: its tree, and what trees of the page do not hold. */
export interface GameFile {
  tree: Tree
  date: string
  end: RecordEnd | null
  opening: string
  /** What the seats did in a swap opening; null for stones in turn. */
  actions: string[] | null
  headers: Record<string, string>
  warnings: string[]
}

/** Ends that the board itself shows. */
const BOARD_REASONS = ['line', 'draw_full', 'forbidden']
const COLORS = { B: 'black', W: 'white' } as const

/** A place in the tree: the position, the moves so far, and whether the file said who moves. */
interface Point {
  position: Position
  ply: number
  isStated: boolean
}

export function rulesOf({ tree, opening }: GameFile): GameRules {
  const rules = { ...tree.rules, rule: tree.rules.rule as RuleName, opening: opening as OpeningName }
  const refused = rulesRefusal(rules)
  if (refused) throw bad(`rules: ${refused}`)
  return rules
}

const textOf = ({ winner, reason }: { winner: Color | null; reason: string }): string => `${winner ? COLORS[winner] : 'draw'} (${reason})`
const told = (end: BoardEnd): RecordEnd => ({ winner: end.winner && letterOf(end.winner), reason: end.reason })

/** Checks a file that was just read, in place: cuts what cannot be played, and believes the board. */
export function settle(file: GameFile): GameFile {
  const { tree, warnings } = file
  const rules = rulesOf(file)
  const line = new Set(lineThrough(tree, ROOT))
  const begin = advance({ position: Position.empty(rules), ply: 0, isStated: false }, at(tree, ROOT))
  let last = begin.position
  const stack: { id: number; point: Point }[] = [{ id: ROOT, point: begin }]
  while (stack.length) {
    const { id, point } = stack.pop()!
    if (line.has(id)) last = point.position
    const node = at(tree, id)
    node.children = node.children.filter((child) => {
      const isMain = line.has(child)
      if (at(tree, child).move !== null && point.position.end) {
        warnings.push(cutText(tree, child, point, isMain))
        return false
      }
      try {
        stack.push({ id: child, point: advance(point, at(tree, child)) })
        return true
      } catch (error) {
        if (isMain || !(error instanceof RuleError)) throw error
        warnings.push(`a variation was left out: ${error.message}`)
        return false
      }
    })
  }
  file.end = settledEnd(file.end, last.end && told(last.end), warnings)
  if (file.actions) gameOfFile(file)
  tree.about = { date: file.date, end: file.end, opening: file.opening, actions: file.actions, headers: file.headers, line: mainMoves(tree) }
  return file
}

/** What to believe of the end that a file tells and the one that its board shows. */
function settledEnd(said: RecordEnd | null, shown: RecordEnd | null, warnings: string[]): RecordEnd | null {
  if (shown) {
    if (said && said.winner !== shown.winner) warnings.push(`the result says ${textOf(said)}, the board shows ${textOf(shown)}: the board counts`)
    return shown
  }
  if (!said || !BOARD_REASONS.includes(said.reason)) return said
  if (!said.winner) return { winner: null, reason: 'agreement' }
  warnings.push(`the result says ${textOf(said)}, but no row on the board ends the game`)
  return { winner: said.winner, reason: 'adjudication' }
}

function cutText(tree: Tree, id: number, { position, ply }: Point, isMain: boolean): string {
  let moves = 0
  for (let next: number | undefined = id; next !== undefined; next = at(tree, next).children[0]) if (at(tree, next).move !== null) moves++
  const { rule, size } = position.rules
  return `${moves} move(s) after the end of the game at move ${ply}${isMain ? '' : ' in a variation'} were left out (${textOf(told(position.end!))} under ${rule} ${size}x${size})`
}

function advance(point: Point, node: TreeNode): Point {
  if (node.setup) return { position: putUp(point, node.setup), ply: point.ply, isStated: node.setup.toMove !== null }
  if (node.move === null) return point
  const position = turnedTo(point, node)
  const refused = position.refusal(node.move)
  if (refused) throw bad(`move ${point.ply + 1}: ${formatCell(node.move, position.rules.size)} ${position.end ? 'comes after the end' : 'is occupied'}`)
  return { position: position.play(node.move), ply: point.ply + 1, isStated: true }
}

/** The position with the side to move that a move needs; it may choose where nothing said who moves. */
function turnedTo({ position, ply, isStated }: Point, { move, color }: TreeNode): Position {
  if (!color || color === letterOf(position.toMove)) return position
  if (isStated) throw bad(wrongTurn(ply, move!, color, position))
  return position.turned(sideOf(color))
}

const wrongTurn = (ply: number, move: number, color: Color, { toMove, rules }: Position): string =>
  `move ${ply + 1} (${formatCell(move, rules.size)}) is played by ${COLORS[color]}: expected ${COLORS[letterOf(toMove)]}`

/** Stones put up during a game do not change whose turn it is. */
function putUp({ position, ply }: Point, { black, white, empty, toMove }: SetUp): Position {
  const cells = position.cells.slice()
  for (const [side, stones] of [[0, empty], [sideOf('B'), black], [sideOf('W'), white]] as const) for (const cell of stones) cells[cell] = side
  try {
    return Position.of(position.rules, cells, toMove ? sideOf(toMove) : ply ? position.toMove : undefined)
  } catch (error) {
    throw bad(`set-up stones ${ply ? `after move ${ply}` : 'before the first move'}: ${(error as Error).message}`)
  }
}

const isBare = ({ black, white, empty }: SetUp): boolean => !black.length && !white.length && !empty.length

/** The game of a file's main line, through the rule book. */
export function gameOfFile(file: GameFile): Game {
  const { tree, end, actions } = file
  const rules = { ...rulesOf(file), ...(actions ? {} : { opening: 'free' as const }) }
  const nodes = lineThrough(tree, ROOT).map((id) => at(tree, id)).filter(({ move, setup }) => move !== null || setup)
  const first = nodes.findIndex(({ move }) => move !== null)
  const moves = first < 0 ? [] : nodes.slice(first)
  moves.forEach(({ setup }, i) => {
    if (setup && !isBare(setup)) throw bad(`set-up stones after move ${i}: expected them before the first move`)
  })
  const stones = moves.filter(({ move }) => move !== null)
  let point: Point = { position: Position.empty(rules), ply: 0, isStated: false }
  for (const node of first < 0 ? nodes : nodes.slice(0, first)) point = advance(point, node)
  const start = stones.length ? turnedTo(point, stones[0]!) : point.position
  let color = letterOf(start.toMove)
  stones.forEach((node, ply) => {
    if (node.color && node.color !== color) throw bad(wrongTurn(ply, node.move!, node.color, start.toMove === sideOf(color) ? start : start.turned(sideOf(color))))
    color = color === 'B' ? 'W' : 'B'
  })
  const game = openingActions(actions ?? [], stones.map(({ move }) => move!)).reduce((now, action) => now.act(action), Game.begin(rules, start))
  if (game.end || !end) return game
  if (BOARD_REASONS.includes(end.reason)) throw bad(`outcome ${textOf(end)}: the board does not show it after ${game.moves.length} moves`)
  return game.ended({ winner: end.winner && sideOf(end.winner), reason: end.reason as ReasonName })
}

/** The actions that these words, then single stones, take of the moves. */
function openingActions(words: readonly string[], moves: readonly number[]): Action[] {
  const actions: Action[] = []
  let used = 0
  for (const word of words) {
    const count = STONES[word]
    if (count === undefined) throw bad(`opening action ${word}: expected one of ${Object.keys(STONES).join(', ')}`)
    const stones = moves.slice(used, used + count)
    if (stones.length < count) throw bad(`opening action ${word} needs ${count} stones: ${stones.length} are left`)
    used += count
    actions.push(word === 'swap' || word === 'keep' ? { type: word } : { type: 'place', moves: [...stones] })
  }
  return [...actions, ...moves.slice(used).map((cell): Action => ({ type: 'place', moves: [cell] }))]
}

/** The words of a game's opening; null where its rules have none. The single stones after it need no words. */
export function describeOpening({ rules, actions }: Game): string[] | null {
  if (rules.opening === 'free') return null
  const words = actions.map((action) => (action.type !== 'place' ? action.type : action.moves.length > 1 ? `place${action.moves.length}` : 'place'))
  while (words.at(-1) === 'place') words.pop()
  return words
}
