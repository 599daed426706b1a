import type { GameState, PositionIn, RootInfo } from '@/wire'
import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rulebook } from '@/game/legality'
import { cellOf } from '@/game/notation'
import { useGame } from '@/features/play/game'
import { useNotices } from '@/ui/notices'
import { FakeServer, handicapGame, human, makeGame } from './fakeServer'

let server: FakeServer
const root = (visits: number, winrate: number): RootInfo => ({
  currentPlayer: 'W',
  visits,
  winrate,
  nodes: visits,
  simulations: 0,
  depth: 1,
  maxDepth: 1,
  nps: 1,
  time: 1,
})
const at = (move: string): number => cellOf(move, 15)

beforeEach(() => {
  setActivePinia(createPinia())
  server = new FakeServer()
})
afterEach(() => useGame().close())

async function opened(change: Partial<GameState> = {}) {
  server.put(makeGame(change))
  const store = useGame()
  await store.open('game1')
  await flushPromises()
  return store
}

const humans: GameState['seats'] = [human('B'), human('W')]

describe('placing a stone', () => {
  beforeEach(async () => void (await rulebook()))

  it('sends the move with the ply it saw and draws it at once', async () => {
    const store = await opened()
    const sent = store.pick(at('h8'))
    expect(store.cells[at('h8')]).toBe('B')
    expect(store.pending?.queued).toBe(false)
    await sent
    expect(server.posts()).toEqual([{ method: 'POST', path: '/games/game1/moves', body: { move: 'h8', ply: 0 } }])
    expect(store.pending).toBeNull()
    expect(store.game?.moves).toEqual(['h8'])
  })

  it('sends one request for a double click', async () => {
    const store = await opened()
    await Promise.all([store.pick(at('h8')), store.pick(at('h8')), store.pick(at('j9'))])
    expect(server.posts()).toHaveLength(1)
  })

  it('waits for the answer when the stream has shown an undone move already', async () => {
    const store = await opened({ moves: ['h8', 'i9'] })
    store.undo()
    server.push({ moves: [], canRedo: true })
    expect(store.busy).toBe(true)
    await store.pick(at('d5'))
    expect(store.refusal).toBeNull()
    expect(store.game?.moves).toEqual(['d5'])
  })

  it.each([
    ['occupied', { moves: ['h8', 'i9'] }, 'h8'],
    ['notYourTurn', { moves: ['h8'] }, 'j10'],
    ['over', { phase: 'over' as const, outcome: { winner: 'B' as const, reason: 'line' as const, forbiddenKind: null } }, 'j10'],
    ['paused', { moves: ['h8'], paused: true }, 'j10'],
  ])('says %s and sends nothing', async (why, state, move) => {
    const store = await opened(state)
    await store.pick(at(move))
    expect(store.refusal?.why).toBe(why)
    expect(server.posts()).toEqual([])
  })

  it('shakes again for the same refusal', async () => {
    const store = await opened({ moves: ['h8', 'i9'] })
    await store.pick(at('h8'))
    const first = store.refusal!.nonce
    await store.pick(at('h8'))
    expect(store.refusal!.nonce).toBeGreaterThan(first)
  })

  it('warns of a forbidden point first and plays it when asked again', async () => {
    const forbidden = [{ move: 'h9', kind: 'double_three' as const }]
    const store = await opened({ rules: { size: 15, winLength: 5, rule: 'renju', opening: 'free' }, moves: ['h8', 'a1'], forbidden })
    await store.pick(at('h9'))
    expect(store.refusal?.why).toBe('double_three')
    expect(server.posts()).toEqual([])
    await store.pick(at('h9'))
    expect(server.posts()).toHaveLength(1)
  })

  it('takes an illegal move back and tells why', async () => {
    const store = await opened()
    server.refuse = { code: 'illegal_move', status: 422, detail: 'h8 is taken' }
    await store.pick(at('h8'))
    expect(store.cells[at('h8')]).toBe('.')
    expect(useNotices().list[0]).toMatchObject({ key: 'errors.illegal_move', params: { detail: 'h8 is taken' } })
  })

  it('shows the true position after a ply mismatch without a word', async () => {
    const store = await opened()
    server.put(makeGame({ moves: ['a1', 'b2'] }))
    await store.pick(at('h8'))
    expect(store.game?.moves).toEqual(['a1', 'b2'])
    expect(useNotices().list).toEqual([])
  })
})

describe('the connection', () => {
  it('keeps a move while the server is away and sends it once it is back', async () => {
    const store = await opened()
    server.offline = true
    await store.pick(at('h8'))
    expect(store.pending).toMatchObject({ queued: true, cell: at('h8') })
    server.offline = false
    await store.refresh()
    await flushPromises()
    expect(store.game?.moves).toEqual(['h8'])
    expect(store.pending).toBeNull()
  })

  it('drops the kept move when the game has gone on without it', async () => {
    const store = await opened({ seats: humans })
    server.offline = true
    await store.pick(at('h8'))
    server.offline = false
    server.put(makeGame({ seats: humans, moves: ['a1'] }))
    await store.refresh()
    expect(store.pending).toBeNull()
    expect(server.posts()).toEqual([])
  })

  it('ignores states that are older than the one shown, and those of other games', async () => {
    const store = await opened({ moves: ['h8', 'i9'] })
    const old = makeGame({ moves: ['h8'] })
    server.push({ moves: ['h8', 'i9', 'j10'] })
    store.receive({ type: 'state', game: { ...old, seq: 0 } })
    store.receive({ type: 'state', game: makeGame({ id: 'other', moves: [] }) })
    expect(store.game?.ply).toBe(3)
  })

  it('says that there is no such game', async () => {
    const store = useGame()
    await store.open('nope')
    expect(store.status).toBe('missing')
    expect(server.sockets).toEqual([])
  })

  it('follows the thoughts of the engine for the position shown only', async () => {
    const store = await opened({ moves: ['h8'] })
    const info = { type: 'info' as const, gameId: 'game1', rootInfo: root(10, 0.7), moveInfos: [] }
    store.receive({ ...info, ply: 0, seq: 1 })
    expect(store.winrate).toBeNull()
    store.receive({ ...info, ply: 1, seq: 2 })
    store.receive({ ...info, ply: 1, seq: 1, rootInfo: root(5, 0.2) })
    expect(store.winrate).toBe(0.7)
  })
})

describe('looking back', () => {
  it('shows the earlier position and leaves the game alone', async () => {
    const store = await opened({ moves: ['h8', 'i9', 'j10', 'k11'], winrates: [0.5, 0.6, null, 0.7, 0.8], winrate: 0.8 })
    store.view(2)
    expect(store.cells.filter((cell) => cell !== '.')).toHaveLength(2)
    expect(store.winrate).toBe(0.6)
    await store.pick(at('a1'))
    expect(store.refusal?.why).toBe('viewing')
    server.push({ moves: ['h8', 'i9', 'j10', 'k11', 'a1'] })
    expect(store.shownPly).toBe(2)
    store.view(99)
    expect(store.live).toBe(true)
    expect(store.cells[at('a1')]).toBe('B')
  })

  it('has the result as the chance of the position that ended the game', async () => {
    const outcome = { winner: 'W' as const, reason: 'line' as const, forbiddenKind: null }
    const store = await opened({ moves: ['h8', 'i9'], winrates: [0.5, 0.4, null], phase: 'over', outcome })
    expect(store.winrates).toEqual([0.5, 0.4, 0])
    server.put(makeGame({ id: 'game2', seats: humans, moves: ['h8'], winrates: [null, null], phase: 'over', outcome }))
    await store.open('game2')
    await flushPromises()
    expect(store.winrates).toEqual([null, null])
  })

  it('keeps the estimate of a position in which one side resigned', async () => {
    const outcome = { winner: 'W' as const, reason: 'resignation' as const, forbiddenKind: null }
    const store = await opened({ moves: ['h8', 'i9'], winrates: [0.5, 0.4, 0.6], winrate: 0.6, phase: 'over', outcome })
    expect(store.winrate).toBe(0.6)
    expect(store.winrates).toEqual([0.5, 0.4, 0.6])
  })

  it('returns to the game when the viewed move is taken back', async () => {
    const store = await opened({ moves: ['h8', 'i9', 'j10', 'k11'] })
    store.view(3)
    store.undo()
    await flushPromises()
    expect(store.live).toBe(true)
    expect(store.game?.ply).toBe(2)
  })
})

describe('hints', () => {
  it('tell the area first, then the move and why', async () => {
    const store = await opened()
    await store.askHint()
    expect(store.hint).toMatchObject({ level: 1, area: [at('h8'), at('h9')], move: null })
    await store.askHint()
    expect(store.hint).toMatchObject({ level: 2, move: at('h9') })
    expect(store.hint).toMatchObject({ reason: { en: 'It blocks.' }, words: null })
    await store.askHint()
    const asked = server.posts().filter((call) => call.path.endsWith('/hint'))
    expect(asked.map((call) => call.body)).toEqual([{ level: 1 }, { level: 2 }])
  })

  it('give the reason once, where the words of the move have it too', async () => {
    server.words = [{ en: ['stops a five'], zh: ['挡住连五'] }]
    const store = await opened()
    await store.askHint()
    expect(store.hint).toMatchObject({ reason: { en: 'It blocks.' }, words: null })
    await store.askHint()
    expect(store.hint).toMatchObject({ reason: null, words: { en: 'stops a five' } })
  })

  it('are told of the position with the stones that lay before the moves', async () => {
    const store = await opened(handicapGame())
    await store.askHint()
    await store.askHint()
    const { position } = server.posts().find((call) => call.path === '/layers')!.body as { position: PositionIn }
    const stones = Object.fromEntries(['h8', 'i9', 'g7', 'h9', 'h10'].map((move) => [move, position.cells?.[at(move)]]))
    expect(stones).toEqual({ h8: 'B', i9: 'B', g7: 'B', h9: '.', h10: '.' })
    expect([position.toMove, position.moves]).toEqual(['W', ['h9', 'h10']])
  })

  it('vanish with the next stone', async () => {
    const store = await opened()
    await store.askHint()
    await store.pick(at('a1'))
    expect(store.hint).toBeNull()
  })
})

describe('opening phases', () => {
  const rules = { size: 15, winLength: 5, rule: 'freestyle' as const, opening: 'swap2' as const }

  it('collect three stones in turn colours and send them together', async () => {
    const store = await opened({ rules, phase: 'place_three', seats: humans })
    for (const move of ['h8', 'i9', 'j10']) {
      expect(store.placing).toBe(move === 'i9' ? 'W' : 'B')
      await store.pick(at(move))
    }
    expect(store.placing).toBeNull()
    expect(server.posts()).toEqual([])
    store.undo()
    expect(store.draft).toHaveLength(2)
    await store.pick(at('k11'))
    await store.choose('place')
    expect(server.posts()[0]!.body).toEqual({ action: 'place', ply: 0, moves: ['h8', 'i9', 'k11'] })
    expect(store.draft).toEqual([])
  })

  it('ask for a choice before a stone is placed', async () => {
    const store = await opened({ rules, phase: 'choose', seats: humans, moves: ['h8', 'i9', 'j10'] })
    await store.pick(at('a1'))
    expect(store.refusal?.why).toBe('choose')
    store.startExtra(1)
    expect(store.placing).toBe('W')
    await store.pick(at('a1'))
    expect(server.posts()[0]).toMatchObject({ path: '/games/game1/moves', body: { move: 'a1', ply: 3 } })
  })

  it('add two stones, white first', async () => {
    const store = await opened({ rules, phase: 'choose', seats: humans, moves: ['h8', 'i9', 'j10'] })
    store.startExtra(2)
    expect(store.placing).toBe('W')
    await store.pick(at('a1'))
    expect(store.placing).toBe('B')
    await store.pick(at('a2'))
    await store.choose('place')
    expect(server.posts()[0]!.body).toEqual({ action: 'place', ply: 3, moves: ['a1', 'a2'] })
  })
})
