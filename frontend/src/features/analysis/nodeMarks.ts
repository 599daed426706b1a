import { cellOf, formatCell } from '@/game/notation'
import type { TreeNode } from '@/game/tree'

/** What is drawn on the board at a node: shapes and letters as SGF has them, and arrows (`AR`), which travel as that property. */

export const SHAPES = ['circle', 'square', 'triangle', 'cross', 'label'] as const
export type Shape = (typeof SHAPES)[number]

export interface NodeMark {
  kind: string
  cell: number
  text: string
}

export interface Arrow {
  from: number
  to: number
}

interface Stored {
  kind: string
  cell: string
  text?: string
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const NAMES = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

const stored = (node: TreeNode): Stored[] => (node.extra.marks as Stored[] | undefined) ?? []
const properties = (node: TreeNode): Record<string, string[]> => (node.extra.properties as Record<string, string[]> | undefined) ?? {}

export const marksAt = (node: TreeNode, size: number): NodeMark[] => stored(node).map(({ kind, cell, text = '' }) => ({ kind, cell: cellOf(cell, size), text }))

/** Puts a shape on a cell, or takes it away where it is; a cell has one. A letter is the next one that is free. */
export function toggleMark(node: TreeNode, size: number, kind: Shape, cell: number): void {
  const name = formatCell(cell, size)
  const others = stored(node).filter((one) => one.cell !== name)
  const isThere = stored(node).some((one) => one.cell === name && one.kind === kind)
  const used = new Set(others.map(({ text }) => text))
  const text = kind === 'label' ? [...NAMES].find((letter) => !used.has(letter)) ?? '?' : ''
  const marks = isThere ? others : [...others, { kind, cell: name, ...(text && { text }) }]
  if (marks.length) node.extra.marks = marks
  else delete node.extra.marks
}

const point = (cell: number, size: number): string => `${LETTERS[cell % size]}${LETTERS[Math.floor(cell / size)]}`

function cellAt(text: string, size: number): number | null {
  const [column, row] = [...text].map((letter) => LETTERS.indexOf(letter)) as [number, number]
  return text.length === 2 && column >= 0 && row >= 0 && column < size && row < size ? row * size + column : null
}

export function arrowsAt(node: TreeNode, size: number): Arrow[] {
  return (properties(node).AR ?? []).flatMap((raw) => {
    const [from, to] = raw.split(':').map((text) => cellAt(text.trim(), size))
    return from == null || to == null ? [] : [{ from, to }]
  })
}

export function toggleArrow(node: TreeNode, size: number, from: number, to: number): void {
  const raw = `${point(from, size)}:${point(to, size)}`
  const { AR = [], ...others } = properties(node)
  const arrows = AR.includes(raw) ? AR.filter((one) => one !== raw) : [...AR, raw]
  const all = { ...others, ...(arrows.length && { AR: arrows }) }
  if (Object.keys(all).length) node.extra.properties = all
  else delete node.extra.properties
}

/** What an annotator's mark of a move is written as, from SGF's properties of it; '' for none. */
export function symbolAt(node: TreeNode): string {
  const { BM, DO, IT, TE } = properties(node)
  if (BM) return BM[0] === '2' ? '??' : '?'
  if (TE) return TE[0] === '2' ? '!!' : '!'
  return DO ? '?!' : IT ? '!?' : ''
}

export const hasMarks = (node: TreeNode): boolean => stored(node).length > 0 || Boolean(properties(node).AR?.length)

export function clearMarks(node: TreeNode): void {
  delete node.extra.marks
  const { AR: _, ...others } = properties(node)
  if (Object.keys(others).length) node.extra.properties = others
  else delete node.extra.properties
}
