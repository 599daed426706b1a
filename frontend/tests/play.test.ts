import type { ByLink, GameState } from '@/wire'
import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import OfferCard from '@/features/friend/OfferCard.vue'
import GameList from '@/features/home/GameList.vue'
import HomeView from '@/features/home/HomeView.vue'
import { useGame } from '@/features/play/game'
import PlayView from '@/features/play/PlayView.vue'
import { useSettings } from '@/features/settings/settings'
import { useCatalogue } from '@/backend/catalogue'
import { useNotices } from '@/ui/notices'
import { rulebook } from '@/game/legality'
import { cellOf } from '@/game/notation'
import { FakeServer, human, makeGame } from './fakeServer'
import { mountPage } from './mountPage'

let server: FakeServer
let mounted: VueWrapper | null = null

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

async function play(change: Partial<GameState> = {}, locale: 'en' | 'zh-CN' = 'en') {
  server.put(makeGame(change))
  const { page } = await mountPage(PlayView, { id: 'game1' }, { locale, path: '/play/game1' })
  mounted = page
  await flushPromises()
  return page
}

const test = (page: VueWrapper, name: string) => page.find(`[data-test="${name}"]`)
const said = (page: VueWrapper): string => test(page, 'live').text()
const clock = { leftS: 300, incrementS: 2, moveS: null, running: false }
const judged = { moves: ['h8', 'i9'], winrates: [0.5, 0.6, 0.7], winrate: 0.7 }
/** Everything on the page that tells what is thought of the game. */
const evaluation = (page: VueWrapper): number => page.findAll('.bar, figure.graph').length + (/\d%/.test(page.text()) ? 1 : 0)

describe('what is thought of a game', () => {
  it('is shown without clocks, and hidden as a whole by one button', async () => {
    const page = await play(judged)
    expect(evaluation(page)).toBe(4)
    await test(page, 'evaluation').trigger('click')
    expect(evaluation(page)).toBe(0)
    expect(test(page, 'evaluation').attributes('aria-pressed')).toBe('false')
    server.push({ ...judged, moves: ['h8', 'i9', 'j9', 'k9'], winrate: 0.7 })
    await flushPromises()
    expect(said(page)).not.toContain('%')
  })

  it('is hidden with clocks, and nobody is asked for it', async () => {
    server.judges = 0.6
    const page = await play({ ...judged, clocks: [clock, clock] })
    await useCatalogue().load()
    await flushPromises()
    expect(evaluation(page)).toBe(0)
    expect(server.calls.filter((call) => call.path === '/analyze')).toEqual([])
    await test(page, 'evaluation').trigger('click')
    await vi.waitFor(() => expect(useGame().winrate).toBe(0.6))
    expect(evaluation(page)).toBe(4)
  })

  it('is shown when the game with clocks is over', async () => {
    const page = await play({ ...judged, clocks: [clock, clock], phase: 'over', outcome: { winner: 'B', reason: 'resignation', forbiddenKind: null } })
    expect(evaluation(page)).toBe(4)
  })

  it('is hidden where the bar of an earlier wuzi was switched off', async () => {
    localStorage.setItem('wuzi.settings', '{"winrateBar":false}')
    const page = await play(judged)
    expect(evaluation(page)).toBe(0)
    expect(useSettings().values.evaluation).toBe('never')
  })

  it.each([
    [false, [true, false, true]],
    [true, [false, true, false]],
  ])('with clocks %s goes on and off', async (timed, shown) => {
    await play()
    const settings = useSettings()
    const seen = [settings.evaluates(timed, false)]
    for (let i = 0; i < 2; i++) {
      settings.showEvaluation(!settings.evaluates(timed, false), timed)
      seen.push(settings.evaluates(timed, false))
    }
    expect(seen).toEqual(shown)
  })
})

describe('what is read out', () => {
  it('after a rematch is whose turn it is, not the end of the last game', async () => {
    const page = await play({ moves: ['h8'] })
    server.push({ phase: 'over', outcome: { winner: 'W', reason: 'resignation', forbiddenKind: null } })
    await flushPromises()
    expect(said(page)).toBe('You lost. You resigned.')
    server.put(makeGame({ id: 'game2' }))
    await page.setProps({ id: 'game2' })
    await flushPromises()
    expect(said(page)).toBe('Your turn (Black)')
  })

  it('in swap2 is each stone, what comes next, and the choice', async () => {
    const rules = { size: 15, winLength: 5, rule: 'freestyle' as const, opening: 'swap2' as const }
    const page = await play({ rules, phase: 'place_three' })
    expect(said(page)).toBe('Place the stones of the opening')
    const told: string[] = []
    for (const move of ['h8', 'i9', 'j10']) {
      await page.find(`rect[data-cell="${cellOf(move, 15)}"]`).trigger('click')
      await flushPromises()
      told.push(said(page))
    }
    expect(told).toEqual(['Black H8. Next: White. Stones left: 2', 'White I9. Next: Black. Stones left: 1', 'Black J10. All stones are placed.'])
    server.push({ rules, phase: 'choose', moves: ['h8', 'i9', 'j10'] })
    await flushPromises()
    server.push({ rules, phase: 'play', moves: ['h8', 'i9', 'j10'] })
    await flushPromises()
    expect(said(page)).toContain('Minimax took White: you are Black.')
  })
})

describe('a forbidden point', () => {
  it('is explained beside the board, of which it covers nothing', async () => {
    const page = await play({ forbidden: [{ move: 'a1', kind: 'double_three' }] })
    await page.find(`rect[data-cell="${cellOf('a1', 15)}"]`).trigger('focusin')
    page.findComponent({ name: 'BoardView' }).vm.$emit('explain', 'A1 is forbidden')
    await nextTick()
    const why = test(page, 'forbidden-why')
    expect(why.text()).toBe('A1 is forbidden')
    expect(why.element.closest('.board')).toBeNull()
  })
})

describe('the list of games', () => {
  const over = (winner: 'B' | 'W', reason: 'resignation' | 'line') => ({ phase: 'over' as const, outcome: { winner, reason, forbiddenKind: null } })

  it.each([
    ['en', 'W', 'resignation', 'You lost. You resigned.'],
    ['en', 'B', 'resignation', 'You won. White resigned.'],
    ['en', 'W', 'line', 'You lost. White has 5 in a row.'],
    ['zh-CN', 'W', 'resignation', '你输了。你认输了。'],
    ['zh-CN', 'B', 'line', '你赢了。黑方 5 子连珠。'],
  ] as const)('in %s says who won by %s as the person sees it: %s', async (locale, winner, reason, text) => {
    server.put(makeGame({ moves: ['h8'], ...over(winner, reason) }))
    const { page } = await mountPage(GameList, {}, { locale })
    mounted = page
    await useCatalogue().load()
    await flushPromises()
    expect(page.text()).toContain(text)
    expect(page.text()).toContain(locale === 'en' ? 'Minimax · Normal' : '极大极小 · 普通')
  })

  it('says of two people what each side did', async () => {
    server.put(makeGame({ moves: ['h8'], seats: [human('B'), human('W')], ...over('W', 'resignation') }))
    const { page } = await mountPage(GameList)
    mounted = page
    await flushPromises()
    expect(page.text()).toContain('Black resigned.')
    expect(page.text()).not.toContain('You lost')
  })
})

describe('two people', () => {
  it('are in sight on the first page, and may have names', async () => {
    const { page } = await mountPage(HomeView)
    mounted = page
    await useCatalogue().load()
    await flushPromises()
    const mode = page.get('input[name=mode][value=two]')
    expect(mode.element.closest('details')).toBeNull()
    await mode.setValue()
    expect(page.find('[data-test="levels"]').exists()).toBe(false)
    await page.get('[data-test="blackName"]').setValue(' Anna ')
    await test(page, 'start').trigger('click')
    await flushPromises()
    expect((server.posts()[0]!.body as { seats: unknown }).seats).toEqual([{ kind: 'human', name: 'Anna' }, { kind: 'human' }])
  })
})

describe('what two people ask each other', () => {
  const link = { seat: 0 as const, here: [0, 1], offer: null, stands: false, next: null, foul: null, unsent: false }
  const asked = (kind: 'undo' | 'draw' | 'rematch', seat = 0): ByLink => ({ ...link, offer: { kind, seat } })

  it.each([
    ['a draw that is declined', asked('draw'), { link }, ['invite.notTaken.draw']],
    ['a draw that is agreed', asked('draw'), { link, over: true }, []],
    ['a takeback that is declined', asked('undo'), { link }, ['invite.notTaken.undo']],
    ['a takeback that is given', asked('undo'), { link, moves: 3 }, []],
    ['a rematch that begins', asked('rematch'), { link: { ...link, next: 'g2' }, over: true }, []],
    ['an offer that is withdrawn', asked('draw'), { link, busy: true }, []],
    ['an offer of the other side', asked('draw', 1), { link }, []],
  ])('says that nothing came of it: %s', async (_, before, then, said) => {
    const { page } = await mountPage(OfferCard, { link: before, busy: false, moves: 4, over: false })
    await page.setProps(then)
    expect(useNotices().list.map(({ key }) => key)).toEqual(said)
    page.unmount()
  })
})
