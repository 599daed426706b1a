import type { Color, Review } from '@/wire'
import type { RouteLocationRaw } from 'vue-router'
import { FIRST } from '@/game/facts'
import { cellOf } from '@/game/notation'
import { linkParts } from '@/game/place'
import { addLine, newTree, ROOT } from '@/game/tree'

/** The way into the analysis of the position of a review after these moves. */
export function analysisPlace({ rules, start, moves: played }: Review, moves: readonly string[]): RouteLocationRaw {
  const named = (color: Color): number[] => [...start].flatMap((stone, cell) => (stone === color ? cell : []))
  const toMove = played[0]?.color ?? FIRST
  const isPlain = !/[BW]/.test(start) && toMove === FIRST
  const tree = newTree(rules, isPlain ? null : { black: named('B'), white: named('W'), empty: [], toMove })
  const last = addLine(tree, ROOT, moves.map((move) => cellOf(move, rules.size)))
  const { code, query } = linkParts(tree, last)
  return { name: 'analysis', params: { code }, query }
}
