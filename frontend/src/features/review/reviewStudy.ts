import type { Color, Language, Review } from '@/wire'
import { FIRST } from '@/game/facts'
import { cellOf } from '@/game/notation'
import { addLine, at, newTree, pathTo, ROOT, type Tree } from '@/game/tree'
import { linesOf, symbolOf } from './marks'

/** What a symbol is in SGF, as `wuzi review` writes it into a game. */
const PROPERTIES: Record<string, Record<string, string[]>> = { '?!': { DO: [''] }, '?': { BM: ['1'] }, '??': { BM: ['2'] }, '□': { TE: ['1'] } }

/** The position of a review after these moves, as a tree and its last node. */
export function studyOf({ rules, start, moves: played }: Review, moves: readonly string[]): { tree: Tree; last: number } {
  const named = (color: Color): number[] => [...start].flatMap((stone, cell) => (stone === color ? cell : []))
  const toMove = played[0]?.color ?? FIRST
  const isPlain = !/[BW]/.test(start) && toMove === FIRST
  const tree = newTree(rules, isPlain ? null : { black: named('B'), white: named('W'), empty: [], toMove })
  return { tree, last: addLine(tree, ROOT, moves.map((move) => cellOf(move, rules.size))) }
}

/** A reviewed game as a tree: marks and comments of the moves, win rates, and the lines beside the moves as variations. */
export function reviewTree(review: Review, language: Language): Tree {
  const { tree, last } = studyOf(review, review.moves.map(({ move }) => move))
  const nodes = pathTo(tree, last)
  const { B, W } = review.players
  tree.players = { black: B, white: W }
  nodes.forEach((node, ply) => {
    const winrate = review.winrates[ply] ?? null
    if (winrate !== null) at(tree, node).score = { winrate, winIn: null, visits: 0, by: '' }
  })
  for (const move of review.moves) {
    const node = at(tree, nodes[move.ply + 1]!)
    const properties = PROPERTIES[symbolOf(move)]
    if (properties) node.extra.properties = properties
    node.comment = move.text[language].join('\n')
    for (const { line } of linesOf(move)) addLine(tree, nodes[line.from]!, line.moves.map((one) => cellOf(one, review.rules.size)))
  }
  return tree
}
