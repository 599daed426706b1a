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
    ['en', 'No: White answers D5, and the win is gone.'],
    ['zh-CN', '不对：白棋应在 D5，胜势就没有了。'],
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

  it('opens in the analysis with what has been tried', async () => {
    const { page } = await opened('vcf')
    server.answers['POST /puzzles/one/try'] = { verdict: 'continues', reply: 'd5', line: [], loss: null, winrate: null }
    await tried(page, 'e4')
    expect(test(page, 'puzzle-analyse').attributes('href')).toBe('/analysis/e5e6e4d5?size=9&winLength=5&rule=freestyle')
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
