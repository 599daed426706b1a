/** The games of a page without a server: kept in the browser, with the engine to act thinking in a worker. */

import { BackendError, type Said, type Stream, type StreamHandlers } from '@/backend'
import { FIRST, HANDICAP } from '@/game/facts'
import { parseCell } from '@/game/notation'
import { mayHandicap } from '@/game/rules'
import { type HintAnswer, gameData, gameFrom, type Thought } from '@/backend/engine/asks'
import { Game, type GameRules } from '@/backend/engine/game'
import { GAME } from '@/wasm/generated'
import { enemyOf, Position, RuleError, sideOf } from '@/wasm/rulebook'
import type { ClockIn, GameState, GameSummary, NewGame, SeatIn, Thinking } from '@/wire'
import { drawOpening, type Facts } from './facts'
import { type Lanes, REPORT_MS, type Running } from './lanes'
import { HUMAN, type SeatClock, type SeatOf, Session, type StoredSession } from './session'
import { stateOf, summaryOf, timeText } from './states'
import { newId, Shelf } from './store'
import { cellIn, cellsOf, wholeRules } from './positions'

/** A game in memory. */
class LiveGame {
  readonly viewers = new Set<StreamHandlers<Said<'games'>>>()
  hint: { game: Game; answer: HintAnswer } | null = null
  private search: { running: Running<'think'>; seq: number; since: number; seat: number } | null = null
  private turn = ''
  private turnBegan = performance.now()
  private timer = 0
  private reports = 0

  constructor(
    readonly id: string,
    public session: Session,
    readonly createdAt: number,
    public updatedAt: number,
    private readonly desk: GameDesk,
  ) {}

  get elapsedS(): number {
    return this.session.timedSeat === null ? 0 : (performance.now() - this.turnBegan) / 1000
  }

  state(): GameState {
    return stateOf(this, this.session, this.desk.facts.engines, this.thinking(), this.elapsedS)
  }

  private thinking(): Thinking | null {
    if (!this.search) return null
    const elapsed = (performance.now() - this.search.since) / 1000
    const limit = this.desk.levelOf(this.session.seats[this.search.seat]!)?.limit.timeS ?? null
    return { seat: this.search.seat, startedAt: timeText(Date.now() - elapsed * 1000), elapsed, limitS: limit, queuedAhead: 0 }
  }

  /** After each change: drops what is outdated, starts what is due, keeps and shows the game. */
  changed(): GameState {
    if (this.search && this.search.seq !== this.session.seq) this.drop()
    this.think()
    this.timeTurn()
    return this.noted()
  }

  /** Takes the time of a turn that ends without an action off its clock. */
  stopClock(): void {
    this.session.runClock(this.elapsedS)
    this.turnBegan = performance.now()
  }

  /** Begins the time of a new turn, and looks again when its clock has run out. */
  timeTurn(): void {
    const turn = `${this.session.game.actions.length} ${this.session.timedSeat}`
    if (turn !== this.turn) [this.turn, this.turnBegan] = [turn, performance.now()]
    this.watchClock()
  }

  /** Keeps and shows the game after a change that leaves its turn alone. */
  noted(): GameState {
    this.updatedAt = Date.now()
    void this.desk.keep(this)
    return this.show()
  }

  show(): GameState {
    const game = this.state()
    for (const { onMessage } of this.viewers) onMessage({ type: 'state', game })
    return game
  }

  drop(): void {
    this.search?.running.cancel()
    this.search = null
  }

  moveNow(): boolean {
    this.search?.running.stop()
    return this.search !== null
  }

  /** Lets the engine to act think; two engines play only while somebody looks. */
  think(): void {
    const { session } = this
    const seat = session.engineToAct
    if (this.search || seat === null || (!session.humans.length && !this.viewers.size)) return
    const level = this.desk.levelOf(session.seats[seat]!)
    if (!level) {
      session.fail({ code: 'engine_failed', message: `there is no engine ${session.seats[seat]!.engine}`, log: '' })
      return
    }
    const { timeS, nodes, depth } = level.limit
    const time = session.timeFor(seat, timeS)
    const running = this.desk.lanes.moves.ask(
      'think',
      { game: gameData(session.game), spec: level.spec, seed: this.desk.seedOf(this.id), limit: { time, nodes, depth }, multipv: GAME.CANDIDATES },
      { onInfo: (info) => this.report(info), reportMs: REPORT_MS },
    )
    const search = (this.search = { running, seq: session.seq, since: performance.now(), seat })
    running.answer
      .then(async (found) => {
        await new Promise((go) => window.setTimeout(go, Math.max(0, 1000 * (session.paceS ?? 0) - (performance.now() - search.since))))
        if (this.search !== search) return
        const move = found.moveInfos[0]
        const cell = move ? parseCell(move.move, session.game.rules.size) : null
        const action = found.action ?? (cell === null ? null : { type: 'place' as const, moves: [cell] })
        if (!action) throw new RuleError('illegal_move', `${move?.move ?? 'no move'} is no cell of this board`)
        // What cannot be played throws, and is told below as a failure of this search.
        session.answer(action, move?.winrate ?? found.rootInfo.winrate, this.elapsedS)
        this.search = null
        this.changed()
      })
      .catch((error: unknown) => {
        if (this.search !== search) return
        this.search = null
        const [code, message] =
          error instanceof BackendError
            ? [error.code, error.detail]
            : ['engine_failed', error instanceof RuleError ? `its answer cannot be played: ${error.message}` : String(error)]
        session.fail({ code, message, log: '' })
        for (const { onMessage } of this.viewers) onMessage({ type: 'engineError', code, message })
        this.changed()
      })
  }

  private report({ rootInfo, moveInfos }: Thought): void {
    this.reports += 1
    const message = { type: 'info' as const, gameId: this.id, ply: this.session.game.ply, seq: this.reports, rootInfo, moveInfos }
    for (const { onMessage } of this.viewers) onMessage(message)
  }

  private watchClock(): void {
    window.clearTimeout(this.timer)
    const seat = this.session.timedSeat
    if (seat === null) return
    const left = this.session.clocks[seat]!.leftS - this.elapsedS
    this.timer = window.setTimeout(() => {
      if (this.session.flag(this.elapsedS)) this.changed()
      else this.watchClock()
    }, (left + GAME.FLAG_S) * 1000)
  }
}

/** All games. */
export class GameDesk {
  private readonly shelf = new Shelf<StoredSession>('games')
  private readonly live = new Map<string, LiveGame>()

  constructor(
    readonly facts: Facts,
    readonly lanes: Lanes,
  ) {
    window.addEventListener('pagehide', () => this.leave())
  }

  /** Takes the time of the running turns off their clocks and keeps the games: the page may be gone at once. */
  private leave(): void {
    for (const game of this.live.values()) {
      if (game.session.timedSeat === null) continue
      game.stopClock()
      void this.keep(game)
    }
  }

  levelOf({ engine, level }: SeatOf) {
    const found = this.facts.engines.find((one) => one.id === engine)
    const wanted = level ?? found?.defaultLevel
    const limit = found?.levels.find((one) => one.id === wanted)?.limit
    const spec = found && this.specOf(found.id, wanted!)
    return limit && spec ? { limit: limit as { timeS?: number; nodes?: number; depth?: number }, spec } : null
  }

  /** The spec of an engine's level. */
  specOf(engine: string, level: string): string | null {
    return this.facts.specs[engine]?.[level] ?? null
  }

  seedOf(id: string): number {
    return [...id].reduce((seed, letter) => (seed * 31 + letter.charCodeAt(0)) & 0xffff, 7)
  }

  create(body: NewGame): GameState {
    const rules = wholeRules(body.rules)
    let seats = body.seats.map((seat) => this.seat(seat)) as [SeatOf, SeatOf]
    if (body.firstSeat === 'random' && Math.random() < 0.5) seats = [seats[1], seats[0]]
    const clock = body.clock ? clockOf(body.clock) : null
    const session = new Session(seats, this.begun(body, rules), [clock, clock])
    session.opening = session.isOver ? 0 : session.game.actions.length
    return this.add(session).changed()
  }

  private seat({ kind, engine, level, name }: SeatIn): SeatOf {
    if (kind === 'human') return { ...HUMAN, name: (name ?? '').trim().replace(/\s+/g, ' ') }
    const found = this.facts.engines.find((one) => one.id === engine)
    if (!found) throw new RuleError('unsupported_rule', `unknown engine ${engine}`)
    return { kind, engine: found.id, level: level ?? found.defaultLevel, name: '' }
  }

  private begun({ book, setup, moves, handicap }: NewGame, rules: GameRules): Game {
    if (handicap) return this.handicapped(rules, handicap)
    if (book) {
      const opening = drawOpening(this.facts, book, rules)
      if (!opening) throw new RuleError('unsupported_rule', 'there is no such book for this board')
      return Game.of(rules, opening)
    }
    const start = setup ? Position.of(rules, cellsOf(setup.cells, rules.size), setup.toMove ? sideOf(setup.toMove) : undefined) : undefined
    return (moves ?? []).reduce((game, move) => game.play(cellIn(move, rules.size)), Game.begin(rules, start))
  }

  /** A game in which Black has its first stone and some more before White's first move. */
  private handicapped(rules: GameRules, extra: number): Game {
    if (!mayHandicap(rules, extra)) {
      throw new RuleError('unsupported_rule', `${extra} extra stones: not on this board or with this opening`)
    }
    const cells = new Int8Array(rules.size ** 2)
    const centre = Math.floor(rules.size / 2)
    for (const [row, column] of HANDICAP.stones.slice(0, extra + 1)) cells[(centre + row) * rules.size + centre + column] = sideOf(FIRST)
    return Game.begin(rules, Position.of(rules, cells, enemyOf(sideOf(FIRST))))
  }

  add(session: Session): LiveGame {
    const game = new LiveGame(newId(), session, Date.now(), Date.now(), this)
    this.live.set(game.id, game)
    return game
  }

  async get(id: string): Promise<LiveGame> {
    const known = this.live.get(id)
    if (known) return known
    const kept = await this.shelf.get(id)
    if (!kept) throw new BackendError('not_found', 404, `game ${id}: there is none`)
    const session = Session.restored(kept.data, (rules, start) => gameFrom({ rules, start, actions: [] }).start)
    const game = this.live.get(id) ?? new LiveGame(id, session, kept.createdAt, kept.updatedAt, this)
    this.live.set(id, game)
    game.think()
    game.timeTurn()
    return game
  }

  async keep(game: LiveGame): Promise<void> {
    const { id, createdAt, updatedAt, session } = game
    await this.shelf.put({ id, createdAt, updatedAt, data: structuredClone(session.stored()) })
  }

  /** The games touched last; of a search those in whose names all its words are. */
  async recent(limit: number, search = ''): Promise<GameSummary[]> {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean)
    const kept = await this.shelf.recent(words.length ? Infinity : limit)
    const all = kept.map(({ id, updatedAt, data }) => {
      const session = this.live.get(id)?.session ?? Session.restored(data, (rules, start) => gameFrom({ rules, start, actions: [] }).start)
      return summaryOf(id, session, this.facts.engines, updatedAt)
    })
    return all.filter((one) => words.every((word) => searched(one).includes(word))).slice(0, limit)
  }

  async remove(id: string): Promise<void> {
    const game = await this.get(id)
    game.drop()
    this.live.delete(id)
    await this.shelf.remove(id)
  }

  /** The game of an id that is in memory. */
  known(id: string): LiveGame | undefined {
    return this.live.get(id)
  }

  open(id: string, handlers: StreamHandlers<Said<'games'>>): Stream<'games'> {
    let isOpen = true
    void this.get(id).then((game) => {
      if (!isOpen) return
      game.viewers.add(handlers)
      handlers.onLink?.('online', 0)
      game.think()
      handlers.onMessage({ type: 'state', game: game.state() })
    })
    const close = (): void => {
      isOpen = false
      this.live.get(id)?.viewers.delete(handlers)
    }
    return { send: () => false, reconnectNow: () => undefined, close }
  }

  /** What a person does in a game. */
  async change(id: string, what: (session: Session, elapsedS: number) => void): Promise<GameState> {
    const game = await this.get(id)
    what(game.session, game.elapsedS)
    return game.changed()
  }

  /** What ends a turn without an action: its time is not given back. */
  async interrupt(id: string, what: (session: Session) => void): Promise<GameState> {
    const game = await this.get(id)
    game.stopClock()
    what(game.session)
    return game.changed()
  }

  /** A game's name and pace. */
  async note(id: string, what: { name: string } | { pace: number }): Promise<GameState> {
    const game = await this.get(id)
    Object.assign(game.session, what)
    return game.noted()
  }

  async restart(id: string, swapSides = false): Promise<GameState> {
    const { session } = await this.get(id)
    return this.add(session.restarted(swapSides)).changed()
  }

  /** A search for the person to move, made once for both levels of a hint. */
  async hint(id: string): Promise<HintAnswer> {
    const live = await this.get(id)
    const { game, seats } = live.session
    checkPlaces(game, seats)
    if (live.hint?.game !== game) live.hint = { game, answer: await this.lanes.moves.ask('hint', { game: gameData(game) }).answer }
    return live.hint.answer
  }
}

const clockOf = ({ seconds, increment, eachMove }: ClockIn): SeatClock =>
  eachMove ? { leftS: seconds, incrementS: 0, moveS: seconds } : { leftS: seconds, incrementS: increment ?? 0 }

/** What a search looks through: the names of game and players in both languages, board and rule. */
function searched({ name, seats, rules: { size, rule } }: GameSummary): string {
  return [name, ...seats.flatMap((seat) => [seat.name.en, seat.name.zh]), `${size}x${size}`, rule].join(' ').toLowerCase()
}

/** Refuses where no person is to place a stone. */
export function checkPlaces(game: Game, seats: SeatOf[]): void {
  if (game.phase !== 'play' || seats[game.seatToAct]!.kind !== 'human') throw new RuleError('not_your_turn', 'only for a person who is to place a stone')
}

