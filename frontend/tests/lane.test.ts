import { readFileSync } from 'node:fs'
import { flushPromises } from '@vue/test-utils'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { GameData, Look } from '@/backend/engine/asks'
import { ServerLane, resultIn, resultOut } from '@/backend/remote/lane'
import { GameDesk } from '@/backend/local/games'
import type { Facts } from '@/backend/local/facts'
import type { Lanes } from '@/backend/local/lanes'
import type { StoredSession } from '@/backend/local/session'
import type { Keeper, Kept, WatchHandlers } from '@/backend/local/store'
import { BackendError } from '@/backend'
import { loadRules } from '@/wasm/rulebook'
import type { GameSummary, NewGame } from '@/wire'
import { FakeServer } from './fakeServer'

const RULES = { size: 9, winLength: 5, rule: 'freestyle', opening: 'free' } as const
const game: GameData = { rules: RULES, start: null, actions: [{ type: 'place', moves: [40] }] }
const PEOPLE: NewGame['seats'] = [{ kind: 'human' }, { kind: 'human' }]

beforeAll(async () => void (await loadRules(async () => readFileSync('src/wasm/kernels.wasm'))))

describe('the lane of a server', () => {
  let server: FakeServer
  beforeEach(() => (server = new FakeServer()))
  const sent = (): Record<string, unknown>[] => server.socket!.sent.map((text) => JSON.parse(text) as Record<string, unknown>)
  const say = (message: object): void => server.say(message as never)

  it('asks in the analysis protocol, and asks anew after a lost connection', async () => {
    const lane = new ServerLane()
    const turns: (number | string)[] = []
    const think = lane.ask(
      'think',
      { game, spec: '', player: { engine: 'levels', level: 'casual' }, seed: 7, limit: { time: 1 }, multipv: 5, turn: { clock: { leftS: 60, incrementS: 2 } } },
      { onInfo: () => turns.push('info'), onTurn: (ahead) => turns.push(ahead), onBegun: () => turns.push('begun') },
    )
    await flushPromises()
    const [asked] = sent()
    expect(asked).toMatchObject({ type: 'start', engine: 'levels', level: 'casual', seed: 7, isMove: true, limit: { clock: 60, increment: 2 } })
    expect(asked!.position).toMatchObject({ size: 9, actions: [{ type: 'place', moves: ['e5'] }] })
    const { id } = asked as { id: string }
    say({ type: 'queued', id, ahead: 2, begun: false })
    say({ type: 'queued', id, ahead: 0, begun: true })
    server.socket!.fail()
    await new Promise((go) => setTimeout(go, 800))
    expect(sent()).toEqual([asked])
    say({ type: 'done', id, rootInfo: { winrate: 0.5 }, moveInfos: [], action: { type: 'place', moves: ['e6'] }, resigned: false })
    expect(await think.answer).toMatchObject({ action: { type: 'place', moves: [31] }, resigned: false })
    expect(turns).toEqual([2, 0, 'begun'])
  })

  it('tells what the server refuses, and drops what is not wanted', async () => {
    const lane = new ServerLane()
    const [one, two] = [1, 2].map((count) => lane.ask('balance', { game, count }))
    await flushPromises()
    const [first, second] = sent() as { id: string }[]
    say({ type: 'error', id: first!.id, code: 'engine_crashed', message: 'ended', log: 'last words' })
    await expect(one!.answer).rejects.toMatchObject({ code: 'engine_crashed', status: 503, log: 'last words' })
    two!.cancel()
    await expect(two!.answer).rejects.toMatchObject({ code: 'cancelled' })
    expect(sent().at(-1)).toEqual({ type: 'cancel', id: second!.id })
  })

  it('reads what Python has found in a review, and writes it the same way', () => {
    const said = [{ said: 'STOPS_FIVE', cells: 'e5', plies: 0 }]
    const written = {
      quick: { winrate: 0.5, nodes: 10, lines: [{ move: 'e5', winrate: 0.5, winIn: null, pv: 'e5e6' }] },
      deep: { winrate: 0.5, nodes: 10, lines: [{ move: 'e5', winrate: 0.5, winIn: 3, pv: 'e5' }], said },
      prove: { win: { kind: 'vcf', moves: 'a1b1' }, lost: false, threat: null, only: 'c3', forced: true, said },
      defend: { move: null, tried: 4, proved: true, said: [] },
      levels: { likelihoods: [0, 0.5, 1, 0, 0, 0, 0], policy: 0.25 },
    } as const
    for (const [kind, one] of Object.entries(written)) {
      const found = resultIn(kind as 'quick', structuredClone(one) as never, 9)
      expect(JSON.parse(JSON.stringify(resultOut(found, 9)))).toEqual(one)
    }
    expect((resultIn('deep', structuredClone(written.deep) as never, 9) as Look).said).toEqual([{ said: 'stops_five', cells: [40], plies: 0 }])
  })
})

/** A store that two pages share, each by a keeper of its own. */
class Shared {
  value: Kept<StoredSession> | null = null
  readonly watchers: WatchHandlers<StoredSession>[] = []
  isLost = false

  keeper(): Keeper<StoredSession, GameSummary> {
    return {
      isShared: true,
      now: () => Date.now(),
      get: async () => structuredClone(this.value!),
      summaries: async () => [],
      remove: async () => undefined,
      put: async (one) => {
        await new Promise((go) => setTimeout(go, 5))
        if (this.isLost) throw new BackendError('network', 0, 'no line')
        if ((one.version ?? 0) !== (this.value?.version ?? 0)) throw new BackendError('conflict', 409, 'older')
        this.value = structuredClone({ ...one, version: (one.version ?? 0) + 1 })
        for (const { onStored } of this.watchers) onStored(structuredClone(this.value))
        return this.value
      },
      watch: (_, handlers) => {
        this.watchers.push(handlers)
        queueMicrotask(() => {
          handlers.onLink('online', 0)
          handlers.onWatch(this.watchers[0] === handlers, this.watchers.length, [])
        })
        return { sit: () => undefined, say: () => undefined, reconnectNow: () => undefined, close: () => undefined }
      },
    }
  }
}

describe('a game that two pages show', () => {
  const facts = { engines: [], specs: {}, books: {} } as unknown as Facts
  const place = (desk: GameDesk, id: string, cell: number) => desk.change(id, (session, elapsed) => session.act({ type: 'place', moves: [cell] }, null, elapsed))

  async function both() {
    const shared = new Shared()
    const [one, two] = [1, 2].map(() => new GameDesk(facts, {} as Lanes, shared.keeper())) as [GameDesk, GameDesk]
    const { id } = await one.create({ rules: { size: 9 }, seats: PEOPLE, clock: { seconds: 100 } })
    for (const desk of [one, two]) desk.open(id, { onMessage: () => undefined })
    await flushPromises()
    return { shared, one, two, id }
  }
  const moves = async (desk: GameDesk, id: string) => (await desk.get(id)).state().moves

  it('is the same on both, whoever plays', async () => {
    const { one, two, id } = await both()
    await place(one, id, 40)
    await place(two, id, 41)
    expect([await moves(one, id), await moves(two, id)]).toEqual([['e5', 'f5'], ['e5', 'f5']])
    await one.interrupt(id, (session) => session.undo(null))
    expect(await moves(two, id)).toEqual(['e5'])
  })

  it('takes the faster of two moves; the other is refused and shows what is true', async () => {
    const { one, two, id } = await both()
    const tried = await Promise.allSettled([place(one, id, 40), place(two, id, 41)])
    expect(tried.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect((tried[1] as PromiseRejectedResult).reason).toMatchObject({ code: 'ply_mismatch' })
    expect([await moves(one, id), await moves(two, id)]).toEqual([['e5'], ['e5']])
  })

  it('keeps a move until the line is back', async () => {
    const { shared, one, id } = await both()
    shared.isLost = true
    const played = place(one, id, 40)
    await flushPromises()
    expect(shared.value!.data.actions).toEqual([])
    shared.isLost = false
    expect((await played).moves).toEqual(['e5'])
    expect(shared.value!.data.actions).toHaveLength(1)
  })

  it('counts the running turn from its stored beginning, whatever ended the page or the server', async () => {
    const { shared, one, id } = await both()
    await place(one, id, 40)
    shared.value!.data.turnBegan = Date.now() - 30_000
    const again = new GameDesk(facts, {} as Lanes, shared.keeper())
    const { clocks } = (await again.get(id)).state()
    expect(clocks[1]!.leftS).toBeGreaterThan(69)
    expect(clocks[1]!.leftS).toBeLessThan(70.5)
  })
})
