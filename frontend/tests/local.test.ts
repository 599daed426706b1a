import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { balanced } from '@/backend/engine/balance'
import { Game } from '@/backend/engine/game'
import { GameDesk, searched } from '@/backend/local/games'
import type { Facts } from '@/backend/local/facts'
import type { Lanes } from '@/backend/local/lanes'
import { openLocal } from '@/backend/local/local'
import { readFile, writeFile } from '@/backend/local/records'
import { gameOf } from '@/backend/local/positions'
import { positionOut } from '@/backend/local/states'
import { reviewTable } from '@/backend/local/reviewText'
import { Session, type SeatOf, type StoredSession } from '@/backend/local/session'
import { LocalKeeper } from '@/backend/local/store'
import { cellOf } from '@/game/notation'
import { fromGame } from '@/game/place'
import { cellsAt, lineThrough, ROOT, toMoveAt } from '@/game/tree'
import { GAME } from '@/wasm/generated'
import { loadRules, type Position } from '@/wasm/rulebook'
import type { GameSummary, NewGame, Review, RulesIn } from '@/wire'

/** Of what `wuzi site` writes, the parts that games of two people read. */
const FACTS = { engines: [], specs: {}, books: { renju26: [[[0, 0], [0, 1], [0, 2]]] } }
const PEOPLE: NewGame['seats'] = [{ kind: 'human' }, { kind: 'human' }]
const NINE: RulesIn = { size: 9 }
const at = (move: string, size = 9): number => cellOf(move, size)
let desk: GameDesk

beforeAll(async () => void (await loadRules(async () => readFileSync('src/wasm/kernels.wasm'))))
const newDesk = (facts: object = FACTS, lanes: object = {}): GameDesk => {
  const made: GameDesk = new GameDesk(facts as Facts, lanes as Lanes, new LocalKeeper<StoredSession, GameSummary>('games', (one) => made.summary(one), searched))
  return made
}
beforeEach(() => (desk = newDesk()))

const place = (id: string, ...moves: string[]) =>
  moves.reduce(async (before, move) => {
    await before
    await desk.change(id, (session) => session.act({ type: 'place', moves: [at(move)] }, null, 0))
  }, Promise.resolve())
const look = async (id: string) => (await desk.get(id)).state()

describe('an answer of an engine that cannot be played', () => {
  const engine = { id: 'odd', name: { en: 'Odd', zh: '怪' }, levels: [{ id: 'only', name: { en: 'Only', zh: '唯一' }, limit: {} }], defaultLevel: 'only' }
  const odd = (...moves: string[]) => ({ rootInfo: { winrate: null }, moveInfos: moves.map((move) => ({ move, winrate: null })), action: null })

  it.each([
    ['on a stone', odd('e5'), 'occupied'],
    ['beside the board', odd('z20'), 'z20'],
    ['without a move', odd(), 'no move'],
    ['of an opening that is over', { ...odd('a1'), action: { type: 'swap' } }, 'swap'],
  ])('%s is told, and the game goes on once it is restarted', async (_, found, why) => {
    const answers = [found, odd('e6')]
    const ask = () => ({ answer: Promise.resolve(answers.shift()), cancel: () => undefined, stop: () => undefined })
    const facts = { ...FACTS, engines: [engine], specs: { odd: { only: 'odd' } } } as unknown as Facts
    desk = newDesk(facts, { moves: { ask } })
    const { id } = await desk.create({ rules: NINE, seats: [{ kind: 'human' }, { kind: 'engine', engine: 'odd' }] })
    const told: unknown[] = []
    desk.open(id, { onMessage: (message) => told.push(message.type) })
    await place(id, 'e5')
    await vi.waitFor(async () => expect((await look(id)).engineError).not.toBeNull())
    const { engineError, thinking } = await look(id)
    expect(engineError).toMatchObject({ code: 'engine_failed', message: expect.stringContaining(why) as string })
    expect([thinking, told.includes('engineError')]).toEqual([null, true])
    await desk.change(id, (session) => session.resume())
    await vi.waitFor(async () => expect((await look(id)).moves).toEqual(['e5', 'e6']))
  })
})

describe('a game without a server', () => {
  it('is played to its end by the rule book, and taken back', async () => {
    const { id } = await desk.create({ rules: NINE, seats: PEOPLE })
    await place(id, 'a9', 'a8', 'b9', 'b8', 'c9', 'c8', 'd9', 'd8')
    await expect(place(id, 'a9')).rejects.toMatchObject({ code: 'illegal_move' })
    await place(id, 'e9')
    const over = await look(id)
    expect([over.phase, over.outcome, over.winningLines]).toEqual(['over', { winner: 'B', reason: 'line', forbiddenKind: null }, [['a9', 'b9', 'c9', 'd9', 'e9']]])
    await desk.change(id, (session) => session.undo(null))
    expect((await look(id)).ply).toBe(8)
    await desk.change(id, (session) => session.redoMoves(null))
    expect((await look(id)).phase).toBe('over')
  })

  it('says what is forbidden, and ends by it', async () => {
    const { id } = await desk.create({ rules: { size: 15, rule: 'renju' }, seats: PEOPLE, moves: ['f8', 'a1', 'g8', 'c1', 'h9', 'e1', 'h10', 'a3'] })
    expect((await look(id)).forbidden).toEqual([{ move: 'h8', kind: 'double_three' }])
    await desk.change(id, (session) => session.act({ type: 'place', moves: [at('h8', 15)] }, null, 0))
    expect((await look(id)).outcome).toEqual({ winner: 'W', reason: 'forbidden', forbiddenKind: 'double_three' })
  })

  it('begins with a handicap: Black has stones, White moves', async () => {
    const game = await desk.create({ rules: NINE, seats: PEOPLE, handicap: 2 })
    expect([game.ply, game.toMove, game.moves]).toEqual([3, 'W', []])
    expect(['e5', 'g7', 'g3'].map((move) => game.cells[at(move)])).toEqual(['B', 'B', 'B'])
    for (const rules of [{ size: 6 }, { size: 9, winLength: 4 }, { size: 9, opening: 'swap2' as const }]) {
      await expect(desk.create({ rules, seats: PEOPLE, handicap: 1 })).rejects.toThrow('1 extra stones')
    }
  })

  it('keeps its handicap as a tree for the analysis', async () => {
    const { id } = await desk.create({ rules: NINE, seats: PEOPLE, handicap: 2 })
    await place(id, 'a1', 'b1')
    const game = await look(id)
    const { tree, last } = fromGame(game)
    expect([cellsAt(tree, last).join(''), toMoveAt(tree, last)]).toEqual([game.cells, game.toMove])
    expect(cellsAt(tree, ROOT).filter((cell) => cell === 'B')).toHaveLength(3)
  })

  it('has a name by which it is found', async () => {
    const { id } = await desk.create({ rules: NINE, seats: PEOPLE })
    await desk.create({ rules: { size: 11 }, seats: PEOPLE })
    await desk.note(id, { name: 'Against Ada' })
    const found = async (search: string) => (await desk.recent(20, search)).map((one) => one.id)
    expect((await look(id)).name).toBe('Against Ada')
    expect([await found('ada 9x9'), await found('ADA'), await found('ada 11x11')]).toEqual([[id], [id], []])
    expect(await desk.recent(20)).toHaveLength(2)
    expect(await desk.recent(1)).toHaveLength(1)
  })

  it('is the same after a reload', async () => {
    const { id } = await desk.create({ rules: NINE, seats: PEOPLE, clock: { seconds: 30, eachMove: true } })
    await place(id, 'e5', 'e6')
    await desk.note(id, { name: 'kept' })
    const { session } = await desk.get(id)
    const again = Session.restored(structuredClone(session.stored()), () => undefined)
    expect([again.game.moves, again.name, again.clocks.map((clock) => clock?.moveS), again.restarted().clocks[0]?.leftS]).toEqual([session.game.moves, 'kept', [30, 30], 30])
    const { id: next } = await desk.restart(id)
    expect([(await look(next)).ply, (await look(next)).clocks[0]?.leftS]).toEqual([0, 30])
  })

  it.each([{ handicap: 2 }, { book: 'renju26' as const }, { moves: ['e5', 'e6'] }])('begins anew from its start with the seats exchanged: %j', async (start) => {
    const begun = await desk.create({ rules: NINE, seats: PEOPLE, clock: { seconds: 30, increment: 2 }, ...start })
    const { session } = await desk.get(begun.id)
    expect([begun.canUndo, (await place(begun.id, 'b9'), await look(begun.id)).canUndo]).toEqual([false, true])
    await desk.change(begun.id, (session) => session.undo(null))
    expect((await look(begun.id)).moves).toEqual(begun.moves)
    session.seats[1] = { ...session.seats[1], name: 'Ada' }
    await place(begun.id, 'a1')
    const again = await desk.restart(begun.id, true)
    expect([again.cells, again.moves, again.clocks[1]?.incrementS]).toEqual([begun.cells, begun.moves, 2])
    expect(again.seats.map((seat) => seat.name.en)).toEqual(['Ada', 'Human'])
    await desk.change(begun.id, (session) => session.undo(1))
    await place(begun.id, 'b1')
    expect((await desk.restart(begun.id)).cells).toBe(begun.cells)
    const { session: next } = await desk.get(again.id)
    expect(Session.restored(structuredClone(next.stored()), () => next.game.start).restarted().game.position.text).toBe(begun.cells)
  })

  it('is removed', async () => {
    const { id } = await desk.create({ rules: NINE, seats: PEOPLE })
    await desk.remove(id)
    await expect(desk.get(id)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('clocks and pace', () => {
  afterEach(() => void vi.useRealTimers())
  const engine: SeatOf = { kind: 'engine', engine: 'levels', level: 'novice', name: '' }
  const person: SeatOf = { kind: 'human', engine: null, level: null, name: '' }
  const begin = () => Game.begin({ size: 9, winLength: 5, rule: 'freestyle', opening: 'free' })

  it('of each move begin anew, those of a game add their increment', () => {
    const clocks = [{ leftS: 10, incrementS: 0, moveS: 10 }, { leftS: 60, incrementS: 5 }]
    const session = new Session([person, person], begin(), clocks)
    session.act({ type: 'place', moves: [0] }, 0, 4)
    session.act({ type: 'place', moves: [1] }, 1, 20)
    expect(session.clocks.map((clock) => clock?.leftS)).toEqual([10, 45])
    expect([session.timeFor(0, undefined), session.timeFor(1, 1), session.timeFor(1, 10)]).toEqual([9, 1, 5.8])
    expect([session.flag(9.9), session.flag(10)]).toEqual([false, true])
    expect(session.game.end).toEqual({ winner: 2, reason: 'time' })
  })

  it('give no time back to a turn that ends without an action, and stand in a pause of any turn', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'Date'] })
    const { id } = await desk.create({ rules: NINE, seats: PEOPLE, clock: { seconds: 100 } })
    const left = async () => (await look(id)).clocks.map((clock) => clock!.leftS)
    const pass = (seconds: number): void => void vi.advanceTimersByTime(1000 * seconds)
    await place(id, 'e5')
    pass(10)
    await desk.interrupt(id, (session) => session.undo(null))
    pass(20)
    await desk.interrupt(id, (session) => session.redoMoves(null))
    expect(await left()).toEqual([80, 90])
    pass(5)
    await expect(desk.interrupt(id, (session) => session.redoMoves(null))).rejects.toMatchObject({ code: 'nothing_to_redo' })
    await desk.change(id, (session) => session.resume())
    expect(await left()).toEqual([80, 85])
    pass(5)
    await desk.interrupt(id, (session) => session.pause())
    pass(30)
    expect([(await look(id)).paused, await left()]).toEqual([true, [80, 80]])
    await desk.change(id, (session) => session.resume())
    pass(1)
    expect(await left()).toEqual([80, 79])
    pass(80)
    expect((await look(id)).outcome).toMatchObject({ winner: 'B', reason: 'time' })
    await desk.interrupt(id, (session) => session.pause())
    expect((await look(id)).paused).toBe(false)
  })

  it('are charged for the turn that a resignation, a draw or the end of the page cuts short', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'Date'] })
    const begun = async (): Promise<string> => (await desk.create({ rules: NINE, seats: PEOPLE, clock: { seconds: 100 } })).id
    const [resigned, drawn, left] = [await begun(), await begun(), await begun()]
    vi.advanceTimersByTime(10_000)
    await desk.interrupt(resigned, (session) => session.resign(null))
    await desk.interrupt(drawn, (session) => session.offerDraw())
    window.dispatchEvent(new Event('pagehide'))
    vi.advanceTimersByTime(10_000)
    const clocks = [resigned, drawn, left].map(async (id) => (await desk.get(id)).session.stored().clocks[0]?.leftS)
    expect(await Promise.all(clocks)).toEqual([90, 90, 90])
    expect((await look(left)).clocks[0]?.leftS).toBe(80)
  })

  const play = (session: Session, cell: number, elapsedS: number): void => session.act({ type: 'place', moves: [cell] }, null, elapsedS)
  const timed = (leftS: number, incrementS = 0, game = begin()) => new Session([person, person], game, [{ leftS, incrementS }, { leftS, incrementS }])
  const leftOf = (session: Session) => session.clocks.map((clock) => clock && clock.leftS)

  it.each(['resign', 'offerDraw'] as const)('stand as they stood where a game is taken back after %s', (end) => {
    const session = timed(60, 5)
    play(session, 0, 10)
    session.runClock(20)
    if (end === 'resign') session.resign(null)
    else session.offerDraw()
    session.undo(null)
    expect([session.game.ply, session.timedSeat, leftOf(session)]).toEqual([1, 1, [55, 40]])
    session.pause()
    expect(session.paused).toBe(true)
  })

  it('are gone where a game lost on time goes on, or somebody steps back through a game that ended', () => {
    const lost = timed(10)
    lost.flag(10)
    lost.undo(null)
    const run = timed(10)
    run.runClock(10)
    run.resign(null)
    run.undo(null)
    const seen = timed(60)
    play(seen, 0, 1)
    seen.resign(null)
    seen.undo(1)
    expect([lost, run, seen].map(leftOf)).toEqual([[null, null], [null, null], [null, null]])
  })

  it('give an increment back with its action, and have it again with a replay', () => {
    const session = timed(60, 5)
    for (let i = 0; i < 3; i += 1) {
      play(session, 0, 2)
      play(session, 1, 4)
      session.undo(2)
    }
    expect(leftOf(session)).toEqual([54, 48])
    session.redoMoves(2)
    expect(leftOf(session)).toEqual([59, 53])
  })

  it('owe an increment that is used already to the next ones', () => {
    const session = timed(60, 20)
    play(session, 0, 10)
    play(session, 1, 0)
    session.runClock(58)
    session.undo(2)
    expect(session.clocks[0]).toMatchObject({ leftS: GAME.REST_S, owedS: 8 + GAME.REST_S })
    const again = Session.restored(structuredClone(session.stored()), () => undefined)
    again.redoMoves(2)
    expect(again.clocks[0]).toMatchObject({ leftS: 12, owedS: 0 })
    again.runClock(11)
    for (let i = 0; i < 3; i += 1) {
      again.undo(2)
      expect(again.clocks[0]).toMatchObject({ leftS: 1, owedS: 20 })
      play(again, 0, 0)
      play(again, 1, 0)
      expect(again.clocks[0]).toMatchObject({ leftS: 1, owedS: 0 })
    }
  })

  it('have no increment of an opening that the game began with', () => {
    const session = timed(60, 5, Game.of(begin().rules, [0, 1]))
    session.opening = 2
    session.undo(1)
    expect(leftOf(session)).toEqual([60, 60])
    session.redoMoves(1)
    play(session, 2, 0)
    session.undo(2)
    expect(leftOf(session)).toEqual([60, 60])
    session.redoMoves(1)
    expect(leftOf(session)).toEqual([60, 60])
  })

  it('a pace is only where engines play each other', () => {
    expect(new Session([engine, person], begin()).paceS).toBeNull()
    const watched = new Session([engine, engine], begin())
    expect(watched.paceS).toBe(0.3)
    watched.pace = 2
    expect([watched.paceS, watched.restarted().paceS]).toEqual([2, 2])
  })
})

describe('a balance', () => {
  /** Even where the next stone lies in the first row. */
  const value = async (position: Position) => (position.lastMove! < 9 ? 0 : 0.5)

  it('is a move near the stones after which both stand alike', async () => {
    const found = await balanced(value, gameOf({ size: 9, moves: ['e9'] }), 1)
    expect(found.winrate).toBe(0.5)
    expect(found.moves).toHaveLength(1)
    expect(found.moves[0]).toMatch(/^[b-h]9$/)
    expect((await balanced(value, gameOf({ size: 9, moves: ['e9'] }), 2)).moves).toHaveLength(2)
  })

  it('is refused where every stone ends the game', async () => {
    const full = 'BBW'.repeat(3).slice(0, 8) + '.'
    await expect(balanced(value, gameOf({ size: 3, winLength: 3, cells: full, toMove: 'W' }), 1)).rejects.toMatchObject({ code: 'unsupported_rule' })
  })
})

describe('positions and files', () => {
  it.each([
    [{ size: 2 }, 'unsupported_rule'],
    [{ rule: 'renju' as const, winLength: 4 }, 'unsupported_rule'],
    [{ moves: ['z99'] }, 'bad_notation'],
    [{ size: 9, cells: 'BW' }, 'validation'],
    [{ moves: ['h8', 'h8'] }, 'illegal_move'],
  ])('%j is refused as the server refuses it', (position, code) => {
    expect(() => positionOut(gameOf(position))).toThrow(expect.objectContaining({ code }))
  })

  it.each(['sgf', 'psq', 'json', 'pos'] as const)('a game goes through %s', (format) => {
    const text = '(;FF[4]GM[4]SZ[15];B[hh];W[hg];B[ig])'
    const { text: written } = writeFile(readFile(text).file, format)
    const { file } = readFile(written)
    const moves = lineThrough(file.tree, ROOT).flatMap((id) => file.tree.nodes[id]!.move ?? [])
    expect(moves).toEqual([at('h8', 15), at('h9', 15), at('i9', 15)])
  })

  it.each(['RIF renju', '联珠', 'forbidden-moves'])('a file may call renju %s, as on a server', (name) => {
    expect(readFile(`(;FF[4]GM[4]SZ[15]RU[${name}];B[hh])`).file).toMatchObject({ tree: { rules: { rule: 'renju' } }, warnings: [] })
  })

  it('what only a server writes is refused by name', () => {
    expect(() => writeFile(readFile('h8 h9').file, 'svg')).toThrow('only a server')
  })
})

it('all puzzles of a theme are listed', async () => {
  const files: Record<string, unknown> = { facts: { puzzles: 'puzzles' }, puzzles: Array.from({ length: 1200 }, (_, i) => ({ id: `${i}`, theme: 'vcf' })) }
  vi.stubGlobal('fetch', async (url: string) => new Response(gzipSync(JSON.stringify(files[url.split('/').at(-1)!]))))
  const backend = await openLocal('facts')
  expect(await backend.request('puzzles.puzzles', { theme: 'vcf' })).toHaveLength(1200)
  vi.unstubAllGlobals()
})

describe('the table of a review', () => {
  const move = { ply: 1, color: 'W', move: 'h8', before: 0.25, after: 0.6, best: [], missed: null, allowed: null, only: null, text: { en: ['One.'], zh: ['一。'] } }
  const row = (side?: 'B' | 'W') => reviewTable({ moves: [move] } as unknown as Review, 'en', side).split('\n')[1]!.split(',')

  it('has the win rates of a side, or of the mover', () => {
    expect(row().slice(3, 5)).toEqual(['0.75', '0.4'])
    expect(row('W').slice(3, 5)).toEqual(['0.75', '0.4'])
    expect(row('B').slice(3, 5)).toEqual(['0.25', '0.6'])
  })
})
