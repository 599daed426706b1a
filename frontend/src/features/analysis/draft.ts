import { other } from '@/game/color'
import { FIRST } from '@/game/facts'
import type { Color } from '@/wire'
import { cellsAt, newTree, toMoveAt, type Tree, type TreeRules } from '@/game/tree'

/** A board that is being set up. */
export interface Draft {
  rules: TreeRules
  cells: string[]
  toMove: Color
}

/** What a click does: put a stone of a colour, stones of both in turn, or take one away. */
export type Tool = 'B' | 'W' | 'turn' | 'erase'

export function draftOf(tree: Tree, id: number): Draft {
  return { rules: { ...tree.rules }, cells: cellsAt(tree, id), toMove: toMoveAt(tree, id) }
}

/** Uses a tool on a cell: a stone of the tool's own colour goes, another one makes way for it. */
export function touch(draft: Draft, cell: number, tool: Tool): void {
  const before = draft.cells[cell]
  if (tool === 'erase') draft.cells[cell] = '.'
  else if (tool === 'turn') {
    if (before !== '.') draft.cells[cell] = '.'
    else {
      draft.cells[cell] = draft.toMove
      draft.toMove = other(draft.toMove)
    }
  } else draft.cells[cell] = before === tool ? '.' : tool
}

/** The same stones on a board of another size, about the same centre; those that would lie outside are left out. */
export function resized(draft: Draft, size: number): Draft {
  const old = draft.rules.size
  const shift = Math.trunc((size - old) / 2)
  const cells = Array<string>(size * size).fill('.')
  draft.cells.forEach((stone, cell) => {
    const [row, col] = [Math.floor(cell / old) + shift, (cell % old) + shift]
    if (stone !== '.' && row >= 0 && row < size && col >= 0 && col < size) cells[row * size + col] = stone
  })
  return { rules: { ...draft.rules, size, winLength: Math.min(draft.rules.winLength, size) }, cells, toMove: draft.toMove }
}

/** The study of a board that was set up; an empty board with Black to move needs no set-up stones. */
export function treeOf(draft: Draft): Tree {
  const named = (color: Color): number[] => draft.cells.flatMap((stone, cell) => (stone === color ? [cell] : []))
  const [black, white] = [named('B'), named('W')]
  const isPlain = !black.length && !white.length && draft.toMove === FIRST
  return newTree(draft.rules, isPlain ? null : { black, white, empty: [], toMove: draft.toMove })
}
