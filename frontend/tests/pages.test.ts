import type { GameState } from '@/wire'
import { boundScreen, shortcutRows } from '@/ui/shortcuts'
import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import App from '@/app/App.vue'
import { rulebook } from '@/game/legality'
import { cellOf } from '@/game/notation'
import { fromLink } from '@/game/place'
import { cellsAt } from '@/game/tree'
import HomeView from '@/features/home/HomeView.vue'
import { useGame } from '@/features/play/game'
import PlayView from '@/features/play/PlayView.vue'
import ShareDialog from '@/features/play/ShareDialog.vue'
import PositionView from '@/features/play/PositionView.vue'
import { useSettings } from '@/features/settings/settings'
import { useCatalogue } from '@/backend/catalogue'
import { FakeServer, handicapGame, makeGame } from './fakeServer'
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
  vi.useRealTimers()
})

async function play(change: Partial<GameState> = {}, locale: 'en' | 'zh-CN' = 'en') {
  server.put(makeGame(change))
  const { page, router } = await mountPage(PlayView, { id: 'game1' }, { locale, path: '/play/game1' })
  mounted = page
  await flushPromises()
  return { page, router }
}

const test = (page: VueWrapper, name: string) => page.find(`[data-test="${name}"]`)
const status = (page: VueWrapper): string => page.find('.status .text').text()

describe('the play page', () => {
  it('plays a clicked point and shows the answer that comes by WebSocket', async () => {
    const { page } = await play()
    expect(status(page)).toBe('Your turn (Black)')
    await page.find(`rect[data-cell="${cellOf('h8', 15)}"]`).trigger('click')
    await flushPromises()
    server.push({ moves: ['h8', 'j9'], winrate: 0.46 })
    await flushPromises()
    expect(page.findAll('.stone')).toHaveLength(2)
    expect(test(page, 'live').text()).toBe('White J9. Black 46%. Your turn (Black)')
  })

  it('says no own estimate of an engine where another one judges all positions', async () => {
    server.judges = 0.6
    const { page } = await play()
    await useCatalogue().load()
    await vi.waitFor(() => expect(useGame().winrate).toBe(0.6))
    server.push({ moves: ['h8', 'j9'], winrate: 0.46 })
    await flushPromises()
    expect(test(page, 'live').text()).toBe('White J9. Your turn (Black)')
  })

  it('plays a typed move and says what is no point', async () => {
    const { page } = await play()
    await test(page, 'typed-move').setValue('z99')
    await page.find('form').trigger('submit')
    expect(test(page, 'typed-problem').text()).toContain('15×15')
    await test(page, 'typed-move').setValue('H8')
    await page.find('form').trigger('submit')
    await flushPromises()
    expect(server.posts()[0]!.body).toEqual({ move: 'h8', ply: 0 })
  })

  it.each([
    ['thinking', { limitS: 5, elapsed: 1 }, 'Thinking…', ['move-now', 'stop']],
    ['slow', { limitS: 30, elapsed: 4 }, 'Still thinking…', ['move-now', 'stop']],
    ['queued', { limitS: 5, elapsed: 0, queuedAhead: 2 }, 'Waiting: 2 searches ahead of you', ['stop']],
    ['queued behind one', { limitS: 5, elapsed: 0, queuedAhead: 1 }, 'Waiting: 1 search ahead of you', ['stop']],
    ['hanging', { limitS: 5, elapsed: 20 }, 'Minimax does not answer.', []],
  ])('says when the engine is %s', async (_, thinking, text, buttons) => {
    const { page } = await play({ moves: ['h8'], thinking: { seat: 1, startedAt: '', queuedAhead: 0, ...thinking } })
    expect(status(page)).toBe(text)
    expect(['move-now', 'stop'].filter((name) => test(page, name).exists())).toEqual(buttons)
  })

  it('can stop the engine and let it go on', async () => {
    const { page } = await play({ moves: ['h8'], thinking: { seat: 1, startedAt: '', elapsed: 0, limitS: 5, queuedAhead: 0 } })
    await test(page, 'stop').trigger('click')
    await flushPromises()
    expect(status(page)).toBe('Paused. The engine waits.')
    await test(page, 'resume').trigger('click')
    await flushPromises()
    expect(server.posts().map((call) => call.path)).toEqual(['/games/game1/stop', '/games/game1/resume'])
  })

  it('shows a crashed engine with its last words and a way on', async () => {
    const { page } = await play({ moves: ['h8'], engineError: { code: 'engine_crashed', message: 'exit code -9', log: '> start\n< info' } })
    const card = test(page, 'engine-crash')
    expect(card.text()).toContain('exit code -9')
    expect(test(page, 'engine-log').find('pre').text()).toBe('> start\n< info')
    await card.find('.primary').trigger('click')
    await flushPromises()
    expect(server.posts()[0]!.path).toBe('/games/game1/resume')
  })

  it('shows the lost line, keeps the board, and recovers', async () => {
    const { page } = await play({ moves: ['h8', 'i9'] })
    server.offline = true
    server.socket!.fail()
    await flushPromises()
    expect(test(page, 'link-lost').text()).toContain('Reconnecting (1)')
    expect(page.findAll('.stone')).toHaveLength(2)
    server.offline = false
    await test(page, 'link-lost').find('button').trigger('click')
    await flushPromises()
    expect(test(page, 'link-lost').exists()).toBe(false)
  })

  it('says what is to be done in the opening, and keeps the place of its buttons', async () => {
    const rules = { size: 15, winLength: 5, rule: 'freestyle' as const, opening: 'swap2' as const }
    const { page } = await play({ rules, phase: 'place_three' })
    expect(status(page)).toBe('Place the stones of the opening')
    const panel = page.find('.opening')
    expect(panel.findAll('p').map((one) => one.text()).at(-1)).toBe('Next: Black. Stones left: 3')
    for (const move of ['h8', 'i9', 'j10']) await page.find(`rect[data-cell="${cellOf(move, 15)}"]`).trigger('click')
    await flushPromises()
    expect(panel.findAll('p').map((one) => one.text()).at(-1)).toBe('All stones are placed.')
  })

  it('says which colour an engine took, however fast it chose', async () => {
    const rules = { size: 15, winLength: 5, rule: 'freestyle' as const, opening: 'swap2' as const }
    const { page } = await play({ rules, phase: 'place_three' })
    server.push({ rules, phase: 'choose', moves: ['h8', 'i9', 'j10'] })
    server.push({ rules, phase: 'play', moves: ['h8', 'i9', 'j10'] })
    await flushPromises()
    server.push({ rules, phase: 'play', moves: ['h8', 'i9', 'j10', 'k11'] })
    await flushPromises()
    expect(test(page, 'opening-note').text()).toBe('Minimax took White: you are Black.')
    server.push({ rules, phase: 'play', moves: ['h8', 'i9', 'j10', 'k11', 'a1'] })
    await flushPromises()
    expect(test(page, 'opening-note').exists()).toBe(false)
  })

  it('leaves the focus on a button that is busy', async () => {
    const { page } = await play()
    const hint = test(page, 'hint')
    ;(hint.element as HTMLElement).focus()
    await hint.trigger('click')
    expect(hint.attributes()).toMatchObject({ 'aria-disabled': 'true' })
    expect(hint.attributes('disabled')).toBeUndefined()
    await hint.trigger('click')
    await flushPromises()
    expect(document.activeElement).toBe(hint.element)
    expect(hint.attributes('aria-disabled')).toBeUndefined()
    expect(server.posts().filter((call) => call.path.endsWith('/hint'))).toHaveLength(1)
  })

  it('asks before resigning, then offers a rematch', async () => {
    const { page, router } = await play({ moves: ['h8', 'i9'] })
    await test(page, 'resign').trigger('click')
    await flushPromises()
    expect(server.posts()).toEqual([])
    await test(page, 'confirm').trigger('click')
    await flushPromises()
    expect(test(page, 'result').text()).toContain('You lost')
    expect(test(page, 'result').text()).toContain('You resigned.')
    await test(page, 'rematch').trigger('click')
    await flushPromises()
    expect(router.currentRoute.value.params.id).toBe('game2')
  })

  it('begins the same game anew with the seats exchanged', async () => {
    const { page, router } = await play({ phase: 'over', outcome: { winner: 'B', reason: 'line', forbiddenKind: null } })
    await test(page, 'result').findAll('button').find((button) => button.text() === 'Swap sides')!.trigger('click')
    await flushPromises()
    expect(server.posts()).toEqual([{ method: 'POST', path: '/games/game1/restart', body: { swapSides: true } }])
    expect(router.currentRoute.value.params.id).toBe('game2')
  })

  it('shares the position, with the stones that lay before the moves', async () => {
    const linkOf = async (game: GameState): Promise<string> => {
      mounted?.unmount()
      const { page } = await mountPage(ShareDialog, { game, shown: game.moves.length, open: true })
      mounted = page
      return page.find<HTMLInputElement>('input[readonly]').element.value
    }
    expect(await linkOf(makeGame({ moves: ['h8', 'i9'] }))).toMatch(/\/p\/h8i9\?size=15&winLength=5&rule=freestyle$/)
    const address = new URL(await linkOf(handicapGame()))
    expect(address.pathname).toBe('/analysis/h9h10')
    const { tree, last } = fromLink('h9h10', Object.fromEntries(address.searchParams))!
    expect(cellsAt(tree, last).join('')).toBe(handicapGame().cells)
  })

  it.each([
    [{ winner: 'B', reason: 'line' }, 'You win!', 'Black has 5 in a row.'],
    [{ winner: 'W', reason: 'forbidden', forbiddenKind: 'double_three' }, 'You lost', 'Black played a forbidden point (double three).'],
    [{ winner: 'B', reason: 'crash' }, 'You win!', 'White’s engine failed.'],
    [{ winner: null, reason: 'draw_full' }, 'Draw', 'The board is full and nobody has a row.'],
    [{ winner: null, reason: 'agreement' }, 'Draw', 'The players agreed on a draw.'],
  ])('ends with a sentence: %j', async (outcome, headline, sentence) => {
    const { page } = await play({ phase: 'over', outcome: outcome as GameState['outcome'] })
    expect(test(page, 'result').find('h2').text()).toBe(headline)
    expect(test(page, 'result').find('p').text()).toBe(sentence)
  })

  it('shows an earlier position from the move list and leads back', async () => {
    const { page } = await play({ moves: ['h8', 'i9', 'j10', 'k11'] })
    await page.findAll('.move')[1]!.trigger('click')
    expect(status(page)).toBe('Viewing move 2 of 4')
    expect(page.findAll('.stone')).toHaveLength(2)
    await page.find('.status button').trigger('click')
    expect(page.findAll('.stone')).toHaveLength(4)
    expect(server.posts()).toEqual([])
  })

  it('walks through the game with the arrow keys', async () => {
    const { page } = await play({ moves: ['h8', 'i9', 'j10', 'k11'] })
    const press = async (key: string): Promise<void> => {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      await page.vm.$nextTick()
    }
    await press('ArrowLeft')
    await press('ArrowLeft')
    expect(page.findAll('.stone')).toHaveLength(2)
    await press('End')
    expect(page.findAll('.stone')).toHaveLength(4)
    await press('Home')
    expect(page.findAll('.stone')).toHaveLength(0)
    await press('Escape')
    expect(page.findAll('.stone')).toHaveLength(4)
  })

  it('hears its keys after a click on a choice, and leaves the arrows to the choice', async () => {
    const { page } = await play({ moves: ['h8', 'i9'] })
    const radio = document.createElement('input')
    radio.type = 'radio'
    document.body.append(radio)
    for (const key of ['ArrowLeft', 'c']) {
      radio.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      await page.vm.$nextTick()
    }
    expect(page.findAll('.stone')).toHaveLength(2)
    expect(useSettings().values.coordinates).toBe('matrix')
  })

  it.each([
    ['z', { ctrlKey: true }, 'undo'],
    ['z', { metaKey: true }, 'undo'],
    ['y', { ctrlKey: true }, 'redo'],
    ['Z', { ctrlKey: true, shiftKey: true }, 'redo'],
  ])('takes back and plays again with the usual keys too: %s %j', async (key, held, action) => {
    await play({ moves: ['h8', 'i9', 'j10', 'k11'], canRedo: true })
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key, ...held, bubbles: true }))
    await flushPromises()
    expect(server.posts().map(({ path }) => path.split('/').at(-1))).toEqual([action])
  })

  it('lists the shortcuts that are bound', async () => {
    await play()
    expect(boundScreen.value).toBe('play')
    expect(shortcutRows('play').map((row) => row.keys.join(''))).toEqual([
      '←→',
      'Shift+←Shift+→',
      'HomeEnd',
      'Space',
      'Enter',
      'U',
      'Y',
      'H',
      'R',
      'E',
      'S',
      'FShift+F',
      'C',
      'M',
      'Shift+M',
      '/',
      'Esc',
      'Tab',
      '?',
    ])
  })

  it('says that a game is missing', async () => {
    const { page } = await mountPage(PlayView, { id: 'gone' })
    mounted = page
    await flushPromises()
    expect(page.find('h1').text()).toBe('This game does not exist')
  })
})

describe('the home page', () => {
  async function home(locale: 'en' | 'zh-CN' = 'en') {
    const { page, router } = await mountPage(HomeView, {}, { locale })
    mounted = page
    await useCatalogue().load()
    await flushPromises()
    return { page, router }
  }

  it('starts a game as second player', async () => {
    const { page, router } = await home()
    await page.find('input[name=first][value=engine]').setValue()
    await test(page, 'start').trigger('click')
    await flushPromises()
    expect(server.posts()[0]).toMatchObject({
      path: '/games',
      body: { rules: { size: 15, winLength: 5 }, seats: [{ kind: 'engine', engine: 'levels', level: 'normal' }, { kind: 'human' }] },
    })
    expect(router.currentRoute.value.params.id).toBe('new')
  })

  it('names the opening and the clock that are chosen still', async () => {
    const { page } = await home()
    const before = test(page, 'summary').text()
    await page.find('input[name=opening][value=swap2]').setValue()
    await page.find('input[name=clock][value=blitz]').setValue()
    expect(test(page, 'summary').text()).toBe(`${before} · Swap2 · 3 min + 2 s`)
  })

  it('greys out an engine that cannot play the chosen rules and says why', async () => {
    const { page } = await home()
    await page.find('input[name=rule][value=renju]').setValue()
    const minimax = page.find('input[name=level][value=normal]')
    expect(minimax.attributes('disabled')).toBeDefined()
    expect(test(page, 'levels').text()).toContain('it does not know this rule')
    expect(test(page, 'start').attributes('disabled')).toBeDefined()
    await page.find('input[name=opponent][value=weight]').setValue()
    expect(test(page, 'start').attributes('disabled')).toBeUndefined()
  })

  it('shows how strong the chosen level was measured to be', async () => {
    const { page } = await home()
    expect(test(page, 'rating').text()).toContain('1203 Elo (1150 to 1260, 160 games')
    await page.find('input[name=level][value=easy]').setValue()
    expect(test(page, 'rating').exists()).toBe(false)
  })

  it('names the strength of each opponent, and keeps nets for other boards apart', async () => {
    const { page } = await home()
    expect(test(page, 'levels').findAll('.elo').map((one) => one.text())).toEqual(['1203'])
    expect(test(page, 'elsewhere').find('summary').text()).toBe('1 opponent for other boards')
    expect(test(page, 'elsewhere').text()).toContain('Elo 1365 (1273 to 1447), 9×9')
    expect(test(page, 'elsewhere').text()).toContain('Not for this game: this board size is out of its range.')
    await page.find('input[name=preset][value="9"]').setValue()
    expect(test(page, 'elsewhere').exists()).toBe(false)
    expect(test(page, 'others').text()).toContain('Net nine')
    expect(page.find('input[name=mode][value=two]').exists()).toBe(true)
  })

  it('says which level is about like somebody who has played some games', async () => {
    const played = (id: string, winner: 'B' | 'W'): void => {
      const game = makeGame({ moves: ['h8', 'i9'] })
      const seats = [game.seats[0], { ...game.seats[1], kind: 'engine', engine: 'levels', level: 'normal' }] as typeof game.seats
      server.put({ ...game, id, seats, outcome: { winner, reason: 'line', forbiddenKind: null } })
    }
    played('a', 'B')
    played('b', 'W')
    expect(test((await home()).page, 'like-you').exists()).toBe(false)
    mounted?.unmount()
    played('c', 'B')
    const { page } = await home()
    expect(test(page, 'like-you').element.parentElement!.textContent).toContain('Normal')
  })

  it('begins with Enter', async () => {
    await home()
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
    await flushPromises()
    expect(server.posts()).toHaveLength(1)
  })

  it('explains an impossible custom board', async () => {
    const { page } = await home()
    await page.find('input[name=preset][value=custom]').setValue()
    await test(page, 'win-length').setValue('16')
    expect(page.find('[role=alert]').text()).toBe('The number in a row must be from 3 to 15, the board size.')
    expect(test(page, 'start').attributes('disabled')).toBeDefined()
  })

  it('says what to do while there are no games, and lists them when there are', async () => {
    const first = await home('zh-CN')
    expect(first.page.find('.games').text()).toContain('还没有对局')
    first.page.unmount()
    server.put(makeGame({ moves: ['h8', 'i9'] }))
    const { page } = await home()
    expect(page.find('.game').text()).toContain('Minimax')
    expect(page.find('.game').text()).toContain('2 moves')
    expect(page.find('.game').text()).toContain('Continue')
  })
})

describe('the whole page', () => {
  it('switches the language without a reload, with title and lang', async () => {
    vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }))
    const { page, router } = await mountPage(App)
    mounted = page
    await router.isReady()
    await vi.waitFor(() => expect(page.find('h1').exists()).toBe(true))
    expect(document.documentElement.lang).toBe('en')
    await test(page, 'language').trigger('click')
    await vi.waitFor(() => expect(document.documentElement.lang).toBe('zh-CN'))
    expect(document.title).toBe('对弈 · wuzi')
    expect(page.find('h1').text()).toBe('五子棋')
  })

  it('marks the part it is in, on all pages of that part', async () => {
    vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }))
    const { page, router } = await mountPage(App)
    mounted = page
    const marked = (): (string | undefined)[][] =>
      page.findAll('nav a').filter((one) => one.classes('here')).map((one) => [one.attributes('href'), one.attributes('aria-current')])
    for (const [path, href, current] of [
      ['/help', '/help', 'page'],
      ['/training/s1', '/training', 'true'],
      ['/results/a1b2', '/arena', 'true'],
    ] as const) {
      await router.push(path)
      await flushPromises()
      expect(marked()).toEqual([[href, current]])
    }
    await router.push('/')
    await flushPromises()
    expect(marked()).toEqual([])
  })

  it('explains a position link that is wrong, in its own language', async () => {
    const { page } = await mountPage(PositionView, {}, { locale: 'zh-CN', path: '/p/zz9?size=15' })
    mounted = page
    await flushPromises()
    expect(page.find('h1').text()).toBe('这个链接不是有效的局面')
  })
})
