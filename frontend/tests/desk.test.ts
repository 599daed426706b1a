import { flushPromises } from '@vue/test-utils'
import { readFileSync } from 'node:fs'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { gameData, type Look, type Thought, type ToWorker } from '@/backend/engine/asks'
import { Game } from '@/backend/engine/game'
import { analysisStream } from '@/backend/local/analysis'
import type { Facts } from '@/backend/local/facts'
import { effort, restAfter } from '@/backend/effort'
import { newLanes, WorkerLane } from '@/backend/local/lanes'
import type { LocalDesk } from '@/backend/local/local'
import { bookStones, ReviewDesk } from '@/backend/local/reviews'
import { LocalKeeper, newId, Shelf } from '@/backend/local/store'
import { loadRules } from '@/wasm/rulebook'
import type { Review } from '@/wire'

const FACTS = { data: {}, words: { en: {}, zh: {} } } as unknown as Facts
const RULES = { size: 9, winLength: 5, rule: 'freestyle' as const }

/** A worker whose answers the test gives. */
class Desk {
  static all: Desk[] = []
  onmessage: ((event: { data: unknown }) => void) | null = null
  onerror: ((event: { message: string }) => void) | null = null
  readonly heard: ToWorker[] = []
  isEnded = false
  constructor() {
    Desk.all.push(this)
  }
  postMessage(message: ToWorker): void {
    this.heard.push(message)
  }
  terminate(): void {
    this.isEnded = true
  }
  get asked(): { id: number; name: string; asks: Record<string, unknown> }[] {
    return this.heard.filter((one) => one.type === 'ask') as never
  }
  /** Says something about the last question. */
  say(type: 'done' | 'info' | 'failed', what: object, id = this.asked.at(-1)!.id): void {
    this.onmessage?.({ data: { type, id, ...what } })
  }
}
const newest = (): Desk => Desk.all.at(-1)!
const thought = (move: string): Thought => ({ rootInfo: { visits: 1 }, moveInfos: [{ move }], action: null }) as unknown as Thought
const game = () => ({ rules: { ...RULES, opening: 'free' as const }, start: null, actions: [] })
const failure = (answer: Promise<unknown>): Promise<unknown> => answer.then(() => null, (error: { code: string; status: number }) => [error.code, error.status])

beforeAll(async () => void (await loadRules(async () => readFileSync('src/wasm/kernels.wasm'))))
beforeEach(() => {
  Desk.all = []
  vi.stubGlobal('Worker', Desk)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('a lane', () => {
  it('asks one thing at a time and says how many come before', async () => {
    const lane = new WorkerLane(FACTS)
    const turns: number[] = []
    const first = lane.ask('balance', { game: game(), count: 1 })
    const second = lane.ask('balance', { game: game(), count: 2 }, { onTurn: (ahead) => turns.push(ahead) })
    expect([newest().heard[0]!.type, newest().asked.length, turns]).toEqual(['begin', 1, [1]])
    newest().say('done', { answer: 'late' }, -1)
    newest().say('done', { answer: 'one' })
    expect(await first.answer).toBe('one')
    expect(newest().asked[1]!.asks.count).toBe(2)
    newest().say('done', { answer: 'two' })
    expect([await second.answer, Desk.all.length]).toEqual(['two', 1])
  })

  it('tells the worker how much of the time it may work', () => {
    const lane = new WorkerLane(FACTS)
    effort.share = 0.25
    lane.ask('balance', { game: game(), count: 1 })
    effort.share = 1
    expect(newest().asked[0]).toMatchObject({ share: 0.25 })
    expect([restAfter(100, 1), restAfter(100, 0.5), restAfter(100, 0.25), restAfter(9000, 0.25)]).toEqual([0, 100, 300, 3000])
  })

  it('drops what waits without a word to the worker', async () => {
    const lane = new WorkerLane(FACTS)
    lane.ask('balance', { game: game(), count: 1 })
    const waiting = lane.ask('balance', { game: game(), count: 2 })
    waiting.cancel()
    expect(await failure(waiting.answer)).toEqual(['cancelled', 0])
    newest().say('done', { answer: 'one' })
    expect(newest().asked).toHaveLength(1)
  })

  it('ends a worker that does not stop: its last report is the answer', async () => {
    vi.useFakeTimers()
    const lane = new WorkerLane(FACTS)
    const ask = () => lane.ask('think', { game: game(), spec: 'engine', seed: 0, limit: {}, multipv: 1 }, { onInfo: () => undefined, reportMs: 50 })
    const heard = ask()
    newest().say('info', { info: thought('e5') })
    heard.stop()
    expect([newest().heard.at(-1)!.type, newest().isEnded]).toEqual(['end', false])
    await vi.advanceTimersByTimeAsync(400)
    expect([Desk.all[0]!.isEnded, (await heard.answer).moveInfos[0]!.move]).toEqual([true, 'e5'])
    const silent = ask()
    expect([Desk.all.length, newest().asked.at(-1)]).toMatchObject([2, { reportMs: 50 }])
    silent.stop()
    await vi.advanceTimersByTimeAsync(400)
    expect(await failure(silent.answer)).toEqual(['cancelled', 0])
  })

  it('tells what went wrong, and hires another worker after a crash', async () => {
    const lane = new WorkerLane(FACTS)
    const ask = () => lane.ask('balance', { game: game(), count: 1 })
    const [refused, crashed, next] = [ask(), ask(), ask()]
    newest().say('failed', { code: 'unsupported_rule', message: 'no' })
    expect(await failure(refused.answer)).toEqual(['unsupported_rule', 422])
    newest().onerror?.({ message: 'out of memory' })
    expect(await failure(crashed.answer)).toEqual(['engine_failed', 503])
    expect([Desk.all.length, Desk.all[0]!.isEnded]).toEqual([2, true])
    newest().say('done', { answer: 'fine' })
    expect(await next.answer).toBe('fine')
  })
})

describe('a live analysis', () => {
  function open() {
    const said: Record<string, unknown>[] = []
    const desk = { lanes: newLanes(FACTS), handedOver: new Set(), thinkAsk: (one: Game) => ({ game: gameData(one), spec: 'engine', seed: 0, limit: {}, multipv: 1 }) } as unknown as LocalDesk
    const stream = analysisStream(desk, { onMessage: (message) => said.push(message as never) })
    const start = (id: string, moves: string[] = []) => stream.send({ type: 'start', id, position: { ...RULES, moves } })
    return { said, stream, start }
  }

  it('reports while it searches and at its end, and forgets the question before', async () => {
    const { said, stream, start } = open()
    start('one')
    newest().say('info', { info: thought('e5') })
    start('two', ['e5'])
    expect(newest().heard.at(-1)!.type).toBe('end')
    newest().say('failed', { code: 'cancelled', message: '' })
    newest().say('done', { answer: thought('e6') })
    await flushPromises()
    expect(said.map(({ id, type, seq, ahead, turnNumber }) => [id, type, seq ?? ahead, turnNumber])).toEqual([['one', 'info', 1, 0], ['two', 'queued', 1, undefined], ['two', 'done', 1, 1]])
    stream.close()
    newest().say('info', { info: thought('a1') })
    expect(said).toHaveLength(3)
  })

  it('says why there is none', async () => {
    const { said, start } = open()
    start('over', ['a9', 'a8', 'b9', 'b8', 'c9', 'c8', 'd9', 'd8', 'e9'])
    start('bad', ['a9', 'a9'])
    start('lost')
    newest().say('failed', { code: 'engine_failed', message: 'broken' })
    await flushPromises()
    expect(said.map(({ id, type, code }) => [id, type, code])).toEqual([['over', 'error', 'game_over'], ['bad', 'error', 'illegal_move'], ['lost', 'error', 'engine_failed']])
  })
})

describe('a review', () => {
  const played = () => Game.of(RULES, [40, 41])
  const look: Look = { winrate: 0.5, nodes: 10, lines: [{ move: 0, winrate: 0.5, winIn: null, pv: [0] }], said: null }
  const tasks = () => Desk.all.flatMap((one) => one.asked.map(({ asks }) => `${String(asks.kind)} ${String(asks.ply)}`))

  it('is made task by task, stopped and gone on with', async () => {
    const desk = new ReviewDesk(FACTS, newLanes(FACTS), new LocalKeeper('reviews', ReviewDesk.summary))
    const seen: Review[] = []
    await expect(desk.create(Game.of(RULES, []), { B: '', W: '' }, '', 'quick')).rejects.toThrow('no moves')
    const { id, status } = await desk.create(played(), { B: 'Ada', W: 'Bo' }, '2026-11-24', 'quick')
    expect([status, tasks().length]).toEqual(['running', 1])
    desk.open(id, { onMessage: (message) => seen.push((message as { review: Review }).review) })
    await flushPromises()
    newest().say('done', { answer: look })
    await flushPromises()
    expect([tasks().length, seen.length, seen.at(-1)!.seq > seen[0]!.seq]).toEqual([2, 2, true])
    expect(seen.at(-1)!.progress.fraction).toBeGreaterThan(seen[0]!.progress.fraction)
    const stopped = await desk.stop(id)
    expect([stopped.status, stopped.progress.fraction]).toEqual(['stopped', seen[1]!.progress.fraction])
    newest().say('failed', { code: 'cancelled', message: '' })
    await flushPromises()
    expect((await desk.look(id)).error).toBeNull()
    expect((await desk.resume(id)).status).toBe('running')
    expect(tasks()[2]).toBe(tasks()[1])
    expect((await desk.recent(5)).map((one) => [one.id, one.players.B, one.ply])).toEqual([[id, 'Ada', 2]])
    const again = await desk.create(played(), { B: 'Ada', W: 'Bo' }, '2026-11-25', 'quick')
    expect([again.id, tasks().length], 'the same game with the same settings').toEqual([id, 3])
    const deeper = await desk.create(played(), { B: 'Ada', W: 'Bo' }, '2026-11-24', 'normal')
    expect(deeper.id).not.toBe(id)
    await desk.remove(deeper.id)
    await desk.remove(id)
    await expect(desk.look(id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('does not judge the stones of a book', async () => {
    expect(['n13 e5', 'n13 e5d5', 'n13', undefined].map((name) => bookStones(name, played()))).toEqual([1, 0, 0, 0])
    const desk = new ReviewDesk(FACTS, newLanes(FACTS), new LocalKeeper('reviews', ReviewDesk.summary))
    const { judgedFrom } = await desk.create(played(), { B: '', W: '' }, '', 'quick', 1)
    expect(judgedFrom).toBe(1)
  })

  it('says that the engine failed, and waits', async () => {
    const desk = new ReviewDesk(FACTS, newLanes(FACTS), new LocalKeeper('reviews', ReviewDesk.summary))
    const { id } = await desk.create(played(), { B: '', W: '' }, '', 'quick')
    newest().say('failed', { code: 'engine_failed', message: 'broken' })
    await flushPromises()
    const { status, errorCode, error } = await desk.look(id)
    expect([status, errorCode, error]).toEqual(['failed', 'engine_failed', 'broken'])
    expect(tasks()).toHaveLength(1)
  })
})

describe('a shelf', () => {
  const kept = (id: string, updatedAt: number) => ({ id, createdAt: 0, updatedAt, data: id })

  it('has the newest first, at most 300, also where the browser keeps nothing', async () => {
    vi.stubGlobal('indexedDB', { open: () => { throw new Error('private window') } })
    const shelf = new Shelf<string>('games')
    for (let i = 0; i < 302; i++) await shelf.put(kept(`g${i}`, (i * 7) % 302))
    const all = (await shelf.recent(Infinity)).map((one) => one.updatedAt)
    expect(all).toEqual(Array.from({ length: 300 }, (_, i) => 301 - i))
    expect((await shelf.recent(2)).map((one) => one.updatedAt)).toEqual([301, 300])
    await shelf.put(kept('again', 400))
    await shelf.put(kept('again', 500))
    expect((await shelf.get('again'))?.updatedAt).toBe(500)
    await shelf.remove('again')
    expect(await shelf.get('again')).toBeUndefined()
  })

  it('gives ids that fit an address', () => {
    const ids = new Set(Array.from({ length: 50 }, newId))
    expect([ids.size, [...ids].every((id) => /^[a-z2-7]{12}$/.test(id))]).toEqual([50, true])
  })
})
