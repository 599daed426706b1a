import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Router } from 'vue-router'
import OpeningsView from '@/features/openings/OpeningsView.vue'
import { BOOKS, known, ordered, RENJU, setOf } from '@/features/openings/openings'
import { useSetup } from '@/features/home/setup'
import type { Locale } from '@/app/i18n'
import { FakeServer } from './fakeServer'
import { mountPage } from './mountPage'

let mounted: VueWrapper | null = null

async function opened(path: string, locale: Locale = 'en'): Promise<{ page: VueWrapper; router: Router }> {
  const found = await mountPage(OpeningsView, {}, { path, locale })
  mounted = found.page
  return found
}
const test = (page: VueWrapper, name: string) => page.find(`[data-test="${name}"]`)

beforeEach(() => new FakeServer())
afterEach(() => {
  mounted?.unmount()
  mounted = null
})

describe('what is known of openings', () => {
  it('is of the 26 under three rules, seven books, and White’s replies', () => {
    expect(BOOKS).toHaveLength(9)
    expect(known.sets.filter(({ book }) => book === RENJU).map(({ rule }) => rule)).toEqual(['renju', 'freestyle', 'standard'])
    expect(setOf(RENJU, '')?.rule).toBe('renju')
    expect(setOf('freestyle-20', 'renju')?.size).toBe(20)
    expect(setOf('nothing', '')).toBeUndefined()
  })

  it('is ordered by how even an opening is, or how good for Black', () => {
    const some = [0.9, 0.45, 0.2].map((winrate, i) => ({ id: String(i), moves: 'h8', winrate, games: 0, score: null }))
    const ids = (order: Parameters<typeof ordered>[1]): string => ordered(some, order).map(({ id }) => id).join('')
    expect([ids('own'), ids('even'), ids('black')]).toEqual(['012', '120', '012'])
    expect(some.map(({ id }) => id)).toEqual(['0', '1', '2'])
    expect(ordered([...some, { ...some[0]!, id: '3', study: 0.5 }], 'even')[0]!.id).toBe('3')
  })
})

describe('the page of openings', () => {
  it.each([
    ['en', 'D4 · Kagetsu 花月', 'direct · H8 H9 I9'],
    ['zh-CN', 'D4 · 花月 Kagetsu', '直指 · H8 H9 I9'],
  ] as const)('in %s names the opening of its address in both languages', async (locale, title, about) => {
    const { page } = await opened('/openings/renju26/d4', locale)
    expect(test(page, 'opening').find('h2').text().replace(/\s+/g, ' ')).toBe(title)
    expect(test(page, 'opening').find('p').text().replace(/\s+/g, ' ')).toBe(about)
    expect(page.findAll('[data-test="opening-list"] li')).toHaveLength(26)
    expect(test(page, 'opening-d4').attributes('aria-current')).toBe('true')
  })

  it('leads to the position, to the analysis, and to a rule of its own', async () => {
    const { page, router } = await opened('/openings/renju26/i7?rule=standard')
    expect(test(page, 'opening-play').attributes('href')).toBe('/p/h8i9i7?size=15&winLength=5&rule=standard')
    expect(test(page, 'opening-analyse').attributes('href')).toBe('/analysis/h8i9i7?size=15&winLength=5&rule=standard')
    expect(test(page, 'opening-proof').exists()).toBe(false)
    await router.push({ query: { rule: 'freestyle' } })
    await flushPromises()
    expect(test(page, 'opening-proof').text()).toBe('not proved yet')
  })

  it('says how fast a reply is proved to lose, and walks the proof', async () => {
    const proved = setOf('proof', '')!.openings.find(({ plies }) => plies !== undefined)!
    const { page } = await opened(`/openings/proof/${proved.id}`)
    expect(test(page, 'opening-proof').text()).toBe(`Black wins in at most ${Math.ceil(proved.plies! / 2)} more moves, whatever White plays.`)
    expect(test(page, 'opening-walk').attributes('href')).toBe(`/proof/${proved.moves}`)
  })

  it('copies a link, and says where one leads nowhere', async () => {
    const writeText = vi.fn().mockResolvedValue(undefined)
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } })
    const { page, router } = await opened('/openings/renju26/d1')
    await test(page, 'opening-link').trigger('click')
    expect(writeText).toHaveBeenCalledWith(expect.stringMatching(/\/openings\/renju26\/d1\?rule=renju$/))
    vi.unstubAllGlobals()
    await router.push('/openings/renju26/d77')
    await flushPromises()
    expect(page.text()).toContain('There is no such opening')
  })

  it('sets up a game with a swap', async () => {
    const { page, router } = await opened('/openings/swap')
    expect(page.findAll('[data-test="opening-list"] li')).toHaveLength(8)
    const push = vi.spyOn(router, 'push')
    await test(page, 'set-up-swap2').trigger('click')
    expect(useSetup().values.opening).toBe('swap2')
    expect(push).toHaveBeenCalledWith({ name: 'home' })
  })
})
