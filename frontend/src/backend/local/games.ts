/** The games of the page: kept in the browser or on a server, with the engine to act thinking in a lane. */

import { BackendError, type LinkState, type Said, type Stream, type StreamHandlers } from '@/backend'
import { FIRST, HANDICAP } from '@/game/facts'
import { parseCell } from '@/game/notation'
import { mayHandicap } from '@/game/rules'
import { type HintAnswer, gameData, gameFrom, type SeatClock, type Thought } from '@/backend/engine/asks'
import { Game, type GameRules } from '@/backend/engine/game'
import { GAME } from '@/wasm/generated'
import { opponentOf, Position, RuleError, sideOf } from '@/wasm/rulebook'
import type { ClockIn, GameState, GameSummary, Invitation, NewGame, SeatIn, SearchStatus } from '@/wire'
import { changeProblem } from './byLink'
import { drawOpening, type Facts } from './facts'
import { type Lanes, REPORT_MS, type Running } from './lanes'
import { HUMAN, type SeatOf, Session, type StoredSession } from './session'
import { stateOf, summaryOf, timeText } from './states'
import { ownOf, type SeatNumber } from './ownItems'
import { mySeat, newKey, readMark, seatMark, sit } from './seats'
import { type Keeper, type Kept, newId, type Seated, type Watch } from './store'
import { cellIn, cellsOf, wholeRules } from './positions'

/** An engine thinks about a person's turn for so long at most. */
const PONDER_S = 120
/** A state that could not be kept is kept later. */
const RETRY_MS = 1000

interface Search {
  running: Running<'think'>
  seq: number
  since: number
  seat: number
  /** Searches of others that come first. */
  ahead: number
}

/** A game in memory. */
class LiveGame {
  readonly viewers = new Set<StreamHandlers<Said<'games'>>>()
  hint: { game: Game; answer: HintAnswer } | null = null
  version = 0
  private search: Search | null = null
  private pondering: { game: Game; running: Running<'think'> } | null = null
  private pondered: Game | null = null
  private turn = ''
  /** By the keeper's clock, which goes on while a phone sleeps. */
  private turnBegan: number
  private timer = 0
  private reports = 0
  private watch: Watch | null = null
  private link: LinkState = 'connecting'
  /** Whether this page lets the engines think; of several pages that show the game one does. */
  private leads: boolean
  private watchers = 1
  /** The seats whose pages are open, of a game by a link. */
  here: number[] = []
  /** What the other side's page has tried and was not let. */
  foul: string | null = null
  private keptActions = 0
  /** Of a game by a link: what is kept as far as this page knows, and when its turn began; without what is on its way there. */
  private agreed: { session: Session; turnBegan: number | null } | null = null
  /** Whose seats it is to have, at the next write. */
  seated: Seated = {}
  private isDirty = false
  private keeping: Promise<void> | null = null
  /** The newest version that was heard of during a write. */
  private heard = 0

  constructor(
    readonly id: string,
    public session: Session,
    readonly createdAt: number,
    public updatedAt: number,
    private readonly desk: GameDesk,
  ) {
    this.leads = !desk.keeper.isShared
    this.turnBegan = this.now
    this.keptActions = session.game.actions.length
  }

  private get now(): number {
    return this.desk.keeper.now()
  }

  private get turnS(): number {
    return Math.max(0, this.now - this.turnBegan) / 1000
  }

  get elapsedS(): number {
    return this.session.timedSeat === null ? 0 : this.turnS
  }

  /** Whether this page may change the game: who only watches a game by a link may not. */
  get mayWrite(): boolean {
    return !this.session.between || this.session.me !== null
  }

  /** Of a game by a link: whether an action is still on its way to what is kept. */
  get unsent(): boolean {
    return this.session.between !== null && this.session.game.actions.length > this.keptActions
  }

  /** Whether what is here is what is kept: nobody has changed it unseen. */
  get isFollowed(): boolean {
    return !this.desk.keeper.isShared || this.keeping !== null || (this.watch !== null && this.link === 'online')
  }

  state(): GameState {
    return stateOf(this, this.session, this.desk.facts.engines, this.thinking(), this.elapsedS)
  }

  private thinking(): SearchStatus | null {
    const { search, session } = this
    const elsewhere = this.leads ? null : session.engineToAct
    const seat = search?.seat ?? elsewhere
    if (seat === null) return null
    const elapsed = search ? (performance.now() - search.since) / 1000 : this.turnS
    const limit = this.desk.levelOf(session.seats[seat]!)?.limit.timeS ?? null
    return { seat, startedAt: timeText(Date.now() - elapsed * 1000), elapsed, limitS: limit, queuedAhead: search?.ahead ?? 0 }
  }

  /** After each change: drops what is outdated, starts what is due, keeps and shows the game. */
  changed(): GameState {
    this.follow()
    return this.noted()
  }

  private follow(): void {
    if (this.search && this.search.seq !== this.session.seq) this.drop()
    this.think()
    this.timeTurn()
  }

  /** Takes the time of a turn that ends without an action off its clock. */
  stopClock(): void {
    this.session.runClock(this.elapsedS)
    this.turnBegan = this.now
  }

  /** Begins the time of a new turn, and looks again when its clock has run out. */
  timeTurn(): void {
    const turn = `${this.session.game.actions.length} ${this.session.timedSeat}`
    if (turn !== this.turn) [this.turn, this.turnBegan] = [turn, this.now]
    this.watchClock()
  }

  /** Keeps and shows the game after a change that leaves its turn alone. */
  noted(): GameState {
    this.updatedAt = Date.now()
    this.keep().catch(() => undefined)
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
    if (this.search) this.search.running.stop()
    else if (this.leads || this.session.engineToAct === null) return false
    else this.watch?.say({ moveNow: true })
    return true
  }

  // ---------------------------------------------------------------- what is kept

  private kept(stands = false): Kept<StoredSession> {
    const { id, createdAt, updatedAt, version, session } = this
    const turnBegan = stands || session.timedSeat === null ? null : this.turnBegan
    return { id, createdAt, updatedAt, version, data: { ...session.stored(), turnBegan } }
  }

  private summary(): GameSummary {
    return summaryOf(this.id, this.session, this.desk.facts.engines, this.updatedAt)
  }

  /** Keeps the newest state, one write after the other; fails where another page was faster, whose state is then here. */
  keep(): Promise<void> {
    this.isDirty = true
    this.keeping ??= this.write().finally(() => (this.keeping = null))
    return this.keeping
  }

  /** When all is kept. */
  get settled(): Promise<void> {
    return this.keeping ?? Promise.resolve()
  }

  private async write(): Promise<void> {
    let tried = this.now
    while (this.isDirty) {
      this.isDirty = false
      try {
        if (!this.mayWrite) return
        const count = this.session.game.actions.length
        const { data } = this.kept()
        this.version = (await this.desk.keeper.put(this.kept(), this.summary(), false, this.seated)).version ?? 0
        this.seated = {}
        const wasUnsent = this.unsent
        this.keptActions = count
        this.agree(data)
        if (wasUnsent) this.show()
      } catch (error) {
        if (!(error instanceof BackendError)) throw error
        if (error.code === 'conflict') {
          await this.reload()
          // Against the rules: what this page has goes back there.
          if (this.foul && this.isDirty) continue
          throw new RuleError('ply_mismatch', 'the game was changed meanwhile')
        }
        if ((!error.isNetwork && error.status < 500) || !this.version) throw error
        this.isDirty = true
        await new Promise((go) => window.setTimeout(go, RETRY_MS))
        this.late((this.now - tried) / 1000)
        tried = this.now
      }
    }
    if (this.heard > this.version) await this.reload()
  }

  /** The other side has not seen it yet: the time until it does is that of who acted. */
  private late(seconds: number): void {
    const { session } = this
    const last = session.ownActors.at(-1)
    if (!session.between || session.game.actions.length <= this.keptActions || last !== session.me) return
    session.late(last, seconds)
    this.turnBegan = this.now
    this.show()
  }

  private async reload(): Promise<void> {
    const found = await this.desk.keeper.get(this.id)
    if (found) this.take(found)
  }

  /** Takes over what another page has kept. */
  take(kept: Kept<StoredSession>): void {
    const { version = 0, updatedAt, data } = kept
    if (version <= this.version) return
    const found = this.judged(kept)
    this.version = version
    if (!found) {
      // What the rules do not allow is not shown, and who plays puts the game back as it was.
      this.session.seq += 1
      this.changed()
      return
    }
    this.updatedAt = updatedAt
    found.seq = Math.max(found.seq, this.session.seq + 1)
    this.session = found
    this.keptActions = found.game.actions.length
    this.agree(data)
    this.desk.followRematch(this.id, found)
    this.goOn(data)
    this.follow()
    this.letRun()
    this.show()
  }

  /** Notes what is kept now: the next change of the other side is judged by it. */
  agree(data: StoredSession): void {
    if (data.between) this.agreed = { session: this.desk.sessionOf(structuredClone(data), this.id), turnBegan: data.turnBegan ?? null }
  }

  /** A session that the other side has changed, through the rule book; null where it may not have done so. */
  private judged({ version = 0, updatedAt, writer, data }: Kept<StoredSession>): Session | null {
    const { session } = this
    if (!session.between) return this.desk.sessionOf(data, this.id)
    try {
      const found = this.desk.sessionOf(data, this.id)
      // Of several changes at once only the last one's writer is known: then the rules of the game alone are asked.
      const isNext = version === this.version + 1 && typeof writer === 'number' && writer !== session.me
      const { session: before, turnBegan } = this.agreed ?? { session, turnBegan: null }
      // By the keeper's time of writing: how late it is heard here says nothing of who wrote it.
      const usedS = Math.max(0, updatedAt - (turnBegan ?? this.turnBegan)) / 1000
      this.foul = isNext ? changeProblem(before, found, writer, usedS) : null
      return this.foul ? null : found
    } catch (error) {
      this.foul = error instanceof Error ? error.message : String(error)
      return null
    }
  }

  /** The clocks begin, or go on, when both sides are here; who waits tells so. */
  private letRun(): void {
    const { session, here } = this
    if (!session.between?.stands || here.length < 2 || session.isOver || session.me === null) return
    session.between.stands = false
    session.seq += 1
    this.turnBegan = this.now
    if (session.me === session.game.seatToAct) this.show()
    else this.noted()
  }

  /** The turn goes on where it was. */
  goOn({ turnBegan }: StoredSession): void {
    this.turn = `${this.session.game.actions.length} ${this.session.timedSeat}`
    this.turnBegan = Math.min(this.now, turnBegan ?? Infinity)
  }

  /** The page may be gone at once: the time of the running turn is taken off its clock where nobody else looks. */
  leave(): void {
    const { between, me } = this.session
    const isLast = between ? this.mayWrite && this.here.every((seat) => seat === me) : this.watchers <= 1
    if (!isLast || (between ? this.session.isOver || between.stands : this.session.timedSeat === null)) return
    this.stopClock()
    if (between) between.stands = true
    this.desk.keeper.put(this.kept(true), this.summary(), true).catch(() => undefined)
  }

  // ---------------------------------------------------------------- who looks

  join(handlers: StreamHandlers<Said<'games'>>): void {
    this.viewers.add(handlers)
    if (this.watch) handlers.onLink?.(this.link, 0)
    this.watch ??= this.desk.keeper.watch(this.id, {
      onStored: (one) => {
        if (this.keeping) this.heard = Math.max(this.heard, one.version ?? 0)
        else this.take(one)
      },
      onWatch: (leads, watchers, here) => {
        Object.assign(this, { leads, watchers, here })
        this.letRun()
        this.think()
        this.show()
      },
      onSaid: (said) => this.hear(said as { moveNow?: boolean; info?: Said<'games'> }),
      onLink: (state, attempt) => {
        this.link = state
        for (const { onLink } of this.viewers) onLink?.(state, attempt)
      },
    })
    this.think()
    handlers.onMessage({ type: 'state', game: this.state() })
  }

  /** Tells the others that this page sits. */
  sit(): void {
    this.watch?.sit()
  }

  private hear({ moveNow, info }: { moveNow?: boolean; info?: Said<'games'> }): void {
    if (moveNow) this.search?.running.stop()
    if (info) for (const { onMessage } of this.viewers) onMessage(info)
  }

  part(handlers: StreamHandlers<Said<'games'>>): void {
    this.viewers.delete(handlers)
    if (this.viewers.size) return
    this.watch?.close()
    this.watch = null
    this.leads = !this.desk.keeper.isShared
    this.watchers = 1
    this.here = []
    this.pondering?.running.cancel()
  }

  reconnectNow(): void {
    this.watch?.reconnectNow()
  }

  // ---------------------------------------------------------------- engines

  /** Lets the engine to act think; two engines play only while somebody looks. */
  think(): void {
    const { session } = this
    const seat = session.engineToAct
    if (!this.leads || !this.hasPondered()) return
    this.ponder()
    if (this.search || seat === null || (!session.humans.length && !this.viewers.size)) return
    const level = this.desk.levelOf(session.seats[seat]!)
    if (!level) {
      session.fail({ code: 'engine_failed', message: `there is no engine ${session.seats[seat]!.engine}`, log: '' })
      return
    }
    const { timeS, nodes, depth } = level.limit
    const running = this.ask(seat, { time: session.timeFor(seat, timeS), nodes, depth }, session.clocks[seat]!)
    const search: Search = (this.search = { running, seq: session.seq, since: performance.now(), seat, ahead: 0 })
    running.answer
      .then(async (found) => {
        await new Promise((go) => window.setTimeout(go, Math.max(0, 1000 * (session.paceS ?? 0) - (performance.now() - search.since))))
        if (this.search !== search) return
        const move = found.moveInfos[0]
        const cell = move ? parseCell(move.move, session.game.rules.size) : null
        const action = found.action ?? (cell === null ? null : { type: 'place' as const, moves: [cell] })
        if (!action) throw new RuleError('illegal_move', `${move?.move ?? 'no move'} is no cell of this board`)
        // What cannot be played throws, and is told below as a failure of this search.
        if (found.resigned) session.giveUp(this.elapsedS)
        else session.answer(action, rateOf(found, action, session.game.rules.size), this.elapsedS)
        this.search = null
        this.changed()
      })
      .catch((error: unknown) => {
        if (this.search !== search) return
        this.search = null
        const [code, message, log] =
          error instanceof BackendError
            ? [error.code, error.detail, error.log]
            : ['engine_failed', error instanceof RuleError ? `its answer cannot be played: ${error.message}` : String(error), '']
        session.fail({ code, message, log })
        for (const { onMessage } of this.viewers) onMessage({ type: 'engineError', code, message })
        this.changed()
      })
  }

  private ask(seat: number, limit: { time?: number | undefined; nodes?: number | undefined; depth?: number | undefined }, clock: SeatClock | null | undefined): Running<'think'> {
    const { game, seats } = this.session
    const { engine, level } = seats[seat]!
    const asks = {
      game: gameData(game), spec: this.desk.levelOf(seats[seat]!)!.spec, player: { engine: engine!, level }, seed: this.desk.seedOf(this.id),
      limit, multipv: GAME.CANDIDATES, ...(clock !== undefined && { turn: { clock } }),
    }
    if (clock === undefined) return this.desk.lanes.moves.ask('think', asks)
    return this.desk.lanes.moves.ask('think', asks, {
      onInfo: (info) => this.report(info),
      reportMs: REPORT_MS,
      onTurn: (ahead) => {
        if (this.search) this.search.ahead = ahead
        this.show()
      },
      // Nobody is charged for the line before a server's engines.
      onBegun: () => {
        if (this.search) this.search.ahead = 0
        this.turnBegan = this.now
        this.show()
      },
    })
  }

  /** Ends a search about another turn than this; false while it ends: the engine that has pondered must be free. */
  private hasPondered(): boolean {
    const asked = this.pondering
    if (!asked || (asked.game === this.session.game && this.session.pondering !== null)) return true
    asked.running.stop()
    return false
  }

  /** Lets an engine think about the turn of the person against it; what it finds, its process keeps. */
  private ponder(): void {
    const { session } = this
    const seat = session.pondering
    if (seat === null || session.game === this.pondered || !this.viewers.size || !this.desk.levelOf(session.seats[seat]!)) return
    this.pondered = session.game
    const pondering = (this.pondering = { game: session.game, running: this.ask(seat, { time: PONDER_S }, undefined) })
    void pondering.running.answer
      .catch(() => undefined)
      .then(() => {
        this.pondering = null
        if (this.session.game !== pondering.game) this.think()
      })
  }

  private report({ rootInfo, moveInfos }: Thought): void {
    this.reports += 1
    const message = { type: 'info' as const, gameId: this.id, ply: this.session.game.ply, seq: this.reports, rootInfo, moveInfos }
    for (const { onMessage } of this.viewers) onMessage(message)
    if (this.watchers > 1) this.watch?.say({ info: message })
  }

  private watchClock(): void {
    window.clearTimeout(this.timer)
    const seat = this.session.timedSeat
    if (seat === null) return
    const left = this.session.clocks[seat]!.leftS - this.elapsedS
    this.timer = window.setTimeout(() => {
      if (!this.mayWrite) this.show()
      else if (this.session.flag(this.elapsedS)) this.changed()
      else this.watchClock()
    }, (left + GAME.FLAG_S) * 1000)
  }
}

/** Black's win rate that an engine expects after what it does. */
function rateOf({ moveInfos, rootInfo }: Thought, action: NonNullable<Thought['action']>, size: number): number | null {
  const cell = action.type === 'place' ? action.moves[0] : undefined
  return moveInfos.find(({ move }) => parseCell(move, size) === cell)?.winrate ?? rootInfo.winrate
}

/** All games. */
export class GameDesk {
  private readonly live = new Map<string, LiveGame>()
  /** The seat of this page in a game by a link. */
  seatOf = mySeat

  constructor(
    readonly facts: Facts,
    readonly lanes: Lanes,
    readonly keeper: Keeper<StoredSession, GameSummary>,
  ) {
    window.addEventListener('pagehide', () => {
      for (const game of this.live.values()) game.leave()
    })
  }

  /** A stored session; with the seat of this page in a game by a link of that id. */
  sessionOf(data: StoredSession, id = ''): Session {
    const session = Session.restored(data, (rules, start) => gameFrom({ rules, start, actions: [] }).start)
    session.me = session.between ? this.seatOf(id) : null
    return session
  }

  /** What lists show of a stored game. */
  summary({ id, updatedAt, data }: Kept<StoredSession>): GameSummary {
    return summaryOf(id, this.sessionOf(data), this.facts.engines, updatedAt)
  }

  /** The names of engines are known better now. */
  showAll(): void {
    for (const game of this.live.values()) game.show()
  }

  levelOf({ engine, level }: SeatOf) {
    const found = this.facts.engines.find((one) => one.id === engine)
    const wanted = level ?? found?.defaultLevel
    const limit = found?.levels.find((one) => one.id === wanted)?.limit ?? {}
    const spec = this.facts.specs[engine ?? '']?.[wanted ?? '']
    // A server has engines and nets that the page has not.
    return spec !== undefined || this.keeper.isShared ? { limit: limit as { timeS?: number; nodes?: number; depth?: number }, spec: spec ?? '' } : null
  }

  seedOf(id: string): number {
    return [...id].reduce((seed, letter) => (seed * 31 + letter.charCodeAt(0)) & 0xffff, 7)
  }

  async create(body: NewGame): Promise<GameState> {
    const rules = wholeRules(body.rules)
    let seats = body.seats.map((seat) => this.seat(seat)) as [SeatOf, SeatOf]
    if (body.firstSeat === 'random' && Math.random() < 0.5) seats = [seats[1], seats[0]]
    const clock = body.clock ? clockOf(body.clock) : null
    const session = new Session(seats, this.begun(body, rules), [clock, clock])
    session.opening = session.isOver ? 0 : session.game.actions.length
    return this.add(session)
  }

  private seat({ kind, engine, level, name, ponders }: SeatIn): SeatOf {
    if (kind === 'human') return { ...HUMAN, name: (name ?? '').trim().replace(/\s+/g, ' ') }
    const found = this.facts.engines.find((one) => one.id === engine)
    if (!found && !(this.keeper.isShared && engine)) throw new RuleError('unsupported_rule', `unknown engine ${engine}`)
    return { kind, engine: engine!, level: level ?? found?.defaultLevel ?? null, name: '', ...(ponders && { ponders }) }
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
    return Game.begin(rules, Position.of(rules, cells, opponentOf(sideOf(FIRST))))
  }

  /** Takes a new session in, once it is kept. */
  async add(session: Session, id = newId(), seated: Seated = {}): Promise<GameState> {
    const game = new LiveGame(id, session, Date.now(), Date.now(), this)
    game.seated = seated
    this.live.set(game.id, game)
    game.changed()
    try {
      await game.settled
    } catch (error) {
      game.drop()
      this.live.delete(game.id)
      throw error
    }
    return game.state()
  }

  async get(id: string): Promise<LiveGame> {
    const known = this.live.get(id)
    if (known?.isFollowed) return known
    const kept = await this.keeper.get(id)
    if (!kept) throw new BackendError('not_found', 404, `game ${id}: there is none`)
    const found = this.live.get(id)
    if (found) {
      found.take(kept)
      return found
    }
    const game = new LiveGame(id, this.sessionOf(kept.data, id), kept.createdAt, kept.updatedAt, this)
    game.version = kept.version ?? 0
    game.agree(kept.data)
    this.live.set(id, game)
    // An engine that nobody let think is not charged for that.
    if (game.session.engineToAct === null) game.goOn(kept.data)
    game.think()
    game.timeTurn()
    return game
  }

  recent(limit: number, search = ''): Promise<GameSummary[]> {
    return this.keeper.summaries(limit, search)
  }

  private removed: Kept<StoredSession> | null = null

  /** Whether it may be put back: one by a link stays the other side's. */
  async remove(id: string): Promise<boolean> {
    const kept = (await this.keeper.get(id)) ?? null
    this.live.get(id)?.drop()
    this.live.delete(id)
    await this.keeper.remove(id)
    this.removed = kept?.data.between ? null : kept
    return this.removed !== null
  }

  /** Puts back the game that was removed last. */
  async restore(id: string): Promise<void> {
    const kept = this.removed
    if (kept?.id === id) await this.keeper.put({ ...kept, version: 0 }, this.summary(kept))
  }

  /** The game of an id that is in memory. */
  known(id: string): LiveGame | undefined {
    return this.live.get(id)
  }

  open(id: string, handlers: StreamHandlers<Said<'games'>>): Stream<'games'> {
    let isOpen = true
    void this.get(id).then((game) => {
      if (isOpen) game.join(handlers)
    }, () => undefined)
    const close = (): void => {
      isOpen = false
      this.live.get(id)?.part(handlers)
    }
    return { send: () => false, reconnectNow: () => this.live.get(id)?.reconnectNow(), close }
  }

  /** What a person does in a game. */
  async change(id: string, what: (session: Session, elapsedS: number) => void): Promise<GameState> {
    const game = await this.get(id)
    const attempt = async (): Promise<void> => {
      what(game.session, game.elapsedS)
      game.changed()
      await game.settled
    }
    try {
      await attempt()
    } catch (error) {
      // The other side wrote something at the same moment: what is done still fits, unless it was a move.
      if (!game.session.between || !(error instanceof RuleError) || error.code !== 'ply_mismatch') throw error
      await attempt()
    }
    return game.state()
  }

  /** What ends a turn without an action: its time is not given back. */
  interrupt(id: string, what: (session: Session) => void): Promise<GameState> {
    return this.change(id, (session) => {
      this.live.get(id)!.stopClock()
      what(session)
    })
  }

  /** A game's name and pace. */
  async note(id: string, what: { name: string } | { pace: number }): Promise<GameState> {
    const game = await this.get(id)
    Object.assign(game.session, what)
    game.noted()
    await game.settled
    return game.state()
  }

  async restart(id: string, swapSides = false): Promise<GameState> {
    const { session } = await this.get(id)
    return this.add(session.restarted(swapSides))
  }

  // ---------------------------------------------------------------- games by a link

  /** Gives both seats of a game links of their own, of which this page takes one. */
  async invite(id: string, seat: SeatNumber): Promise<GameState> {
    const game = await this.get(id)
    const { session } = game
    if (!this.keeper.isShared || session.between || session.humans.length < 2) throw new RuleError('not_allowed_now', 'only a game between two people on a server gets links')
    const keys: [string, string] = [newKey(), newKey()]
    sit(id, seat, keys)
    session.seat(seat)
    game.seated = { keys }
    game.changed()
    await game.settled
    game.sit()
    return game.state()
  }

  async invitation(id: string): Promise<Invitation> {
    await this.get(id)
    const keys = ownOf('games', id)?.keys ?? ['', '']
    return { seats: keys.map((key, seat) => (key ? seatMark(seat as SeatNumber, key) : null)), watch: '' }
  }

  /** Takes the seat that a link gives. */
  async sit(id: string, mark: string): Promise<GameState> {
    const read = readMark(mark)
    if (!read) throw new RuleError('no_seat', 'this is no link of a seat')
    const game = await this.get(id)
    if (!game.session.between) throw new RuleError('no_seat', 'this game has no seats by a link')
    const keys: [string, string] = ['', '']
    keys[read.seat] = read.key
    sit(id, read.seat, keys)
    game.session.me = read.seat
    game.session.seq += 1
    game.sit()
    return game.show()
  }

  /** Asks, or answers, the other side; a rematch that is agreed is made here, with the seats turned. */
  async agree(id: string, what: (session: Session) => boolean): Promise<GameState> {
    const game = await this.get(id)
    game.stopClock()
    const isRematch = what(game.session)
    if (isRematch) {
      const session = game.session.restarted(true)
      const next = newId()
      this.takeOver(id, next)
      await this.add(session, next, { like: id, swapped: true })
      game.session.between!.next = next
    }
    game.changed()
    await game.settled
    return game.state()
  }

  /** The seat of a game is that of its rematch, turned. */
  private takeOver(id: string, next: string): void {
    const [own, seat] = [ownOf('games', id), this.seatOf(id)]
    if (own?.keys && seat !== null) sit(next, (1 - seat) as SeatNumber, [own.keys[1], own.keys[0]])
  }

  followRematch(id: string, { between }: Session): void {
    if (between?.next && !ownOf('games', between.next)) this.takeOver(id, between.next)
  }

  /** A search for the person to move, made once for both levels of a hint. */
  async hint(id: string): Promise<HintAnswer> {
    const live = await this.get(id)
    const { game, seats } = live.session
    checkPlaces(game, seats)
    const analyst = this.facts.data[`${game.rules.rule}-${game.rules.winLength}`]?.hasNet ? ('engine' as const) : ('minimax-s1' as const)
    if (live.hint?.game !== game) live.hint = { game, answer: await this.lanes.moves.ask('hint', { game: gameData(game), analyst }).answer }
    return live.hint.answer
  }
}

const clockOf = ({ seconds, increment, eachMove }: ClockIn): SeatClock =>
  eachMove ? { leftS: seconds, incrementS: 0, moveS: seconds } : { leftS: seconds, incrementS: increment ?? 0 }

/** What a search looks through: the names of game and players in both languages, board and rule. */
export function searched({ name, seats, rules: { size, rule } }: GameSummary): string {
  return [name, ...seats.flatMap((seat) => [seat.name.en, seat.name.zh]), `${size}x${size}`, rule].join(' ').toLowerCase()
}

/** Refuses where no person is to place a stone. */
export function checkPlaces(game: Game, seats: SeatOf[]): void {
  if (game.phase !== 'play' || seats[game.seatToAct]!.kind !== 'human') throw new RuleError('not_your_turn', 'only for a person who is to place a stone')
}

