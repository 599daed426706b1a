import { describe, expect, it } from 'vitest'
import AnalyseLink from '@/features/review/AnalyseLink.vue'
import { analysisPlace } from '@/features/review/analysisPlace'
import type { Review } from '@/wire'
import { FakeServer } from './fakeServer'
import { mountPage } from './mountPage'

const EMPTY = '.'.repeat(81)
const rules = { size: 9, winLength: 5, rule: 'freestyle', opening: 'free' }

describe('a review', () => {
  it.each([
    [EMPTY, ['B', 'W', 'B'], 2, '/analysis/e5e6?size=9&winLength=5&rule=freestyle'],
    [EMPTY, ['B', 'W', 'B'], 0, '/analysis/-?size=9&winLength=5&rule=freestyle'],
    [`B${EMPTY.slice(1)}`, ['W', 'B', 'W'], 1, '/analysis/e5?size=9&winLength=5&rule=freestyle&black=a9&white=&toMove=W'],
  ])('of %s with %j leads from ply %i into the analysis', async (start, colors, shown, address) => {
    new FakeServer()
    const moves = ['e5', 'e6', 'e7'].map((move, i) => ({ move, color: colors[i] }))
    const review = { rules, start, moves } as unknown as Review
    const { page } = await mountPage(AnalyseLink, { to: analysisPlace(review, moves.slice(0, shown).map(({ move }) => move)) })
    expect(page.attributes('href')).toBe(address)
    page.unmount()
  })
})
