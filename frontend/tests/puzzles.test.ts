import { ratingAfter, ratingOf, usePuzzles } from '@/features/puzzles/puzzles'
import { createPinia, setActivePinia } from 'pinia'
import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Router } from 'vue-router'
import PuzzlesView from '@/features/puzzles/PuzzlesView.vue'
import { useCatalogue } from '@/backend/catalogue'
import { cellOf } from '@/game/notation'
import { rulebook } from '@/game/legality'
import type { ThemeName } from '@/wire'
import { FakeServer } from './fakeServer'
import { mountPage } from './mountPage'

const RULES = { size: 9, winLength: 5, rule: 'freestyle', opening: 'free' }
let server: FakeServer
let mounted: VueWrapper | null = null

function puzzle(id: string, theme: ThemeName) {
  return { id, theme, rules: RULES, ply: 2, toMove: 'B', length: 3, difficulty: 'easy', moves: ['e5', 'e6'], solution: null }
}

async function opened(theme: ThemeName, locale: 'en' | 'zh-CN' = 'en'): Promise<{ page: VueWrapper; router: Router }> {
  localStorage.setItem('wuzi.puzzles', JSON.stringify({ theme }))
  const all = ['one', 'two', 'three'].map((id) => puzzle(id, theme))
  server.answers[`GET /puzzles?theme=${theme}`] = all
  for (const one of all) server.answers[`GET /puzzles/${one.id}`] = one
  const found = await mountPage(PuzzlesView, { id: 'one' }, { locale, path: '/puzzles/one' })
  mounted = found.page
  await useCatalogue().load()
  await flushPromises()
  return found
}

const test = (page: VueWrapper, name: string) => page.find(`[data-test="${name}"]`)
const message = (page: VueWrapper): string => test(page, 'puzzle-message').text()

async function tried(page: VueWrapper, move: string): Promise<void> {
  await page.find(`rect[data-cell="${cellOf(move, 9)}"]`).trigger('click')
  await flushPromises()
}

beforeEach(async () => {
  localStorage.clear()
  server = new FakeServer()
  await rulebook()
})
afterEach(() => {
  mounted?.unmount()
  mounted = null
  document.body.innerHTML = ''
})

describe('a wrong move', () => {
  it.each([
    ['en', 'No: White answers D5, and no forced win was found after that.'],
    ['zh-CN', '不对：白棋应在 D5，之后没有找到必胜的走法。'],
  ] as const)('in %s is answered on the board by what takes the win away', async (locale, text) => {
    const { page } = await opened('vcf', locale)
    server.answers['POST /puzzles/one/try'] = { verdict: 'fails', reply: 'd5', line: [], loss: null, winrate: null }
    await tried(page, 'a1')
    expect(message(page)).toBe(text)
    expect(page.findAll('.stone')).toHaveLength(4)
    await test(page, 'puzzle-again').trigger('click')
    expect(page.findAll('.stone')).toHaveLength(2)
  })

  it('in a defence is answered by the win that it lets pass', async () => {
    const { page } = await opened('defence')
    server.answers['POST /puzzles/one/try'] = { verdict: 'fails', reply: null, line: ['d5', 'd6', 'c5'], loss: null, winrate: null }
    await tried(page, 'a1')
    expect(message(page)).toContain('how White then wins')
    expect(page.findAll('.stone')).toHaveLength(6)
  })
})

describe('a puzzle', () => {
  it('of a defence shows the threat that is to be stopped, and hides it again', async () => {
    const { page } = await opened('defence')
    server.answers['POST /layers'] = {
      turnNumber: 2,
      unsupported: {},
      words: null,
      threats: { found: [], lines: [{ color: 'W', toMove: false, kind: 'vcf', verdict: 'win', moves: ['e7', 'e8', 'e9'] }] },
    }
    await test(page, 'puzzle-threat').trigger('click')
    await flushPromises()
    expect(page.findAll('[data-test="line"] text').map((one) => one.text())).toEqual(['1', '2', '3'])
    const asked = server.calls.find((call) => call.path === '/layers')!.body as { position: { moves: string[] } }
    expect(asked.position.moves).toEqual(['e5', 'e6'])
    await test(page, 'puzzle-threat').trigger('click')
    expect(page.find('[data-test="line"]').exists()).toBe(false)
  })

  it('of a win has no such button', async () => {
    expect(test((await opened('vcf')).page, 'puzzle-threat').exists()).toBe(false)
  })

  it('is gone to by its number; one that is none changes nothing', async () => {
    const { page, router } = await opened('vct')
    const field = test(page, 'puzzle-number')
    await field.setValue('9')
    await field.trigger('change')
    expect((field.element as HTMLInputElement).value).toBe('1')
    await field.setValue('3')
    await field.trigger('change')
    await flushPromises()
    expect(router.currentRoute.value.params.id).toBe('three')
  })

  it('of another theme is shown in the list of its own', async () => {
    server.answers['GET /puzzles?theme=defence'] = ['three', 'two'].map((id) => puzzle(id, 'defence'))
    const { page } = await opened('vcf')
    server.answers['GET /puzzles/two'] = puzzle('two', 'defence')
    await page.setProps({ id: 'two' })
    await flushPromises()
    expect((test(page, 'puzzle-number').element as HTMLInputElement).value).toBe('2')
    expect(page.text()).toContain('of 2')
  })

  it('opens by a link with its number', async () => {
    localStorage.setItem('wuzi.puzzles', JSON.stringify({ theme: 'vct' }))
    server.answers['GET /puzzles?theme=vct'] = ['one', 'two', 'three'].map((id) => puzzle(id, 'vct'))
    const { page, router } = await mountPage(PuzzlesView, { id: '2' }, { path: '/puzzles/2' })
    mounted = page
    await flushPromises()
    expect(router.currentRoute.value.params.id).toBe('two')
  })

  it('opens in the analysis with what has been tried', async () => {
    const { page } = await opened('vcf')
    server.answers['POST /puzzles/one/try'] = { verdict: 'continues', reply: 'd5', line: [], loss: null, winrate: null }
    await tried(page, 'e4')
    expect(test(page, 'puzzle-analyse').attributes('href')).toBe('/analysis/e5e6e4d5?size=9&winLength=5&rule=freestyle')
  })
})

describe('the answer', () => {
  it('played after it was shown solves nothing', async () => {
    const { page } = await opened('vcf')
    server.answers['GET /puzzles/one?solution=true'] = { ...puzzle('one', 'vcf'), solution: ['e4'] }
    server.answers['POST /puzzles/one/try'] = { verdict: 'solved', reply: null, line: [], loss: null, winrate: null }
    await test(page, 'puzzle-solution').trigger('click')
    await flushPromises()
    await test(page, 'puzzle-again').trigger('click')
    await tried(page, 'e4')
    expect(usePuzzles().values.results.one).toMatchObject({ solved: false, clean: false })
  })

  it('that nobody can judge is taken off the board again, and costs nothing', async () => {
    const { page } = await opened('vct')
    server.answers['POST /puzzles/one/try'] = { verdict: 'close', reply: null, line: [], loss: null, winrate: null }
    const before = page.findAll('.stone').length
    await tried(page, 'a1')
    expect(page.findAll('.stone')).toHaveLength(before)
    expect(test(page, 'puzzle-message').text()).toContain('could not be proved')
    expect(usePuzzles().values.results.one).toBeUndefined()
  })
})

describe('why', () => {
  const said = (en: string) => ({ turnNumber: 2, unsupported: {}, words: [{ move: 'e4', en: [en], zh: ['冲四'] }], threats: null })
  const steps = (page: VueWrapper): string[] => page.findAll('[data-test="why-steps"] li').map((one) => one.text().replace(/\s+/g, ' '))

  it('a win is one is said move by move, and each is put upon the board', async () => {
    const { page } = await opened('vcf')
    expect(test(page, 'puzzle-why').exists()).toBe(false)
    server.answers['GET /puzzles/one?solution=true'] = { ...puzzle('one', 'vcf'), solution: ['e4', 'd5', 'e3'] }
    server.answers['POST /layers'] = said('makes a four, to be stopped at d5')
    await test(page, 'puzzle-solution').trigger('click')
    await flushPromises()
    expect(page.findAll('.stone')).toHaveLength(5)
    await test(page, 'puzzle-why').trigger('click')
    await flushPromises()
    expect(test(page, 'puzzle-because').text()).toContain('Every move of Black makes a four')
    expect(steps(page)).toEqual(['E4 makes a four, to be stopped at D5. White answers D5', 'E3 makes a four, to be stopped at D5'])
    const asked = server.calls.filter((call) => call.path === '/layers').map((call) => call.body as { position: { toMove: string; moves: string[] }; moves: string[] })
    expect(asked.map(({ position, moves }) => [position.toMove, position.moves, moves])).toEqual([
      ['B', [], ['e4']],
      ['B', ['e4', 'd5'], ['e3']],
    ])
    await page.findAll('[data-test="why-steps"] button')[0]!.trigger('click')
    expect(page.findAll('.stone')).toHaveLength(3)
    await test(page, 'puzzle-why').trigger('click')
    expect(page.findAll('.stone')).toHaveLength(5)
    expect(test(page, 'puzzle-because').exists()).toBe(false)
  })

  it('a move fails is said by what the other side then does', async () => {
    const { page } = await opened('defence', 'zh-CN')
    server.answers['POST /puzzles/one/try'] = { verdict: 'fails', reply: null, line: ['d5', 'd6', 'c5'], loss: null, winrate: null }
    server.answers['POST /layers'] = said('makes a four')
    await tried(page, 'a1')
    await test(page, 'puzzle-why').trigger('click')
    await flushPromises()
    expect(test(page, 'puzzle-because').text()).toContain('白棋有必胜的进攻')
    expect(steps(page)).toEqual(['D5 冲四。黑棋应在 D6', 'C5 冲四'])
  })

  it('a defence is the only one is said by the threat that it stops', async () => {
    const { page } = await opened('defence')
    server.answers['POST /puzzles/one/try'] = { verdict: 'solved', reply: null, line: [], loss: null, winrate: null }
    server.answers['POST /layers'] = {
      ...said('makes a four'),
      threats: { found: [], lines: [{ color: 'W', toMove: false, kind: 'vcf', verdict: 'win', moves: ['e7', 'e8', 'e9'] }] },
    }
    await tried(page, 'd4')
    await test(page, 'puzzle-why').trigger('click')
    await flushPromises()
    expect(test(page, 'puzzle-because').text()).toContain('White threatened the fours below, and D4 stops them')
    expect(steps(page)).toHaveLength(2)
    await page.findAll('[data-test="why-steps"] button')[1]!.trigger('click')
    expect(page.findAll('[data-test="line"] text').map((one) => one.text())).toEqual(['1', '2'])
    expect(page.findAll('.stone')).toHaveLength(2)
  })

  it('a win by a way of one’s own is one claims no more than is proved', async () => {
    const { page } = await opened('vcf')
    server.answers['POST /puzzles/one/try'] = { verdict: 'solved', reply: null, line: [], loss: null, winrate: null }
    server.answers['GET /puzzles/one?solution=true'] = { ...puzzle('one', 'vcf'), solution: ['e4', 'd5', 'e3'] }
    server.answers['POST /layers'] = said('makes an open three')
    await tried(page, 'd4')
    await test(page, 'puzzle-why').trigger('click')
    await flushPromises()
    expect(test(page, 'puzzle-because').text()).toContain('another way than the puzzle’s own line')
  })
})

describe('the rating of a person', () => {
  const easy = { difficulty: 'easy' as const, length: 3 }
  const hard = { difficulty: 'hard' as const, length: 15 }

  it('moves by what was to be expected: much while little is known', () => {
    expect([ratingOf(easy), ratingOf(hard), ratingOf({ ...hard, length: 99 })]).toEqual([950, 1950, 2100])
    expect(ratingAfter(1200, 0, 1200, true)).toBe(1230)
    expect(ratingAfter(1200, 50, 1200, false)).toBe(1188)
    expect(ratingAfter(1200, 50, 2000, false)).toBeGreaterThan(1199)
  })

  it('counts the first try of a puzzle alone', () => {
    setActivePinia(createPinia())
    const progress = usePuzzles()
    progress.note('a', true, true, hard)
    const after = progress.values.rating
    expect([after > 1200, progress.values.rated]).toEqual([true, 1])
    progress.note('a', true, true, hard)
    expect([progress.values.rating, progress.values.rated]).toEqual([after, 1])
    progress.note('b', false, false, easy)
    progress.note('b', true, false, easy)
    expect([progress.values.rating < after, progress.values.rated]).toEqual([true, 2])
    progress.forget()
    expect([progress.values.rating, progress.values.rated]).toEqual([1200, 0])
  })
})
