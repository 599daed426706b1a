import type { Color, Review } from '@/wire'
import type { RouteLocationRaw } from 'vue-router'
import { FIRST } from '@/game/facts'
import { cellOf } from '@/game/notation'
import { linkParts } from '@/game/place'
import { addLine, newTree, ROOT, type Tree } from '@/game/tree'

/** The position of a review after these moves, as a tree and its last node. */
export function studyOf({ rules, start, moves: played }: Review, moves: readonly string[]): { tree: Tree; last: number } {
  const named = (color: Color): number[] => [...start].flatMap((stone, cell) => (stone === color ? cell : []))
  const toMove = played[0]?.color ?? FIRST
  const isPlain = !/[BW]/.test(start) && toMove === FIRST
  const tree = newTree(rules, isPlain ? null : { black: named('B'), white: named('W'), empty: [], toMove })
  return { tree, last: addLine(tree, ROOT, moves.map((move) => cellOf(move, rules.size))) }
}

/** The way into the analysis of it. */
export function analysisPlace(review: Review, moves: readonly string[]): RouteLocationRaw {
  const { tree, last } = studyOf(review, moves)
  const { code, query } = linkParts(tree, last)
  return { name: 'analysis', params: { code }, query }
}
