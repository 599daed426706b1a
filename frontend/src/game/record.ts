import type { Color } from '@/wire'
import { cellOf, formatCell } from './notation'
import { type About, addNode, at, mainMoves, newTree, ROOT, type SetUp, toMoveAt, type Tree, type TreeNode } from './tree'

/** Trees as the server's JSON game records (`wuzi-record`, version 1), which every file format goes through. */

export interface RecordNodeJson {
  parent?: number
  move?: string
  color?: 'black' | 'white' | null
  setup?: SetupJson
  comment?: string
  [more: string]: unknown
}

interface SetupJson {
  black?: string[]
  white?: string[]
  empty?: string[]
  to_move?: 'black' | 'white'
}

export interface RecordJson {
  format: 'wuzi-record'
  version: 1
  rules: { size: number; win_length: number; rule: string; opening?: string }
  players?: { black?: string; white?: string }
  date?: string
  result?: { winner?: 'black' | 'white'; reason: string }
  opening?: string[]
  headers?: Record<string, string>
  setup?: SetupJson
  moves?: string[]
  times_ms?: (number | null)[]
  nodes?: RecordNodeJson[]
  [more: string]: unknown
}

const NAMES = { B: 'black', W: 'white' } as const
const letter = (name: unknown): Color | null => (name === 'black' ? 'B' : name === 'white' ? 'W' : null)

export function fromRecord(record: RecordJson): Tree {
  const { size, win_length: winLength, rule } = record.rules
  const tree = newTree({ size, winLength, rule }, record.setup ? readSetup(record.setup, size) : null)
  tree.players = { black: record.players?.black ?? '', white: record.players?.white ?? '' }
  if (record.nodes) readNodes(tree, record.nodes)
  else {
    ;(record.moves ?? []).reduce((id, move, i) => {
      const time = record.times_ms?.[i]
      return addNode(tree, id, { move: cellOf(move, size), color: toMoveAt(tree, id), extra: time ? { time_ms: time } : {} })
    }, ROOT)
  }
  const { date = '', result, opening: actions = null, headers = {} } = record
  const end = result ? { winner: letter(result.winner), reason: result.reason } : null
  tree.about = { date, end, opening: record.rules.opening ?? 'free', actions, headers, line: mainMoves(tree) }
  return tree
}

/** Stones that each word of an opening puts down. */
export const STONES: Record<string, number> = { place3: 3, place2: 2, place: 1, swap: 0, keep: 0 }

/** What a tree's file said of it, as far as it still holds: the end of the same main line, the opening of the same stones. */
export function aboutNow(tree: Tree): Omit<About, 'line'> {
  const { date = '', end = null, opening = 'free', actions = null, headers = {}, line = [] } = tree.about ?? {}
  const now = mainMoves(tree)
  const placed = (actions ?? []).reduce((sum, word) => sum + (STONES[word] ?? 0), 0)
  const isSame = (count: number): boolean => now.length >= count && line.slice(0, count).every((cell, i) => cell === now[i])
  const opened = isSame(placed) ? { opening, actions } : { opening: 'free', actions: null }
  return { date, headers, ...opened, end: now.length === line.length && isSame(line.length) ? end : null }
}

function readNodes(tree: Tree, nodes: RecordNodeJson[]): void {
  const { size } = tree.rules
  const ids: number[] = []
  nodes.forEach(({ parent, move, color, setup, comment, ...extra }, i) => {
    const parts: Partial<TreeNode> = {
      move: move === undefined ? null : cellOf(move, size),
      color: letter(color),
      setup: setup ? readSetup(setup, size) : null,
      comment: comment ?? '',
      extra,
    }
    if (i === 0) {
      Object.assign(at(tree, ROOT), parts)
      ids.push(ROOT)
    } else ids.push(addNode(tree, ids[parent ?? 0]!, parts))
  })
}

function readSetup(setup: SetupJson, size: number): SetUp {
  const cells = (names: string[] = []): number[] => names.map((name) => cellOf(name, size))
  return { black: cells(setup.black), white: cells(setup.white), empty: cells(setup.empty), toMove: letter(setup.to_move) }
}

export function toRecord(tree: Tree): RecordJson {
  const { size, winLength, rule } = tree.rules
  const nodes: RecordNodeJson[] = []
  const stack: { id: number; parent: number | null }[] = [{ id: ROOT, parent: null }]
  while (stack.length) {
    const { id, parent } = stack.pop()!
    const index = nodes.length
    nodes.push(writeNode(at(tree, id), parent, size))
    stack.push(...[...at(tree, id).children].reverse().map((child) => ({ id: child, parent: index })))
  }
  const { date, end, opening, actions, headers } = aboutNow(tree)
  return {
    format: 'wuzi-record',
    version: 1,
    rules: { size, win_length: winLength, rule, opening },
    players: { ...tree.players },
    ...(date ? { date } : {}),
    ...(end ? { result: { ...(end.winner ? { winner: NAMES[end.winner] } : {}), reason: end.reason } } : {}),
    ...(actions ? { opening: actions } : {}),
    ...(Object.keys(headers).length ? { headers } : {}),
    nodes,
  }
}

function writeNode(node: TreeNode, parent: number | null, size: number): RecordNodeJson {
  const json: RecordNodeJson = { ...node.extra }
  if (parent !== null) json.parent = parent
  if (node.move !== null) Object.assign(json, { move: formatCell(node.move, size), color: NAMES[node.color ?? 'B'] })
  if (node.setup) json.setup = writeSetup(node.setup, size)
  if (node.comment) json.comment = node.comment
  return json
}

function writeSetup(setup: SetUp, size: number): SetupJson {
  const json: SetupJson = {}
  for (const name of ['black', 'white', 'empty'] as const) {
    if (setup[name].length) json[name] = setup[name].map((cell) => formatCell(cell, size))
  }
  if (setup.toMove) json.to_move = NAMES[setup.toMove]
  return json
}
