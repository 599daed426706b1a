import { flushPromises } from '@vue/test-utils'
import { readFileSync } from 'node:fs'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { BackendError } from '@/backend'
import type { Facts } from '@/backend/local/facts'
import { GameDesk } from '@/backend/local/games'
import type { Lanes } from '@/backend/local/lanes'
import { allOwn, forgetOwn, noteOwn, ownOf } from '@/backend/local/ownItems'
import { myKey, mySeat, newKey, readMark, seatMark, sit } from '@/backend/local/seats'
import type { Session, StoredSession } from '@/backend/local/session'
import type { Keeper, Kept, Seated, WatchHandlers } from '@/backend/local/store'
import { loadRules } from '@/wasm/rulebook'
import type { GameSummary, NewGame } from '@/wire'

const FACTS = { engines: [], specs: {}, books: {} } as unknown as Facts
const PEOPLE: NewGame['seats'] = [{ kind: 'human' }, { kind: 'human' }]

beforeAll(async () => void (await loadRules(async () => readFileSync('src/wasm/kernels.wasm'))))
beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
})
afterEach(() => vi.useRealTimers())

/** A server for two pages: a value a game, versions, and which seat wrote. */
class House {
  readonly values = new Map<string, Kept<StoredSession>>()
  readonly sitting = new Map<WatchHandlers<StoredSession>, number>()
  readonly watchers = new Map<string, WatchHandlers<StoredSession>[]>()
  readonly seated: Seated[] = []
  /** The seats that have no line. */
  readonly lost = new Set<number | null>()
  /** The seats that hear nothing for now. */
  readonly deaf = new Set<number | null>()

  desk(seat: 0 | 1 | null): GameDesk {
    const keeper: Keeper<StoredSession, GameSummary> = {
      isShared: true,
      now: () => Date.now(),
      get: async (id) => structuredClone(this.values.get(id)),
      summaries: async () => [],
      remove: async () => undefined,
      put: async (one, _, __, seated) => {
        await Promise.resolve()
        if (this.lost.has(seat)) throw new BackendError('network', 0, 'no line')
        if ((one.version ?? 0) !== (this.values.get(one.id)?.version ?? 0)) throw new BackendError('conflict', 409, 'older')
        if (seated && Object.keys(seated).length) this.seated.push(seated)
        return this.keep({ ...one, writer: seat })
      },
      watch: (id, handlers) => {
        const all = this.watchers.get(id) ?? []
        this.watchers.set(id, [...all, handlers])
        if (seat !== null) this.sitting.set(handlers, seat)
        queueMicrotask(() => {
          handlers.onLink('online', 0)
          this.tell(id)
        })
        const close = (): void => {
          this.watchers.set(id, this.watchers.get(id)!.filter((one) => one !== handlers))
          this.tell(id)
        }
        return { sit: () => undefined, say: () => undefined, reconnectNow: () => undefined, close }
      },
    }
    const desk = new GameDesk(FACTS, {} as Lanes, keeper)
    desk.seatOf = () => seat
    return desk
  }

  send(id: string): void {
    for (const watcher of this.watchers.get(id) ?? []) {
      if (!this.deaf.has(this.sitting.get(watcher) ?? null)) watcher.onStored(structuredClone(this.values.get(id)!))
    }
  }

  keep(one: Kept<StoredSession>): Kept<StoredSession> {
    const value = structuredClone({ ...one, updatedAt: Date.now(), version: (one.version ?? 0) + 1 })
    this.values.set(one.id, value)
    this.send(one.id)
    return value
  }

  /** What a page that does not keep to the rules writes. */
  forge(id: string, writer: number, change: (data: StoredSession) => void): void {
    const value = structuredClone(this.values.get(id)!)
    change(value.data)
    this.keep({ ...value, writer })
  }

  private tell(id: string): void {
    const all = this.watchers.get(id)!
    const here = [...new Set(all.flatMap((one) => this.sitting.get(one) ?? []))].sort()
    all.forEach((one, i) => one.onWatch(i === 0, all.length, here))
  }
}

const place = (desk: GameDesk, id: string, cell: number) => desk.change(id, (session, elapsed) => session.act({ type: 'place', moves: [cell] }, null, elapsed))
const state = async (desk: GameDesk, id: string) => (await desk.get(id)).state()
const moves = async (desk: GameDesk, id: string) => (await state(desk, id)).moves
const ask = (desk: GameDesk, id: string, kind: 'undo' | 'draw' | 'rematch') => desk.agree(id, (session: Session) => session.ask(kind))
const reply = (desk: GameDesk, id: string, accepts: boolean) => desk.agree(id, (session: Session) => session.reply(accepts))

async function invited(more: Partial<NewGame> = {}) {
  const house = new House()
  const [black, white, watcher] = ([0, 1, null] as const).map((seat) => house.desk(seat)) as [GameDesk, GameDesk, GameDesk]
  const { id } = await black.create({ rules: { size: 9 }, seats: PEOPLE, ...more })
  await black.invite(id, 0)
  const open = (desk: GameDesk) => desk.open(id, { onMessage: () => undefined })
  const streams = [black, white, watcher].map(open)
  await flushPromises()
  return { house, black, white, watcher, id, streams, open }
}

describe('what is this browser’s', () => {
  it('is noted with its seats, and the oldest make room before those with seats', () => {
    sit('friend', 1, ['', newKey()])
    expect([mySeat('friend'), myKey('friend').length, mySeat('other'), myKey('other')]).toEqual([1, 24, null, ''])
    for (let i = 0; i < 305; i++) noteOwn('games', `g${i}`, { at: 1000 + i })
    const ids = allOwn('games').map(([id]) => id)
    expect([ids.length, ids.includes('friend'), ids.includes('g0'), ids.includes('g304')]).toEqual([300, true, false, true])
    noteOwn('games', 'g304', { summary: { ply: 3 } })
    expect(ownOf('games', 'g304')).toEqual({ at: 1304, summary: { ply: 3 } })
    forgetOwn('games', 'g304')
    expect(ownOf('games', 'g304')).toBeNull()
  })

  it('has links that can be read', () => {
    const key = newKey()
    expect(readMark(seatMark(1, key))).toEqual({ seat: 1, key })
    for (const wrong of ['', '#', '#2-' + key, '#1-short', `#1-${key}x`]) expect(readMark(wrong)).toBeNull()
  })

  it('may have both seats in two tabs: the last link of a tab counts', () => {
    const keys: [string, string] = [newKey(), newKey()]
    sit('one', 0, keys)
    sit('one', 1, ['', keys[1]])
    expect([mySeat('one'), ownOf('games', 'one')!.keys]).toEqual([1, keys])
  })
})

describe('a game by links', () => {
  it('has keys of its own that nobody sees', async () => {
    const { house, id } = await invited()
    expect(house.seated).toEqual([{ keys: ownOf('games', id)!.keys }])
    expect(JSON.stringify([...house.values])).not.toContain(ownOf('games', id)!.keys![1])
  })

  it('lets each side move in its turn, and who watches never', async () => {
    const { black, white, watcher, id } = await invited()
    await expect(place(white, id, 40)).rejects.toMatchObject({ code: 'not_your_turn' })
    await place(black, id, 40)
    await expect(place(black, id, 41)).rejects.toMatchObject({ code: 'not_your_turn' })
    await expect(place(watcher, id, 41)).rejects.toMatchObject({ code: 'no_seat' })
    await place(white, id, 41)
    for (const desk of [black, white, watcher]) expect(await moves(desk, id)).toEqual(['e5', 'f5'])
  })

  it('loses no move to what the other side writes at the same moment', async () => {
    for (const order of [0, 1]) {
      const { black, white, id } = await invited({ clock: { seconds: 60 } })
      await place(black, id, 40)
      const name = () => black.interrupt(id, (session) => void (session.seats[0] = { ...session.seats[0], name: 'Ada' }))
      const move = () => place(white, id, 41)
      await Promise.all(order ? [name(), move()] : [move(), name()])
      await flushPromises()
      for (const desk of [black, white]) {
        const { moves: played, byLink, seats } = await state(desk, id)
        expect([played, byLink!.foul, seats[0].name.en]).toEqual([['e5', 'f5'], null, 'Ada'])
      }
    }
  })

  it('is taken back when the other side agrees, and not when it declines or moves on', async () => {
    const { black, white, id } = await invited()
    await expect(ask(white, id, 'undo')).rejects.toMatchObject({ code: 'not_allowed_now' })
    await place(black, id, 40)
    await ask(black, id, 'undo')
    expect((await state(white, id)).byLink!.offer).toMatchObject({ kind: 'undo', seat: 0 })
    await expect(reply(black, id, true)).rejects.toMatchObject({ code: 'not_allowed_now' })
    await reply(white, id, false)
    expect([await moves(black, id), (await state(black, id)).byLink!.offer, (await state(black, id)).byLink!.unsent]).toEqual([['e5'], null, false])
    await ask(black, id, 'undo')
    await place(white, id, 41)
    expect((await state(black, id)).byLink!.offer).toBeNull()
    await ask(black, id, 'undo')
    await reply(white, id, true)
    for (const desk of [black, white]) expect([await moves(desk, id), (await state(desk, id)).byLink!.foul]).toEqual([[], null])
  })

  it('is drawn when both want it', async () => {
    const { black, white, id } = await invited()
    await place(black, id, 40)
    await ask(black, id, 'draw')
    expect((await state(white, id)).outcome).toBeNull()
    await ask(white, id, 'draw')
    for (const desk of [black, white]) expect((await state(desk, id)).outcome).toMatchObject({ winner: null, reason: 'agreement' })
  })

  it('is played again with colours changed', async () => {
    const { house, black, white, id } = await invited()
    await expect(ask(black, id, 'rematch')).rejects.toMatchObject({ code: 'not_allowed_now' })
    await white.interrupt(id, (session) => session.resign(null))
    expect((await state(black, id)).outcome).toMatchObject({ winner: 'B', reason: 'resignation' })
    await ask(black, id, 'rematch')
    await reply(white, id, true)
    const next = (await state(black, id)).byLink!.next!
    expect(house.seated.at(-1)).toEqual({ like: id, swapped: true })
    expect(ownOf('games', next)).toMatchObject({ seat: 0, keys: [...ownOf('games', id)!.keys!].reverse() })
    const { data } = house.values.get(next)!
    expect([data.actions, data.between]).toEqual([[], { offer: null, stands: true, next: null }])
  })

  it.each([0, 1])('is played again after any time on the clock of who was to move, asked by seat %i', async (asker) => {
    vi.useFakeTimers()
    const { black, white, id } = await invited({ clock: { seconds: 60 } })
    for (const [i, cell] of [40, 0, 41, 2, 42, 4, 43, 6, 44].entries()) {
      vi.advanceTimersByTime(500)
      await place([black, white][i % 2]!, id, cell)
    }
    const [first, second] = asker ? [white, black] : [black, white]
    vi.advanceTimersByTime(30_000)
    await ask(first, id, 'rematch')
    vi.advanceTimersByTime(30_000)
    await reply(second, id, true)
    const [here, there] = [await state(first, id), await state(second, id)].map(({ byLink }) => byLink!)
    expect([here!.foul, there!.foul, here!.next === there!.next, here!.next]).toEqual([null, null, true, expect.any(String)])
  })

  it('survives a lost line: the move comes late, and its time is that of who made it', async () => {
    vi.useFakeTimers()
    const { house, black, white, id } = await invited({ clock: { seconds: 100 } })
    await place(black, id, 40)
    await place(white, id, 41)
    await place(black, id, 42)
    house.lost.add(1)
    const played = place(white, id, 43)
    await vi.advanceTimersByTimeAsync(20_500)
    expect(await moves(black, id)).toEqual(['e5', 'f5', 'g5'])
    house.lost.clear()
    await vi.advanceTimersByTimeAsync(2_000)
    await played
    expect(await moves(black, id)).toEqual(['e5', 'f5', 'g5', 'h5'])
    const { clocks, byLink } = await state(black, id)
    expect(byLink!.foul).toBeNull()
    expect(clocks[1]!.leftS).toBeLessThan(80)
    expect(clocks[0]!.leftS).toBeGreaterThan(97)
  })

  it('takes no time for a first move that a lost line holds', async () => {
    vi.useFakeTimers()
    const { house, black, white, id } = await invited({ clock: { seconds: 10 } })
    await place(black, id, 40)
    house.lost.add(1)
    const played = place(white, id, 41)
    await vi.advanceTimersByTimeAsync(20_500)
    expect((await state(white, id)).clocks[1]!.leftS).toBe(10)
    house.lost.clear()
    await vi.advanceTimersByTimeAsync(2_000)
    await played
    for (const desk of [black, white]) {
      const { clocks, byLink, moves: all, outcome } = await state(desk, id)
      expect([all.length, byLink!.foul, outcome, clocks[1]!.leftS]).toEqual([2, null, null, 10])
    }
  })

  it('hears of a move late: its time is that of the server, and the own clock has run since', async () => {
    vi.useFakeTimers()
    const { house, black, white, id } = await invited({ clock: { seconds: 100 } })
    for (const [desk, cell] of [[black, 40], [white, 41], [black, 42], [white, 43]] as const) await place(desk, id, cell)
    house.deaf.add(1)
    await place(black, id, 44)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await moves(white, id)).toHaveLength(4)
    house.deaf.clear()
    house.send(id)
    await place(white, id, 45)
    for (const desk of [black, white]) {
      const { clocks, byLink, moves: played } = await state(desk, id)
      expect([played.length, byLink!.foul]).toEqual([6, null])
      expect(clocks.map((clock) => Math.round(clock!.leftS))).toEqual([100, 80])
    }
  })

  it('takes no time for the first move of a side, and is lost on time later, whoever looks', async () => {
    vi.useFakeTimers()
    const { black, white, watcher, id } = await invited({ clock: { seconds: 10, increment: 3 } })
    for (const [desk, cell] of [[black, 40], [white, 41]] as const) {
      await vi.advanceTimersByTimeAsync(3_600_000)
      await place(desk, id, cell)
    }
    expect((await state(white, id)).clocks.map((clock) => clock!.leftS)).toEqual([10, 10])
    await ask(white, id, 'undo')
    await reply(black, id, true)
    await place(white, id, 42)
    expect((await state(white, id)).clocks.map((clock) => clock!.leftS)).toEqual([10, 10])
    await vi.advanceTimersByTimeAsync(11_000)
    for (const desk of [black, white, watcher]) expect((await state(desk, id)).outcome).toMatchObject({ winner: 'W', reason: 'time' })
  })

  it('has clocks that stand until both are here, and when both have left', async () => {
    vi.useFakeTimers()
    const house = new House()
    const [black, white] = [house.desk(0), house.desk(1)]
    const { id } = await black.create({ rules: { size: 9 }, seats: PEOPLE, clock: { seconds: 60 } })
    await black.invite(id, 0)
    const one = black.open(id, { onMessage: () => undefined })
    await vi.advanceTimersByTimeAsync(30_000)
    await place(black, id, 40)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect((await state(black, id)).clocks.map((clock) => clock!.leftS)).toEqual([60, 60])
    const two = white.open(id, { onMessage: () => undefined })
    await place(white, id, 41)
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await state(black, id)).clocks[0]!.leftS).toBeCloseTo(50, 0)
    one.close()
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await state(white, id)).clocks[0]!.leftS).toBeCloseTo(40, 0)
    window.dispatchEvent(new Event('pagehide'))
    two.close()
    await vi.advanceTimersByTimeAsync(3_600_000)
    const again = [house.desk(0), house.desk(1)] as const
    for (const desk of again) desk.open(id, { onMessage: () => undefined })
    await vi.advanceTimersByTimeAsync(5_000)
    const back = await state(again[1], id)
    expect([back.outcome, back.moves]).toEqual([null, ['e5', 'f5']])
    expect(back.clocks[0]!.leftS).toBeCloseTo(35, 0)
  })
})

describe('a page that does not keep to the rules', () => {
  const FOULS: [string, (data: StoredSession) => void, RegExp][] = [
    ['moves for the other side', (data) => data.actions.push({ type: 'place', moves: [50] }, { type: 'place', moves: [51] }), /other side/],
    ['takes back what nobody gave back', (data) => void data.actions.pop(), /taken back/],
    ['plays on a stone', (data) => data.actions.push({ type: 'place', moves: [40] }), /./],
    ['lets the other side give up', (data) => void (data.end = { winner: 2, reason: 'resignation' }), /gave up/],
    ['makes a draw of it', (data) => void (data.end = { winner: 0, reason: 'agreement' } as never), /draw/],
    ['says that time is up', (data) => void (data.end = { winner: 2, reason: 'time' }), /./],
    ['wins by decree', (data) => void (data.end = { winner: 2, reason: 'adjudication' }), /./],
    ['takes the other clock', (data) => void (data.clocks[0] = { ...data.clocks[0]!, leftS: 1 }), /lost time/],
    ['winds its own clock up', (data) => void (data.clocks[1] = { ...data.clocks[1]!, leftS: 900 }), /gained time/],
    ['changes the rules', (data) => void (data.rules = { ...data.rules, winLength: 4 }), /rules/],
    ['takes the name of the other', (data) => void (data.seats[0] = { ...data.seats[0], name: 'Loser' }), /seats/],
    ['makes an engine of itself', (data) => void (data.seats[1] = { kind: 'engine', engine: 'engine', level: null, name: '' }), /seats/],
  ]

  it.each(FOULS)('%s: the other page puts the game back', async (_, change, why) => {
    const { house, black, watcher, id, streams } = await invited({ clock: { seconds: 300 } })
    await place(black, id, 40)
    streams[1]!.close()
    await flushPromises()
    house.forge(id, 1, change)
    await flushPromises()
    expect(await moves(black, id)).toEqual(['e5'])
    const { outcome, byLink } = await state(black, id)
    expect([outcome, byLink!.foul]).toEqual([null, expect.stringMatching(why)])
    const kept = house.values.get(id)!
    expect([kept.writer, kept.data.actions.length, kept.data.end, kept.data.rules.winLength]).toEqual([0, 1, null, 5])
    expect(await moves(watcher, id)).toEqual(['e5'])
  })

  it('may do what is its right: move, give up, name itself, offer', async () => {
    const { house, black, id } = await invited({ clock: { seconds: 300, increment: 5 } })
    await place(black, id, 40)
    house.forge(id, 1, (data) => void (data.seats[1] = { ...data.seats[1], name: 'Bo' }))
    house.forge(id, 1, (data) => void (data.between!.offer = { kind: 'draw', seat: 1 }))
    house.forge(id, 1, (data) => data.actions.push({ type: 'place', moves: [41] }))
    house.forge(id, 1, (data) => void (data.end = { winner: 1, reason: 'resignation' }))
    await flushPromises()
    const { moves: played, outcome, byLink, seats } = await state(black, id)
    expect([played, outcome!.winner, byLink!.foul, seats[1].name.en]).toEqual([['e5', 'f5'], 'B', null, 'Bo'])
  })
})
