import { mount } from '@vue/test-utils'
import { beforeAll, describe, expect, it } from 'vitest'
import { linearAxis, logAxis, niceStep } from '@/ui/scale'
import LineChart, { type ChartSeries } from '@/features/training/LineChart.vue'
import { i18n } from '@/app/i18n'
import { createPinia } from 'pinia'
import { allTexts } from './mountPage'
import { useRunText } from '@/features/training/useRunText'
import { PANELS, seriesOf } from '@/features/training/panels'
import en from '@/features/training/texts.en.json'

beforeAll(() => allTexts())

const SERIES: ChartSeries[] = [
  { id: 'policy', label: 'Policy', points: [1, 2, 3, 4].map((x) => ({ x, y: 5 - x })) },
  { id: 'rate', label: 'Rate', points: [{ x: 2, y: 0.5, low: 0.25, high: 0.75 }] },
]

function chart(series = SERIES, props: Record<string, unknown> = {}) {
  return mount(LineChart, {
    props: { title: 'Losses', series, xLabel: 'Iteration', ...props },
    global: { plugins: [i18n] },
    attachTo: document.body,
  })
}

describe('axes', () => {
  it('have round steps', () => {
    expect([niceStep(10, 4), niceStep(93, 4), niceStep(0.07, 4), niceStep(1, 4)]).toEqual([2.5, 25, 0.02, 0.25])
  })

  it('hold all values between round ends', () => {
    const axis = linearAxis([0.013, 0.031])
    expect(axis.ticks).toEqual([0.01, 0.015, 0.02, 0.025, 0.03, 0.035])
    expect(axis.at(axis.low)).toBe(0)
    expect(axis.at(axis.high)).toBe(1)
  })

  it('survive one value, equal values and none', () => {
    for (const values of [[3], [0, 0], [-2, -2], []]) {
      const axis = linearAxis(values)
      expect(axis.high).toBeGreaterThan(axis.low)
      expect(axis.ticks.length).toBeGreaterThan(1)
      for (const value of values) expect(axis.at(value)).toBeGreaterThan(0)
    }
  })

  it('keep fixed ends', () => {
    expect(linearAxis([0.4], 4, [0, 1]).ticks).toEqual([0, 0.25, 0.5, 0.75, 1])
  })

  it('go by powers of ten where they are logarithmic', () => {
    const axis = logAxis([0.0009, 0.009])
    expect(axis.ticks).toEqual([1e-4, 1e-3, 1e-2])
    expect(axis.at(1e-3)).toBeCloseTo(0.5)
    expect(logAxis([0.001]).high).toBeGreaterThan(logAxis([0.001]).low)
    expect(logAxis([0, -1]).ticks.length).toBeGreaterThan(1)
  })
})

describe('a share', () => {
  it('is never minus nothing, and small ones differ', () => {
    let found: string[] = []
    const reader = { setup: () => ((found = [-0.0001, 0, 0.002, 0.004, -0.02, 0.5].map((one) => useRunText().figure(one, 'share'))), () => null) }
    mount(reader, { global: { plugins: [i18n, createPinia()] } })
    expect(found).toEqual(['0%', '0%', '0.2%', '0.4%', '-2%', '50%'])
  })
})

describe('a draw', () => {
  it('says whether the board was full, the game was ended, or both agreed', () => {
    let found: string[] = []
    const rules = { size: 9, winLength: 5, rule: 'freestyle', opening: 'free' } as const
    const reader = {
      setup: () => {
        const { outcomeText } = useRunText()
        const reasons = ['draw_full', 'adjudication', 'agreement'] as const
        found = reasons.map((reason) => outcomeText({ outcome: { winner: null, reason, forbiddenKind: null }, rules }))
        return () => null
      },
    }
    mount(reader, { global: { plugins: [i18n, createPinia()] } })
    expect(found).toEqual(['The board is full and nobody has a row.', 'Declared a draw before the end.', 'The players agreed on a draw.'])
  })
})

describe('a chart', () => {
  it('reads its last values at first, and others by the arrow keys', async () => {
    const page = chart()
    expect(page.find('.reading').text()).toContain('Iteration 4')
    const slider = page.find('input')
    expect(slider.attributes('aria-valuetext')).toBe('Iteration 4: Policy 1, Rate 0.5 (0.25 to 0.75)')
    await slider.trigger('focus')
    await slider.setValue('0')
    expect(page.find('.reading').text()).toContain('Iteration 1')
    expect(slider.attributes('aria-valuetext')).toBe('Iteration 1: Policy 4, Rate –')
    await slider.trigger('blur')
    expect(page.find('.reading').text()).toContain('Iteration 4')
  })

  it('has its numbers as a table', async () => {
    const page = chart()
    const details = page.find('details')
    ;(details.element as HTMLDetailsElement).open = true
    await details.trigger('toggle')
    const rows = page.findAll('tbody tr').map((row) => row.text())
    expect(rows).toHaveLength(4)
    expect(rows[0]).toContain('4')
    expect(rows[2]).toContain('0.5 (0.25 to 0.75)')
  })

  it('draws nothing that is not a number', () => {
    for (const series of [SERIES, [{ id: 'a', label: 'A', points: [{ x: 7, y: 0 }] }]]) {
      for (const log of [false, true]) expect(chart(series, { log }).html()).not.toMatch(/NaN|Infinity/)
    }
  })
})

describe('panels', () => {
  it('draw what there is, evaluations with their intervals', () => {
    const rows = [
      { iteration: 1, loss: 2, mcts_win_rate: null },
      { iteration: 2, loss: null, mcts_win_rate: 0.6 },
    ]
    const score = { iteration: 2, kind: 'mcts' as const, playouts: 100, wins: 6, losses: 4, draws: 0, rate: 0.6, low: 0.31, high: 0.83 }
    const found = PANELS.flatMap((panel) => seriesOf(panel, rows, [score], (name) => name))
    expect(found.map((one) => one.id)).toEqual(['mcts_win_rate', 'loss'])
    expect(found[0]!.points).toEqual([{ x: 2, y: 0.6, low: 0.31, high: 0.83 }])
    expect(found[1]!.points).toEqual([{ x: 1, y: 2 }])
  })

  it('leave out the speed of a phase that a row did not have', () => {
    const rows = [
      { iteration: 1, evaluations_per_s: 900, loss: 0 },
      { iteration: 2, evaluations_per_s: 0, loss: 0 },
    ]
    const found = PANELS.flatMap((panel) => seriesOf(panel, rows, [], (name) => name))
    expect(found.map((one) => [one.id, one.points.length])).toEqual([
      ['loss', 2],
      ['evaluations_per_s', 1],
    ])
  })

  it('have names for all figures', () => {
    const { figure, panel } = en.training
    expect(PANELS.map((one) => one.id).sort()).toEqual(Object.keys(panel).sort())
    expect([...new Set(PANELS.flatMap((one) => one.figures))].sort()).toEqual(Object.keys(figure).sort())
  })
})
