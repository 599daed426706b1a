import { mount, type VueWrapper } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { geometryOf, xOf, yOf } from '@/game/geometry'
import { cellOf } from '@/game/notation'
import BoardView from '@/board/BoardView.vue'
import { createPinia } from 'pinia'
import { i18n, setLocale } from '@/app/i18n'

const SIZE = 9
const at = (move: string): number => cellOf(move, SIZE)
const g = geometryOf(SIZE, true)

function cellsWith(black: string[], white: string[] = []): string[] {
  const cells = Array<string>(SIZE * SIZE).fill('.')
  for (const move of black) cells[at(move)] = 'B'
  for (const move of white) cells[at(move)] = 'W'
  return cells
}

function board(props: Record<string, unknown> = {}): VueWrapper {
  const wrapper = mount(BoardView, {
    props: { size: SIZE, cells: cellsWith([]), label: 'Board', placing: 'B', ...props },
    global: { plugins: [i18n, createPinia()] },
    attachTo: document.body,
  })
  const svg = wrapper.find('svg').element
  vi.spyOn(svg, 'getBoundingClientRect').mockReturnValue({ left: 0, top: 0, width: g.side, height: g.side } as DOMRect)
  return wrapper
}

const cell = (wrapper: VueWrapper, move: string) => wrapper.find(`rect[data-cell="${at(move)}"]`)
const touch = (wrapper: VueWrapper, type: string, move: string) =>
  wrapper.find('svg').trigger(type, { pointerType: 'touch', clientX: xOf(at(move), g) + 4, clientY: yOf(at(move), g) - 4 })
const picks = (wrapper: VueWrapper): number[] => (wrapper.emitted<[number]>('pick') ?? []).map(([cell]) => cell)

beforeEach(() => setLocale('en'))

describe('for screen readers', () => {
  it('is a grid whose cells say where they are and what they hold', () => {
    const wrapper = board({ cells: cellsWith(['e5'], ['f6']), moves: [at('e5'), at('f6')], forbidden: new Map([[at('a1'), 'overline']]) })
    expect(wrapper.find('svg').attributes()).toMatchObject({ role: 'grid', 'aria-rowcount': '9', 'aria-colcount': '9' })
    expect(wrapper.findAll('[role=row]')).toHaveLength(9)
    expect(wrapper.findAll('[role=gridcell]')).toHaveLength(81)
    expect(cell(wrapper, 'e5').attributes('aria-label')).toBe('E5, Black, move 1')
    expect(cell(wrapper, 'f6').attributes('aria-label')).toBe('F6, White, move 2')
    expect(cell(wrapper, 'b1').attributes('aria-label')).toBe('B1, empty')
    expect(cell(wrapper, 'a1').attributes('aria-label')).toBe('A1, empty, forbidden for Black: overline')
  })

  it('speaks Chinese at once when the language changes', async () => {
    const wrapper = board({ cells: cellsWith(['e5']), moves: [at('e5')] })
    await setLocale('zh-CN')
    await wrapper.vm.$nextTick()
    expect(cell(wrapper, 'e5').attributes('aria-label')).toBe('E5，黑，第 1 手')
  })

  it('uses the matrix names when they are shown', () => {
    const wrapper = board({ coordinates: 'matrix' })
    expect(wrapper.find('rect[data-cell="0"]').attributes('aria-label')).toBe('A1, empty')
  })
})

describe('the mouse', () => {
  it('picks the clicked point, occupied or not: the page answers', async () => {
    const wrapper = board({ cells: cellsWith(['e5']) })
    await cell(wrapper, 'c3').trigger('click')
    await cell(wrapper, 'e5').trigger('click')
    expect(picks(wrapper)).toEqual([at('c3'), at('e5')])
  })

  it('shows a ghost stone over free points when a stone may be placed', async () => {
    const wrapper = board({ cells: cellsWith(['e5']) })
    const over = (move: string) =>
      wrapper.find('svg').trigger('pointermove', { pointerType: 'mouse', clientX: xOf(at(move), g), clientY: yOf(at(move), g) })
    await over('c3')
    expect(wrapper.find('.ghost').exists()).toBe(true)
    await over('e5')
    expect(wrapper.find('.ghost').exists()).toBe(false)
    await wrapper.setProps({ placing: null })
    await over('c3')
    expect(wrapper.find('.ghost').exists()).toBe(false)
  })
})

describe('a finger', () => {
  it('previews first and plays with a second tap on the same point', async () => {
    const wrapper = board()
    await touch(wrapper, 'pointerdown', 'c3')
    expect(wrapper.find('.bubble').exists()).toBe(true)
    await touch(wrapper, 'pointerup', 'c3')
    expect(wrapper.find('.bubble').exists()).toBe(false)
    expect(picks(wrapper)).toEqual([])
    await touch(wrapper, 'pointerdown', 'c3')
    await touch(wrapper, 'pointerup', 'c3')
    expect(picks(wrapper)).toEqual([at('c3')])
    expect(wrapper.emitted('update:preview')!.map(([cell]) => cell)).toEqual([at('c3'), null])
  })

  it('moves the preview by dragging or tapping elsewhere without playing', async () => {
    const wrapper = board()
    for (const [type, move] of [
      ['pointerdown', 'c3'],
      ['pointermove', 'd4'],
      ['pointerup', 'd4'],
      ['pointerdown', 'e5'],
      ['pointerup', 'e5'],
    ] as const) {
      await touch(wrapper, type, move)
    }
    expect(picks(wrapper)).toEqual([])
    expect(wrapper.emitted('update:preview')!.map(([cell]) => cell)).toEqual([at('c3'), at('d4'), at('e5')])
  })

  it('does not play when the second tap slips to another point', async () => {
    const wrapper = board()
    for (const [type, move] of [
      ['pointerdown', 'c3'],
      ['pointerup', 'c3'],
      ['pointerdown', 'c3'],
      ['pointermove', 'd4'],
      ['pointerup', 'd4'],
    ] as const) {
      await touch(wrapper, type, move)
    }
    expect(picks(wrapper)).toEqual([])
  })

  it('plays where it is lifted in slide mode', async () => {
    const wrapper = board({ input: 'slide' })
    await touch(wrapper, 'pointerdown', 'c3')
    await touch(wrapper, 'pointermove', 'f7')
    await touch(wrapper, 'pointerup', 'f7')
    expect(picks(wrapper)).toEqual([at('f7')])
  })

  it('plays nothing when the gesture is cancelled', async () => {
    const wrapper = board({ input: 'slide' })
    await touch(wrapper, 'pointerdown', 'c3')
    await touch(wrapper, 'pointercancel', 'c3')
    await touch(wrapper, 'pointerup', 'c3')
    expect(picks(wrapper)).toEqual([])
  })

  it('plays at once in direct mode', async () => {
    const wrapper = board({ input: 'direct' })
    await touch(wrapper, 'pointerdown', 'c3')
    await touch(wrapper, 'pointerup', 'c3')
    await cell(wrapper, 'c3').trigger('click', { detail: 1 })
    expect(picks(wrapper)).toEqual([at('c3')])
  })
})

describe('the keyboard', () => {
  it('has one tab stop, moves a cursor and plays with Enter', async () => {
    const wrapper = board()
    expect(wrapper.findAll('[tabindex="0"]')).toHaveLength(1)
    const start = cell(wrapper, 'e5')
    ;(start.element as unknown as HTMLElement).focus()
    await start.trigger('keydown', { key: 'ArrowUp' })
    await cell(wrapper, 'e6').trigger('keydown', { key: 'ArrowRight' })
    expect(document.activeElement?.getAttribute('data-cell')).toBe(String(at('f6')))
    await cell(wrapper, 'f6').trigger('keydown', { key: 'Enter' })
    expect(picks(wrapper)).toEqual([at('f6')])
    expect(wrapper.findAll('[tabindex="0"]')).toHaveLength(1)
  })

  it('keeps arrows to itself and lets other keys and shortcuts through', async () => {
    const wrapper = board()
    const heard: string[] = []
    const listen = (event: KeyboardEvent): number => heard.push(event.key)
    window.addEventListener('keydown', listen)
    for (const key of ['ArrowUp', 'h', 'Tab']) await cell(wrapper, 'e5').trigger('keydown', { key })
    await cell(wrapper, 'e5').trigger('keydown', { key: 'ArrowUp', ctrlKey: true })
    window.removeEventListener('keydown', listen)
    expect(heard).toEqual(['h', 'Tab', 'ArrowUp'])
  })

  it('keeps the focus on a board of another size', async () => {
    const wrapper = board()
    ;(cell(wrapper, 'a1').element as unknown as HTMLElement).focus()
    for (const size of [15, 6]) {
      await wrapper.setProps({ size, cells: Array<string>(size * size).fill('.') })
      await wrapper.vm.$nextTick()
      expect(document.activeElement?.getAttribute('data-cell')).toBe(String(Math.floor((size * size) / 2)))
      expect(document.activeElement?.getAttribute('tabindex')).toBe('0')
    }
  })

  it('is no stop itself, not even as a picture', () => {
    for (const still of [false, true]) expect(board({ still }).find('svg').attributes('tabindex')).toBe('-1')
  })

  it('leaves with Escape', async () => {
    const wrapper = board()
    const start = cell(wrapper, 'e5')
    ;(start.element as unknown as HTMLElement).focus()
    await start.trigger('keydown', { key: 'Escape' })
    expect(wrapper.emitted('leave')).toHaveLength(1)
    expect(document.activeElement).toBe(document.body)
  })
})

describe('what is drawn', () => {
  it('numbers none, the last ten or all stones', async () => {
    const moves = Array.from({ length: 12 }, (_, i) => i)
    const cells = Array.from({ length: 81 }, (_, i) => (i < 12 ? 'BW'[i % 2]! : '.'))
    const wrapper = board({ cells, moves })
    const numbers = (): string[] => wrapper.findAll('.number').map((node) => node.text())
    expect(numbers()).toEqual([])
    await wrapper.setProps({ numbers: 'last' })
    expect(numbers()).toEqual(['3', '4', '5', '6', '7', '8', '9', '10', '11', '12'])
    await wrapper.setProps({ numbers: 'all' })
    expect(numbers()).toHaveLength(12)
  })

  it('marks the last stone by ring and dot, the winning row by rings and a line', async () => {
    const row = ['a1', 'b1', 'c1', 'd1', 'e1']
    const wrapper = board({ cells: cellsWith(row), lastMove: at('e1') })
    expect(wrapper.findAll('.last-ring, .last-dot')).toHaveLength(2)
    await wrapper.setProps({ winningLines: [row.map(at)] })
    expect(wrapper.findAll('.win-ring')).toHaveLength(5)
    expect(wrapper.findAll('.win-line')).toHaveLength(1)
    expect(wrapper.find('.last-ring').exists()).toBe(false)
  })

  it('marks forbidden points, hints and refused clicks', async () => {
    const wrapper = board({
      forbidden: new Map([
        [1, 'overline'],
        [2, 'double_four'],
      ]),
      hintMove: 5,
      area: [4, 5, 6],
    })
    expect(wrapper.findAll('.cross')).toHaveLength(2)
    expect(wrapper.findAll('.area rect')).toHaveLength(3)
    expect(wrapper.find('.hint').exists()).toBe(true)
    await wrapper.setProps({ refused: { cell: 7, nonce: 1 } })
    const first = wrapper.find('.refused').element
    await wrapper.setProps({ refused: { cell: 7, nonce: 2 } })
    expect(wrapper.find('.refused').element).not.toBe(first)
  })

  it('is one picture without cells when still', () => {
    const wrapper = board({ still: true })
    expect(wrapper.find('svg').attributes('role')).toBe('img')
    expect(wrapper.findAll('[role=gridcell]')).toHaveLength(0)
  })
})
