import { beforeEach, describe, expect, it } from 'vitest'
import { createPinia, setActivePinia } from 'pinia'
import { reviewTree, studyOf } from '@/features/review/reviewStudy'
import { symbolAt } from '@/features/analysis/nodeMarks'
import { useStudy } from '@/features/analysis/study'
import { at, lineThrough, ROOT } from '@/game/tree'
import { toRecord } from '@/game/record'
import type { Review } from '@/wire'
import { FakeServer } from './fakeServer'

const EMPTY = '.'.repeat(81)
const rules = { size: 9, winLength: 5, rule: 'freestyle', opening: 'free' }

function reviewed(start = EMPTY, colors = ['B', 'W', 'B']): Review {
  const marks = ['inaccuracy', 'blunder', 'good']
  const moves = ['e5', 'e6', 'e7'].map((move, ply) => ({
    ply, move, color: colors[ply], mark: marks[ply], only: ply === 2 ? 'e7' : null, best: ['d4', 'd5'], defence: null,
    missed: null, openWin: null, loses: null, text: { en: [`About ${move}.`], zh: [`关于 ${move}。`] },
  }))
  return { id: 'one', rules, start, moves, winrates: [0.5, 0.6, null, 0.7], players: { B: 'You', W: 'Engine' } } as unknown as Review
}

describe('a review as a study', () => {
  beforeEach(() => {
    localStorage.clear()
    setActivePinia(createPinia())
    new FakeServer()
  })

  it.each([
    [EMPTY, ['B', 'W', 'B'], null],
    [`B${EMPTY.slice(1)}`, ['W', 'B', 'W'], { black: [0], white: [], empty: [], toMove: 'W' }],
  ])('begins on %s with %j', (start, colors, setup) => {
    const { tree, last } = studyOf(reviewed(start, colors), ['e5', 'e6'])
    expect([at(tree, ROOT).setup, at(tree, last).color]).toEqual([setup, colors[1]])
  })

  it('has the marks of the moves, in the tree and in its file, their comments and the better lines', () => {
    const tree = reviewTree(reviewed(), 'en')
    const line = lineThrough(tree, ROOT)
    expect(line.map((id) => symbolAt(at(tree, id)))).toEqual(['', '?!', '??', '!'])
    expect(line.map((id) => at(tree, id).comment)).toEqual(['', 'About e5.', 'About e6.', 'About e7.'])
    expect(line.map((id) => at(tree, id).score?.winrate)).toEqual([0.5, 0.6, undefined, 0.7])
    expect(at(tree, ROOT).children).toHaveLength(2)
    const nodes = toRecord(tree).nodes!
    expect(nodes.flatMap(({ properties }) => (properties ? [properties] : []))).toEqual([{ DO: [''] }, { BM: ['2'] }, { TE: ['1'] }])
  })

  it('takes an own move in, and is the same study the next time', async () => {
    const study = useStudy()
    const fresh = () => reviewTree(reviewed(), 'en')
    await study.openReview('one', 'A game', fresh, [40, 31])
    expect([study.name, study.moves, study.state().changedAt]).toEqual(['A game', [40, 31], undefined])
    const size = Object.keys(study.doc.nodes).length
    await study.openReview('one', 'A game', fresh, [40, 31, 0])
    expect([study.moves, Object.keys(study.doc.nodes).length]).toEqual([[40, 31, 0], size + 1])
    await study.openReview('two', 'Another', fresh, [])
    expect(Object.keys(study.doc.nodes)).toHaveLength(size)
    await study.openReview('one', 'A game', fresh, [40])
    expect([study.name, study.moves, Object.keys(study.doc.nodes).length]).toEqual(['A game', [40], size + 1])
  })
})
