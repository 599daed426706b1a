import type { Board, Figures, Sprt } from '@/wire'
import { mount } from '@vue/test-utils'
import { createPinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { defineComponent, h } from 'vue'
import FiguresPanel from '@/features/arena/FiguresPanel.vue'
import LiveBoards from '@/features/arena/LiveBoards.vue'
import { i18n } from '@/app/i18n'
import { usePlayerNames } from '@/features/arena/playerNames'
import { FakeServer } from './fakeServer'
import { allTexts, mountPage } from './mountPage'

const estimate = (value: number | null, low: number | null, high: number | null) => ({ value, low, high })

const figures: Figures = {
  games: 10,
  distinct: 10,
  standings: ['A', 'B'].map((label) => ({
    label,
    games: 10,
    wins: 7,
    draws: 1,
    losses: 2,
    winRate: estimate(0.7, 0.4, 0.9),
    rating: estimate(80, -20, null),
  })),
  pairs: [
    {
      leader: 'A',
      other: 'B',
      wins: 7,
      draws: 1,
      losses: 2,
      score: estimate(0.75, 0.5, 0.9),
      elo: estimate(191, 0, null),
      los: 0.95,
      separable: false,
      distinct: 10,
      pentanomial: [0, 1, 1, 1, 2],
    },
  ],
  findings: ['A <b>leads</b>'],
  warnings: [],
  tables: [{ title: 'Ranking', header: ['Player', 'Elo'], rows: [['A', '+80']], names: 0 }],
  methods: [],
}
const sprt: Sprt = { elo0: -30, elo1: 30, llr: -0.0001, low: -2.94, high: 2.94, nelo: 5, decision: '' }
const global = { plugins: [i18n, createPinia()] }

describe('the figures of an arena', () => {
  beforeEach(() => allTexts())

  it('say the score, Elo with its interval, pairs and the test', () => {
    const text = mount(FiguresPanel, { props: { figures, sprt, first: 'A' }, global }).text()
    for (const words of [
      '7 – 1 – 2',
      '+191 Elo',
      '95 %: 0 to +∞',
      '2 points: 2',
      'Not decided yet',
      'ratio 0.00, decided at −2.94 or 2.94',
    ])
      expect(text).toContain(words)
  })

  it('name who was judged when the test is decided', () => {
    const done = { ...sprt, decision: 'H1' as const }
    expect(mount(FiguresPanel, { props: { figures, sprt: done, first: 'B' }, global }).text()).toContain(
      '+30 normalised Elo for B was accepted, −30 was rejected',
    )
  })

  it('show ratings when there are more pairs, and text as text', () => {
    const three = { ...figures, pairs: [...figures.pairs, ...figures.pairs] }
    const panel = mount(FiguresPanel, { props: { figures: three }, global })
    expect(panel.find('[data-test="ratings"] [role="img"]').attributes('aria-label')).toBe('A: +80 Elo, 95 %: −20 to +∞')
    expect(panel.find('b').exists()).toBe(false)
    expect(panel.text()).toContain('A <b>leads</b>')
  })
})

describe('the boards in progress', () => {
  const board = (given: Partial<Board & { sinceMs: number }> = {}): Board & { sinceMs: number } => ({
    gameId: 'g', size: 9, moves: ['e5', 'f5'], toMove: 'B', askedAt: 1000, sinceMs: 0, winner: null, reason: null,
    black: { name: 'A', timeS: 1.5, clockS: null, winrate: 0.4 },
    white: { name: 'B', timeS: 75.4, clockS: null, winrate: null },
    ...given,
  })

  it('can be looked at closely, with the moves so far', async () => {
    const boards = [board()]
    const view = mount(LiveBoards, { props: { boards, running: true, winLength: 5 }, global })
    expect(view.text()).toContain('2 stones · F5')
    await view.get('[data-test="board-large"]').trigger('click')
    await view.setProps({ boards: [{ ...boards[0]!, gameId: 'next', moves: ['a1'] }] })
    expect(view.get('li').classes()).toContain('large')
    expect(view.get('[data-test="board-large"]').text()).toBe('Smaller')
  })

  it('keep the game that is looked at closely, wherever it stands', async () => {
    const one = (gameId: string) => board({ gameId })
    const view = mount(LiveBoards, { props: { boards: ['a', 'b', 'c'].map(one), running: true, winLength: 5 }, global })
    const large = (): boolean[] => view.findAll('li').map((item) => item.classes().includes('large'))
    await view.findAll('[data-test="board-large"]')[1]!.trigger('click')
    expect(large()).toEqual([false, true, false])
    await view.setProps({ boards: ['b', 'c', 'd'].map(one) })
    expect(large()).toEqual([true, false, false])
    await view.setProps({ boards: ['c', 'd'].map(one) })
    expect(large()).toEqual([true, false])
  })

  it('show the stones of both sides and say so', () => {
    const boards = [board({ moves: ['e5', 'f5', 'e6'], toMove: 'W' })]
    const view = mount(LiveBoards, { props: { boards, running: false, winLength: 5 }, global })
    expect(view.find('[role="img"]').attributes('aria-label')).toBe('A (Black) against B (White), 3 stones')
    expect(view.findAll('[role="gridcell"]')).toHaveLength(0)
    expect(view.find('[data-test="left-note"]').text()).toContain('played anew')
    expect(view.find('.runs').exists()).toBe(false)
  })

  it('show the clocks, that of the side to move running, and what each player thinks of its chances', async () => {
    vi.useFakeTimers()
    const view = mount(LiveBoards, { props: { boards: [board({ sinceMs: performance.now() - 2000 })], running: true, winLength: 5 }, global })
    const clocks = (): string[] => view.findAll('[data-test="live-clock"]').map((one) => one.text())
    expect(clocks()).toEqual(['0:03.5', '1:15'])
    await vi.advanceTimersByTimeAsync(1000)
    expect(clocks()).toEqual(['0:04.5', '1:15'])
    expect(view.findAll('[data-test="chance"]').map((one) => one.text())).toEqual(['40%'])
    await view.setProps({ boards: [board({ toMove: 'W', white: { name: 'B', timeS: 0, clockS: 61, winrate: 0.4 }, sinceMs: performance.now() - 1500 })] })
    expect(clocks()).toEqual(['0:01.5', '0:59.5'])
    expect(view.findAll('[data-test="chance"]').map((one) => one.text())).toEqual(['40%', '60%'])
    view.unmount()
    vi.useRealTimers()
  })

  it('say how a game ended until the next takes its place', () => {
    const boards = [board({ askedAt: null, winner: 'white', reason: 'line' }), board({ gameId: 'h', askedAt: null, winner: 'draw', reason: 'draw_full' })]
    const view = mount(LiveBoards, { props: { boards, running: true, winLength: 4 }, global })
    expect(view.findAll('[data-test="board-result"]').map((one) => one.text())).toEqual(['White has 4 in a row.', 'Draw'])
    expect(view.findAll('.won').map((one) => one.attributes('data-test'))).toEqual(['side-W'])
    expect(view.find('.runs').exists()).toBe(false)
  })
})

describe('players of an arena', () => {
  it.each([
    ['en', 'mcts:preset=s0,c=1.5: 3 wins. random, x:engine and random-2 lost to engine.'],
    ['zh-CN', '蒙特卡洛（mcts:preset=s0,c=1.5）: 3 wins. 随机（random）, x:engine and random-2 lost to 五子引擎（engine）.'],
  ] as const)('in %s that have only a spec are named by its kind', async (locale, text) => {
    new FakeServer()
    const Named = defineComponent(() => () => h('p', usePlayerNames().named('mcts:preset=s0,c=1.5: 3 wins. random, x:engine and random-2 lost to engine.')))
    const { page } = await mountPage(Named, {}, { locale })
    expect(page.text()).toBe(text)
    page.unmount()
  })

  it.each([
    ['en', 'Casual level beats Casual level (2) by 3.'],
    ['zh-CN', '入门级 beats 入门级 (2) by 3.'],
  ] as const)('in %s have the names of that language, whatever it was begun in', async (locale, text) => {
    const server = new FakeServer()
    server.answers['GET /arenas/players'] = [
      { spec: 'casual', name: { en: 'Casual', zh: '入门' }, limit: {} },
      { spec: 'level', name: { en: 'Casual level', zh: '入门级' }, limit: {} },
    ]
    const Named = defineComponent({
      setup() {
        const names = usePlayerNames()
        void names.load()
        return () => h('p', names.named('Casual level beats 入门级 (2) by 3.'))
      },
    })
    const { page } = await mountPage(Named, {}, { locale })
    expect(page.text()).toBe(text)
    page.unmount()
  })
})
