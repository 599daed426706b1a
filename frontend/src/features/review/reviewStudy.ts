import type { Language, Review } from '@/wire'
import { cellOf } from '@/game/notation'
import { addLine, at, pathTo, type Tree } from '@/game/tree'
import { studyOf } from './analysisPlace'
import { linesOf, symbolOf } from './marks'

/** A reviewed game as a tree: what is said of each move as its comment, win rates, and the lines beside the moves as variations. */
export function reviewTree(review: Review, language: Language): { tree: Tree; nodes: number[] } {
  const { tree, last } = studyOf(review, review.moves.map(({ move }) => move))
  const nodes = pathTo(tree, last)
  const { B, W } = review.players
  tree.players = { black: B, white: W }
  nodes.forEach((node, ply) => {
    const winrate = review.winrates[ply] ?? null
    if (winrate !== null) at(tree, node).score = { winrate, winIn: null, visits: 0, by: '' }
  })
  for (const move of review.moves) {
    const symbol = symbolOf(move)
    at(tree, nodes[move.ply + 1]!).comment = [...(symbol ? [`${move.move} ${symbol}`] : []), ...move.text[language]].join('\n')
    for (const { line } of linesOf(move)) addLine(tree, nodes[line.from]!, line.moves.map((one) => cellOf(one, review.rules.size)))
  }
  return { tree, nodes }
}
