// @vitest-environment node
/** What a position shows at a glance is what Python writes down: threats, scores, trees, moves in words. */

import { beforeAll, expect, it } from 'vitest'
import { type Ask, chosen, gameIn, hired, plain, type Question, rowsOf } from './worker'

interface Row extends Question {
  words: string[]
  answer: unknown
}

const rows = rowsOf<Row>('layers')
let ask: Ask

beforeAll(async () => {
  ask = await hired()
})

it.each(chosen(rows.length))('layers %i', async (place) => {
  const { words: moves, answer, ...row } = rows[place]!
  const found = await ask('layers', { game: gameIn(row), body: { include: ['threats', 'scores', 'tree', 'words'], depth: 2, moves } })
  const { threats, scores, tree, words, unsupported } = found
  expect(plain({ threats, scores, tree, words, unsupported })).toEqual(answer)
})
