import type { Figures, Sprt } from '@/wire'
import { mount } from '@vue/test-utils'
import { createPinia } from 'pinia'
import { beforeEach, describe, expect, it } from 'vitest'
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
  it('can be looked at closely, with the moves so far', async () => {
    const boards = [{ gameId: 'g', black: 'A', white: 'B', size: 9, moves: ['e5', 'f5'] }]
    const view = mount(LiveBoards, { props: { boards, running: true }, global })
    expect(view.text()).toContain('2 stones · F5')
    await view.get('[data-test="board-large"]').trigger('click')
    await view.setProps({ boards: [{ ...boards[0]!, gameId: 'next', moves: ['a1'] }] })
    expect(view.get('li').classes()).toContain('large')
    expect(view.get('[data-test="board-large"]').text()).toBe('Smaller')
  })

  it('keep the game that is looked at closely, wherever it stands', async () => {
    const one = (gameId: string) => ({ gameId, black: 'A', white: 'B', size: 9, moves: ['e5'] })
    const view = mount(LiveBoards, { props: { boards: ['a', 'b', 'c'].map(one), running: true }, global })
    const large = (): boolean[] => view.findAll('li').map((item) => item.classes().includes('large'))
    await view.findAll('[data-test="board-large"]')[1]!.trigger('click')
    expect(large()).toEqual([false, true, false])
    await view.setProps({ boards: ['b', 'c', 'd'].map(one) })
    expect(large()).toEqual([true, false, false])
    await view.setProps({ boards: ['c', 'd'].map(one) })
    expect(large()).toEqual([true, false])
  })

  it('show the stones of both sides and say so', () => {
    const boards = [{ gameId: 'g', black: 'A', white: 'B', size: 9, moves: ['e5', 'f5', 'e6'] }]
    const view = mount(LiveBoards, { props: { boards, running: false }, global })
    expect(view.find('[role="img"]').attributes('aria-label')).toBe('A (Black) against B (White), 3 stones')
    expect(view.findAll('[role="gridcell"]')).toHaveLength(0)
    expect(view.find('[data-test="left-note"]').text()).toContain('played anew')
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
