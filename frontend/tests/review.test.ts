import { useCatalogue } from '@/backend/catalogue'
import type { Review, ReviewMove } from '@/wire'
import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { rulebook } from '@/game/legality'
import { stonesOf } from '@/game/line'
import { cellOf } from '@/game/notation'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { linesOf, sentencesOf, symbolOf, verdictOf } from '@/features/review/marks'
import { useSettings } from '@/features/settings/settings'
import { useGame } from '@/features/play/game'
import { usePuzzles } from '@/features/puzzles/puzzles'
import { CLOCKS, useSetup } from '@/features/home/setup'
import PlayView from '@/features/play/PlayView.vue'
import PuzzlesView from '@/features/puzzles/PuzzlesView.vue'
import WorstMoves from '@/features/review/WorstMoves.vue'
import ReviewView from '@/features/review/ReviewView.vue'
import { FakeServer, makeGame } from './fakeServer'
import { mountPage } from './mountPage'

// The first mount compiles all the page's parts: on a busy machine that alone takes seconds.
vi.setConfig({ testTimeout: 60_000 })

const RULES = { size: 9, winLength: 5, rule: 'freestyle', opening: 'free' } as const

function move(ply: number, name: string, change: Partial<ReviewMove> = {}): ReviewMove {
  return {
    ply,
    color: ply % 2 ? 'W' : 'B',
    move: name,
    before: 0.5,
    after: 0.5,
    loss: 0,
    accuracy: 100,
    mark: 'good',
    best: [name],
    missed: null,
    allowed: null,
    openWin: null,
    loses: null,
    defence: null,
    only: null,
    forced: false,
    wins: false,
    isLost: false,
    seemsLost: false,
    isDeep: true,
    text: { en: [], zh: [] },
    ...change,
  }
}

const MISSED = move(2, 'a9', {
  mark: 'blunder',
  loss: 40,
  before: 1,
  after: 0.6,
  best: ['f5'],
  missed: { kind: 'vcf', moves: ['f5', 'g5', 'd5'] },
  text: { en: ['Misses a forced win.'], zh: ['错过必胜。'] },
})
const SIDE = {
  moves: 2,
  accuracy: 61.2,
  meanLoss: 20,
  agreement: 0.5,
  inaccuracies: 0,
  mistakes: 0,
  blunders: 1,
  missedWins: 1,
  allowedWins: 0,
  onlyFound: 0,
  onlyMissed: 0,
  strength: null,
}

function makeReview(change: Partial<Review> = {}): Review {
  return {
    id: 'r1',
    seq: 9,
    status: 'done',
    error: null,
    errorCode: null,
    createdAt: '2026-01-01T00:00:00Z',
    players: { B: 'Ann', W: '' },
    date: '',
    rules: { ...RULES },
    outcome: null,
    player: 'engine',
    start: '.'.repeat(81),
    judgedFrom: 0,
    progress: { stage: null, done: 0, of: 0, fraction: 1, ahead: 0 },
    winrates: [0.5, 0.5, 1, 0.6],
    moves: [move(0, 'e5'), move(1, 'e6'), MISSED],
    sides: [
      { color: 'B', ...SIDE },
      { color: 'W', ...SIDE },
    ],
    worst: [2],
    resigned: null,
    ...change,
  }
}

type Handler = (path: string, body: Record<string, unknown>) => unknown
let calls: { path: string; body: Record<string, unknown> }[] = []

/** Answers of the review and puzzle routes, in front of the server in memory. */
function serve(handler: Handler): FakeServer {
  const server = new FakeServer()
  const before = globalThis.fetch
  vi.stubGlobal('fetch', (url: string, init: RequestInit = {}) => {
    const path = url.replace('/api/v1', '')
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : {}
    const answer = handler(path, body)
    if (answer === undefined) return before(url, init)
    calls.push({ path, body })
    return Promise.resolve(new Response(JSON.stringify(answer), { status: 200 }))
  })
  return server
}

beforeAll(async () => {
  new FakeServer()
  await rulebook()
})
beforeEach(() => {
  calls = []
  localStorage.clear()
  window.scrollTo = vi.fn() as never
  Element.prototype.scrollIntoView = vi.fn()
})
afterEach(() => {
  vi.unstubAllGlobals()
  document.body.innerHTML = ''
})

const TRIALS: Record<string, object> = {
  f5: { verdict: 'solved', proved: true, reply: null, line: [], loss: 0, winrate: 1 },
  b2: { verdict: 'fails', proved: true, reply: null, line: ['c3', 'd4'], loss: null, winrate: null },
  c2: { verdict: 'fails', proved: false, reply: null, line: [], loss: 30, winrate: 0.5 },
  d2: { verdict: 'lost', proved: true, reply: null, line: ['c3'], loss: null, winrate: null },
}

describe('a review', () => {
  const answer: Handler = (path, body) =>
    path.endsWith('/try') ? TRIALS[body.move as string] : path.startsWith('/reviews/r1') ? makeReview() : undefined

  it('shows marks, report and the missed win with its line on the board', async () => {
    serve(answer)
    const { page } = await mountPage(ReviewView, { id: 'r1' })
    expect(page.get('[data-test="report"]').text()).toContain('61.2%')
    expect(page.get('[data-test="note"]').text()).toContain('Misses a forced win.')
    await page.get('[data-test="missedLine"]').trigger('click')
    const drawn = (): number => page.findAll('[data-test="line"] circle').length
    expect(page.findAll('[data-stone="B"], [data-stone="W"]'), 'the game before the mistake').toHaveLength(2)
    expect(drawn()).toBe(1)
    await page.get('[data-test="line-next"]').trigger('click')
    expect(drawn()).toBe(2)
    await page.get('[data-test="missedLine"]').trigger('click')
    expect(page.findAll('[data-stone="B"], [data-stone="W"]')).toHaveLength(3)
    await page.get(`rect[data-cell="${cellOf('f5', 9)}"]`).trigger('click')
    expect(drawn(), 'the ringed point shows its line').toBe(1)
    await page.get('[data-test="missedLine"]').trigger('click')
    await page.get('[data-test="previous-mistake"]').trigger('click')
    await page.get('[data-test="step-previous"]').trigger('click')
    expect(page.get('[data-test="note"]').text()).toContain('2. E6')
    await page.get('[data-test="next-mistake"]').trigger('click')
    expect(page.get('[data-test="note"]').text()).toContain('3. A9')
  })

  it('says of the stones that a game began with that they are not judged', async () => {
    const opening = { ...move(0, 'e5'), loss: null, text: { en: [], zh: [] } }
    serve((path) => (path.startsWith('/reviews/r1') ? makeReview({ judgedFrom: 1, moves: [opening], worst: [], winrates: [0.5, 0.5] }) : undefined))
    const { page } = await mountPage(ReviewView, { id: 'r1' })
    await page.get('[data-test="step-next"]').trigger('click').catch(() => undefined)
    expect(page.get('[data-test="note"]').text()).toContain('not judged')
    expect(page.text()).toContain('Strength is estimated')
  })

  it('is followed while it runs and can be stopped', async () => {
    const running = (seq: number, fraction: number): Review =>
      makeReview({ seq, status: 'running', progress: { stage: 'deep', done: 1, of: 4, fraction, ahead: 2 } })
    const server = serve((path) => (path.endsWith('/stop') ? makeReview({ seq: 20, status: 'stopped' }) : running(1, 0.4)))
    const { page } = await mountPage(ReviewView, { id: 'r1' })
    const say = async (review: Review): Promise<void> => {
      server.socket!.onmessage!({ data: JSON.stringify({ type: 'state', review }) })
      await flushPromises()
    }
    const progress = (): string => page.get('[data-test="progress"]').text()
    expect(progress()).toContain('40%')
    expect(server.socket!.url).toContain('/ws/v1/reviews/r1')
    await say(running(3, 0.7))
    expect(progress()).toContain('70%')
    await say(running(2, 0.5))
    expect(progress(), 'an older state').toContain('70%')
    await page.get('[data-test="stop-review"]').trigger('click')
    await flushPromises()
    expect(page.find('[data-test="resume-review"]').exists()).toBe(true)
    expect(server.socket!.readyState, 'nothing more to follow').toBe(3)
    page.unmount()
  })

  it('lets people retry their mistakes', async () => {
    serve(answer)
    const { page } = await mountPage(ReviewView, { id: 'r1' })
    await page.get('[data-test="train"]').trigger('click')
    await flushPromises()
    expect(page.get('[data-test="training"]').text(), 'nobody knows whose game it is').toContain('Whose moves')
    await page.get('input[name="train-side"][value="B"]').setValue()
    await flushPromises()
    expect(page.get('[data-test="training"]').text()).toContain('Black played A9 here')
    expect(page.findAll('[data-stone="B"], [data-stone="W"]')).toHaveLength(2)
    // One that loses, with how; then at once the right one.
    await page.get('[data-cell="64"]').trigger('click')
    await flushPromises()
    expect(calls.at(-1)).toEqual({ path: '/reviews/r1/try', body: { ply: 2, move: 'b2' } })
    expect(page.get('[data-test="verdict"]').classes()).toContain('fails')
    expect(page.findAll('[data-stone="B"], [data-stone="W"]')).toHaveLength(5)
    expect(page.find('[data-test="training-end"]').exists()).toBe(false)
    await page.get('[data-cell="41"]').trigger('click')
    await flushPromises()
    expect(page.get('[data-test="verdict"]').classes()).toContain('solved')
    expect(page.get('[data-test="training-end"]').text(), 'the second try counts').toContain('1 of 1 solved')
    await page.get('[data-test="leave-training"]').trigger('click')
    expect(page.find('[data-test="note"]').exists()).toBe(true)
  })

  it('begins with the moves of who plays here, and words what is believed as belief', async () => {
    const mine = makeReview({ players: { B: 'You', W: 'Club' }, resigned: { color: 'W', win: null, winrate: 0.9, text: { en: 'White resigned; so.', zh: '' } } })
    serve((path, body) => (path.startsWith('/reviews/r1') && !path.endsWith('/try') ? mine : answer(path, body)))
    const { page } = await mountPage(ReviewView, { id: 'r1' })
    expect(page.get('[data-test="resigned"]').text()).toBe('White resigned; so.')
    await page.get('[data-test="train"]').trigger('click')
    await flushPromises()
    const tried = async (cell: number): Promise<string> => {
      await page.get(`[data-cell="${cell}"]`).trigger('click')
      await flushPromises()
      const said = page.get('[data-test="verdict"]').text()
      if (page.find('[data-test="again"]').exists()) await page.get('[data-test="again"]').trigger('click')
      return said
    }
    expect(await tried(65)).toContain('C2 looks worse to the engine.')
    expect(await tried(66)).toBe('Everything loses here.')
  })

  it('shows a win that may have been let go, and the one after a move', () => {
    const win = { kind: 'vcf' as const, moves: ['f5', 'g5', 'd5'] }
    const found = linesOf(move(2, 'a9', { openWin: win, loses: { kind: 'five', moves: ['b2'] } }))
    expect(found.map(({ key, line }) => [key, line.from, line.moves[0]])).toEqual([['missedLine', 2, 'f5'], ['allowedLine', 3, 'b2']])
  })

  it('knows of every sentence whether it is proved, in whole reviews', () => {
    const reviews = JSON.parse(gunzipSync(readFileSync(resolve('..', 'tests', 'golden', 'messages', 'reviews.json.gz'))).toString()) as {
      answer: { moves: ReviewMove[] }
    }[]
    const proved = /^(Missed|Allowed|There was|After it the other side|Every move loses|The only move|Only )/
    const believed = /^(After .* finds no|The analyst|Better)/
    const counts = { theorem: 0, opinion: 0, fact: 0 }
    for (const move of reviews.flatMap(({ answer }) => answer.moves)) {
      for (const { text, kind, theorem } of sentencesOf(move, move.text.en)) {
        expect(kind, text).toBe(proved.test(text) ? 'theorem' : believed.test(text) ? 'opinion' : 'fact')
        expect(theorem !== null).toBe(kind === 'theorem')
        counts[kind] += 1
      }
    }
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(5)
  })

  it('says which marks moves have, and draws lines upon positions', () => {
    expect(symbolOf(MISSED)).toBe('??')
    expect(symbolOf(move(0, 'e5', { only: 'e5' }))).toBe('□')
    expect(symbolOf(move(0, 'e5', { mark: null }))).toBe('')
    const win = { kind: 'five' as const, moves: ['e5'] }
    const named = [{}, { loses: win }, { openWin: win }, { loses: win, isLost: true }].map((more) => verdictOf(move(0, 'a1', { mark: 'mistake', ...more })))
    expect([verdictOf(MISSED), ...named]).toEqual(['blunder', 'mistake', 'loses', 'winLeft', 'mistake'])
    const cells = stonesOf('.'.repeat(9), [{ move: 'a3', color: 'B' }], 3, { from: 1, color: 'W', moves: ['b3', 'c3'] })
    expect(cells.slice(0, 3)).toEqual(['B', 'W', 'B'])
  })
})

describe('the costliest moves', () => {
  it('count proofs as the table does, with a mark or without', async () => {
    const win = { kind: 'vct' as const, moves: ['e5'] }
    const all = [MISSED, move(3, 'b2', { openWin: win }), move(4, 'c3', { loses: win }), move(5, 'd4', { loses: win, isLost: true, mark: null })]
    const { page } = await mountPage(WorstMoves, { moves: [MISSED], all, size: 9, shown: 0, complete: true })
    expect(page.findAll('.chip').map((chip) => chip.text())).toEqual(['All (1)', 'Missed wins (2)', 'Losing moves (1)'])
    await page.findAll('.chip input')[2]!.setValue()
    expect(page.get('[data-test="worst"]').text()).toContain('Loses by force')
  })
})

describe('puzzles', () => {
  const summary = { id: 'vcf-0001', theme: 'vcf', rules: { ...RULES }, ply: 2, toMove: 'B', length: 3 }
  const answer: Handler = (path, body) => {
    if (path.startsWith('/puzzles?')) return [summary]
    if (path.endsWith('/try')) {
      const moves = body.moves as string[]
      if (moves.at(-1) === 'b2') return { verdict: 'fails', reply: null, line: ['c3'], loss: null, winrate: null }
      return {
        verdict: moves.length === 1 ? 'continues' : 'solved',
        reply: moves.length === 1 ? 'g5' : null,
        line: [],
        loss: null,
        winrate: null,
      }
    }
    return path.startsWith('/puzzles/') ? { ...summary, moves: ['e5', 'e6'], solution: null } : undefined
  }

  it('are played to the end, and progress is kept in the browser', async () => {
    serve(answer)
    const { page } = await mountPage(PuzzlesView, { id: 'vcf-0001' }, { path: '/puzzles/vcf-0001' })
    await flushPromises()
    await page.get('[data-cell="41"]').trigger('click')
    await flushPromises()
    expect(page.get('[data-test="puzzle-message"]').text()).toContain('White has answered')
    await page.get('[data-cell="39"]').trigger('click')
    await flushPromises()
    expect(calls.at(-1)!.body).toEqual({ moves: ['f5', 'g5', 'd5'] })
    expect(page.get('[data-test="puzzle-message"]').classes()).toContain('solved')
    expect(JSON.parse(localStorage.getItem('wuzi.puzzles')!).results['vcf-0001']).toEqual({ tries: 1, solved: true, clean: true })
    await page.get('[data-test="puzzle-forget"]').trigger('click')
    expect(usePuzzles().values.results).toEqual({})
  })

  it('show why a move fails, in Chinese too', async () => {
    serve(answer)
    const { page } = await mountPage(PuzzlesView, { id: 'vcf-0001' }, { path: '/puzzles/vcf-0001', locale: 'zh-CN' })
    await flushPromises()
    await page.get('[data-cell="64"]').trigger('click')
    await flushPromises()
    expect(page.get('[data-test="puzzle-message"]').text()).toContain('白棋如何取胜')
    await page.get('[data-test="puzzle-again"]').trigger('click')
    expect(page.findAll('[data-stone="B"], [data-stone="W"]')).toHaveLength(2)
  })

  it('survive storage that holds something else', async () => {
    localStorage.setItem('wuzi.puzzles', '{"results":{"a":7},"theme":"vct"}')
    serve(answer)
    await mountPage(PuzzlesView, { id: 'vcf-0001' }, { path: '/puzzles/vcf-0001' })
    expect(usePuzzles().values.results).toEqual({})
  })
})

describe('playing', () => {
  async function playing(check: object) {
    const server = serve((path) => (path.endsWith('/check') ? check : undefined))
    server.put(makeGame())
    const { page } = await mountPage(PlayView, { id: 'game1' }, { path: '/play/game1' })
    useSettings().values.blunderWarning = true
    await flushPromises()
    return { server, page }
  }

  it('asks before a blunder, and plays it only if told so', async () => {
    const reason = { en: 'The other side could then win by force.', zh: '对方必胜。' }
    const { server, page } = await playing({ isBlunder: true, reason, loss: null, line: ['a1'] })
    void useGame().pick(0)
    await flushPromises()
    expect(page.get('[data-test="blunder"]').text()).toContain('ProvedThe other side could then win by force')
    await page.get('[data-test="blunder-show"]').trigger('click')
    expect(page.findAll('[data-test="line"] > g')).toHaveLength(2)
    expect(server.games.get('game1')!.ply).toBe(0)
    await page.get('[data-test="blunder-back"]').trigger('click')
    expect(page.find('[data-test="blunder"]').exists()).toBe(false)
    void useGame().pick(0)
    await flushPromises()
    await page.get('[data-test="blunder-play"]').trigger('click')
    await flushPromises()
    expect(server.games.get('game1')!.moves).toEqual(['a15'])
  })

  it('calls what the engine believes an opinion, without a line to show', async () => {
    const { page } = await playing({ isBlunder: true, reason: { en: 'About 30 points.', zh: '30' }, loss: 30, line: [] })
    void useGame().pick(0)
    await flushPromises()
    expect(page.get('[data-test="blunder"]').text()).toContain('OpinionAbout')
    expect(page.find('[data-test="blunder-show"]').exists()).toBe(false)
  })

  it('lets good moves pass without a word', async () => {
    const { server } = await playing({ isBlunder: false, reason: null, loss: 1, line: [] })
    void useGame().pick(0)
    await flushPromises()
    expect(server.games.get('game1')!.moves).toEqual(['a15'])
  })

  it('shows clocks and counts them down', async () => {
    const server = new FakeServer()
    const clocks = [
      { leftS: 63.2, incrementS: 2, moveS: null, running: true },
      { leftS: 180, incrementS: 2, moveS: null, running: false },
    ]
    server.put(makeGame({ clocks }))
    const { page } = await mountPage(PlayView, { id: 'game1' }, { path: '/play/game1' })
    const texts = page.findAll('[data-test="clock"]').map((clock) => clock.text())
    expect(texts).toContain('3:00')
    expect(texts.some((text) => /^1:0[34]$/.test(text))).toBe(true)
    expect(page.get('[data-test="hint"]').attributes('disabled')).toBeUndefined()
    server.push({ paused: true, clocks })
    await flushPromises()
    expect(page.get('[data-test="hint"]').attributes('disabled'), 'no thinking while the clocks stand').toBeDefined()
  })

  it('sends the chosen clock and book with a new game', async () => {
    serve(() => undefined)
    await mountPage(PuzzlesView, {}, { path: '/puzzles' })
    await useCatalogue().load()
    const setup = useSetup()
    Object.assign(setup.values, { mode: 'two', clock: 'blitz', book: 'even' })
    expect(setup.request()).toMatchObject({ clock: CLOCKS.blitz, book: 'even' })
    setup.values.size = 11
    expect(setup.books).toEqual(['', 'renju26'])
    expect(setup.request()).not.toHaveProperty('book')
    setup.values.opening = 'swap2'
    expect(setup.books).toEqual([''])
  })
})
