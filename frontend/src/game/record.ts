import type { Color } from '@/wire'
import { cellOf, formatCell } from './notation'
import { addNode, at, newTree, ROOT, type SetUp, toMoveAt, type Tree, type TreeNode } from './tree'

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
  setup?: SetupJson
  moves?: string[]
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
  else (record.moves ?? []).reduce((id, move) => addNode(tree, id, { move: cellOf(move, size), color: toMoveAt(tree, id) }), ROOT)
  return tree
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
  return {
    format: 'wuzi-record',
    version: 1,
    rules: { size, win_length: winLength, rule, opening: 'free' },
    players: { ...tree.players },
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
