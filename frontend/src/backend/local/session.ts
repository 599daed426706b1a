/** One game in progress between two seats, as `wuzi.games.session` has it: what may be done next, and what it changes. */

import type { EngineError, LocalText } from '@/wire'
import { GAME } from '@/wasm/generated'
import { type BoardEnd, opponentOf, type Position, RuleError, sideOf } from '@/wasm/rulebook'
import { type SeatClock, startData } from '@/backend/engine/asks'
import { type Action, Game, type GameRules } from '@/backend/engine/game'
import { type Between, newBetween, offer, offerProblem, type OfferKind } from './byLink'

const { CLOCK_SHARE, DRAW_MARGIN, INCREMENT_SHARE, LEAST_S, MAX_CLOCK_SHARE, MOVE_SHARE, REST_S } = GAME
/** Least seconds of a move between two engines, where a game names none. */
const PACE_S = 0.3

export interface SeatOf {
  kind: 'human' | 'engine'
  engine: string | null
  level: string | null
  /** Empty for a person who told none. */
  name: string
  /** An engine that thinks while the person does. */
  ponders?: boolean
}

/** A session as it is stored. */
export interface StoredSession {
  rules: GameRules
  start: { cells: number[]; toMove: 1 | 2 } | null
  actions: Action[]
  end: BoardEnd | null
  seats: [SeatOf, SeatOf]
  redo: Action[]
  paused: boolean
  failure: EngineError | null
  winrates: [number, number][]
  clocks: (SeatClock | null)[]
  seq: number
  begun?: (SeatClock | null)[]
  opening?: number
  name?: string
  pace?: number | null
  /** Of a game by a link. */
  between?: Between | null
  /** When the running turn began, in milliseconds since 1970: what is used stays used, whatever ends page or server. */
  turnBegan?: number | null
}

export const HUMAN: SeatOf = { kind: 'human', engine: null, level: null, name: '' }
export const HUMAN_NAME: LocalText = { en: 'Human', zh: '玩家' }

export class Session {
  paused = false
  failure: EngineError | null = null
  /** Another number for every state: a search that began in an earlier one is outdated. */
  seq = 0
  redo: Action[] = []
  /** Empty for a game without one. */
  name = ''
  /** How many actions the game began with, such as an opening of a book; a new game from its start keeps them. */
  opening = 0
  /** Least seconds of a move where engines play each other; null for the usual. */
  pace: number | null = null
  /** Black's win rates as far as known, by ply. */
  winrates = new Map<number, number>()
  /** What two people who each have a link have beside the game; null where all sit here. */
  between: Between | null = null
  /** The seat of this page in a game by a link; null for who only watches. */
  me: number | null = null
  /** The clocks of the first move. */
  private begun: (SeatClock | null)[]
  private actors: number[] = []

  constructor(
    public seats: [SeatOf, SeatOf],
    public game: Game,
    public clocks: (SeatClock | null)[] = [null, null],
  ) {
    this.actors = actorsOf(game)
    this.begun = [...clocks]
  }

  /** A new session with the same clocks, pace and seats, or with the seats exchanged, from its start. */
  restarted(swapSides = false): Session {
    const actions = [...this.game.actions, ...[...this.redo].reverse()].slice(0, this.opening)
    const start = actions.reduce((game, action) => game.act(action), this.game.at(0))
    const [seats, clocks] = [[...this.seats] as [SeatOf, SeatOf], [...this.begun]]
    const anew = swapSides ? new Session([seats[1], seats[0]], start, clocks.reverse()) : new Session(seats, start, clocks)
    anew.pace = this.pace
    anew.between = this.between && newBetween()
    anew.me = this.me === null || !swapSides ? this.me : 1 - this.me
    anew.opening = this.opening
    return anew
  }

  /** Least seconds of a move: null where a person plays. */
  get paceS(): number | null {
    return this.humans.length ? null : (this.pace ?? PACE_S)
  }

  /** Seconds that an engine with this time for a move may think, with what is left on its clock. */
  timeFor(seat: number, timeS: number | undefined): number | undefined {
    const clock = this.clocks[seat]
    return clock ? Math.min(timeS ?? Infinity, clock.moveS ? clock.leftS * MOVE_SHARE : shareOf(clock)) : timeS
  }

  get isOver(): boolean {
    return this.game.end !== null
  }

  get humans(): number[] {
    return [0, 1].filter((seat) => this.seats[seat]!.kind === 'human')
  }

  get engineToAct(): number | null {
    if (this.isOver || this.paused || this.failure) return null
    const seat = this.game.seatToAct
    return this.seats[seat].kind === 'human' ? null : seat
  }

  /** The seat whose clock runs now. */
  get timedSeat(): number | null {
    const seat = this.game.seatToAct
    return this.isOver || this.paused || this.failure || !this.clocks[seat] || !this.isTimed(seat) ? null : seat
  }

  /** Whether the turns of a seat take time off its clock: in a game by a link once both are here, and not before its second action. */
  isTimed(seat: number): boolean {
    return !this.between || (!this.between.stands && this.actors.includes(seat, this.opening))
  }

  get knownWinrates(): (number | null)[] {
    return Array.from({ length: this.game.ply + 1 }, (_, ply) => this.winrates.get(ply) ?? null)
  }

  get winrate(): number | null {
    const { end } = this.game
    if (end) return end.winner === null ? 0.5 : end.winner === sideOf('B') ? 1 : 0
    return this.knownWinrates.findLast((rate) => rate !== null) ?? null
  }

  /** Whether a person may take back, or ask for it. */
  get canUndo(): boolean {
    return this.between ? this.me !== null && offerProblem(this, 'undo', this.me) === null : this.undoTarget() !== null
  }

  get canRedo(): boolean {
    return this.redo.length > 0 && !this.isOver && !this.between
  }

  /** Which seat made each action; none made those that the game began with. */
  get ownActors(): number[] {
    return this.actors.map((seat, i) => (i < this.opening ? -1 : seat))
  }

  /** Asks the other side, or agrees where it has asked the same; true when a rematch is agreed. */
  ask(kind: OfferKind): boolean {
    const seat = this.mine()
    return offer(this, kind, seat) && this.reply(true)
  }

  /** Answers what the other side asks, or takes one's own question back; true when a rematch is agreed. */
  reply(accepts: boolean): boolean {
    const asked = this.between?.offer
    if (!asked || (accepts && asked.seat === this.mine())) throw new RuleError('not_allowed_now', 'nothing is asked')
    this.between!.offer = null
    this.seq += 1
    if (!accepts) return false
    if (asked.kind === 'draw') this.finish(this.game.ended({ winner: null, reason: 'agreement' }))
    if (asked.kind === 'undo') {
      this.undo(this.game.actions.length - asked.to!)
      this.redo = []
    }
    return asked.kind === 'rematch'
  }

  /** From now on each seat has a link, and this page one of them. */
  seat(me: number): void {
    this.between = newBetween()
    this.me = me
    this.redo = []
    this.seq += 1
  }

  /** An action of that seat, the last one, arrived so many seconds late; its first one costs nothing. */
  late(seat: number, seconds: number): void {
    const clock = this.clocks[seat]
    if (!this.actors.slice(this.opening, -1).includes(seat)) return
    if (!clock || clock.moveS || this.isOver || this.between?.stands) return
    this.clocks[seat] = { ...clock, leftS: Math.max(0, clock.leftS - seconds) }
    if (clock.leftS <= seconds) this.finish(this.game.ended({ winner: opponentOf(this.game.sideOfSeat(seat)), reason: 'time' }))
  }

  private mine(): number {
    if (this.me === null) throw new RuleError('no_seat', 'this page has no seat in the game')
    return this.me
  }

  /** What a person at the seat to act decided. */
  act(action: Action, ply: number | null | undefined, elapsedS: number): void {
    this.checkOpen()
    if (ply != null && ply !== this.game.ply) throw new RuleError('ply_mismatch', `ply ${ply} was meant: the game is at ply ${this.game.ply}`)
    const seat = this.game.seatToAct
    if (this.between && this.mine() !== seat) throw new RuleError('not_your_turn', 'it is the turn of the other side')
    if (this.seats[seat].kind !== 'human') throw new RuleError('not_your_turn', `it is the turn of seat ${seat}, an engine`)
    this.apply(seat, action, elapsedS)
    this.paused = false
  }

  /** What an engine decided, with Black's win rate that it expects. */
  answer(action: Action, winrate: number | null, elapsedS: number): void {
    const before = this.game.ply
    this.apply(this.game.seatToAct, action, elapsedS)
    if (winrate !== null) this.winrates.set(before, winrate).set(this.game.ply, winrate)
  }

  fail(failure: EngineError): void {
    this.settle(this.paused, failure)
  }

  resign(color: 'B' | 'W' | null | undefined): void {
    this.checkOpen()
    const { humans } = this
    if (!humans.length) throw new RuleError('not_your_turn', 'no person plays this game')
    const acting = this.between ? this.mine() : this.game.seatToAct
    const side = color && !this.between ? sideOf(color) : this.game.sideOfSeat(humans.includes(acting) ? acting : humans[0]!)
    if (!humans.includes(this.game.seatOf(side))) throw new RuleError('not_your_turn', 'an engine resigns for itself')
    this.finish(this.game.resigned(side))
  }

  offerDraw(): void {
    this.checkOpen()
    const { humans, winrate } = this
    if (!humans.length) throw new RuleError('not_your_turn', 'no person plays this game')
    if (humans.length === 1 && (winrate === null || Math.abs(winrate - 0.5) > DRAW_MARGIN)) {
      throw new RuleError('draw_refused', 'the engine plays on')
    }
    this.finish(this.game.ended({ winner: null, reason: 'agreement' }))
  }

  /** Ends the game if the seat to act has used up its clock. */
  flag(elapsedS: number): boolean {
    const seat = this.game.seatToAct
    const clock = this.clocks[seat]
    if (this.isOver || !clock || clock.leftS - elapsedS > 0) return false
    this.clocks[seat] = { ...clock, leftS: 0 }
    this.finish(this.game.ended({ winner: opponentOf(this.game.sideOfSeat(seat)), reason: 'time' }))
    return true
  }

  /** Takes the time of a turn that ends without an action off the running clock. */
  runClock(elapsedS: number): void {
    const seat = this.timedSeat
    const clock = seat === null ? null : this.clocks[seat]
    if (clock) this.clocks[seat!] = { ...clock, leftS: Math.max(0, clock.leftS - elapsedS) }
  }

  /** What an engine decided: to give up. */
  giveUp(elapsedS: number): void {
    this.runClock(elapsedS)
    this.finish(this.game.resigned(this.game.toMove))
  }

  /** The engine that may think about the turn of the person against it. */
  get pondering(): number | null {
    const seat = 1 - this.game.seatToAct
    const waits = this.isOver || this.paused || this.failure || this.game.phase !== 'play'
    return waits || this.humans.length !== 1 || !this.seats[seat]!.ponders ? null : seat
  }

  /** Stops the clocks and the engine until resumed or an action; not after a failure, or in a game that is over. */
  pause(): void {
    if (!this.isOver && !this.failure) this.settle(true)
  }

  resume(): void {
    this.paused = false
    this.failure = null
    this.seq += 1
  }

  /**
   * Takes back: against an engine to the person's previous turn, else one action, none of the opening, or exactly so many.
   * Used time stays used.
   * A game that had ended goes on without clocks where one had run out, or where somebody steps back through it.
   */
  undo(plies: number | null | undefined): void {
    const count = this.game.actions.length
    const target = plies == null ? this.undoTarget() : count - plies
    if (target === null || target < 0 || (plies != null && plies < 1)) throw new RuleError('nothing_to_undo', 'nothing to take back')
    const hasFlagged = this.clocks.some((clock) => clock && clock.leftS <= 0)
    if (this.isOver && (hasFlagged || plies != null)) this.clocks = [null, null]
    this.reckon(target, givenBack)
    this.redo.push(...this.game.actions.slice(target).reverse())
    this.game = this.game.at(target)
    this.actors.length = target
    this.rest(plies != null)
  }

  /** Replays what was taken back: one action and the engine's recorded answers, or so many. */
  redoMoves(plies: number | null | undefined): void {
    if (!this.canRedo || (plies != null && (plies < 1 || plies > this.redo.length))) {
      throw new RuleError('nothing_to_redo', `${this.redo.length} actions can be replayed`)
    }
    let { game } = this
    let count = 0
    const before = game.actions.length
    while (count < this.redo.length && !game.end) {
      if (count && (count === plies || (plies == null && !this.actsByItself(game)))) break
      game = game.act(this.redo[this.redo.length - 1 - count]!)
      count += 1
    }
    this.redo.length -= count
    this.game = game
    this.actors = actorsOf(game)
    this.reckon(before, earned)
    this.rest(plies != null)
  }

  stored(): StoredSession {
    const { start, rules, actions, end, position } = this.game
    return {
      rules,
      start: startData(start),
      actions: [...actions],
      end: end === position.end ? null : end,
      seats: this.seats,
      redo: this.redo,
      paused: this.paused,
      failure: this.failure,
      winrates: [...this.winrates],
      clocks: this.clocks,
      begun: this.begun,
      seq: this.seq,
      name: this.name,
      pace: this.pace,
      opening: this.opening,
      ...(this.between && { between: { ...this.between } }),
    }
  }

  static restored(data: StoredSession, startOf: (rules: GameRules, start: StoredSession['start']) => Position | undefined): Session {
    let game = data.actions.reduce((now, action) => now.act(action), Game.begin(data.rules, startOf(data.rules, data.start)))
    if (data.end && !game.end) game = game.ended(data.end)
    const session = new Session(data.seats, game, data.clocks)
    Object.assign(session, { between: data.between ? { ...data.between } : null, name: data.name ?? '', pace: data.pace ?? null, opening: data.opening ?? 0, begun: data.begun ?? data.clocks, redo: data.redo, paused: data.paused, failure: data.failure, seq: data.seq + 1, winrates: new Map(data.winrates) })
    return session
  }

  private checkOpen(): void {
    if (this.isOver) throw new RuleError('game_over', 'the game is over')
  }

  private actsByItself(game: Game): boolean {
    return this.humans.length === 1 && this.seats[game.seatToAct].kind !== 'human'
  }

  private apply(seat: number, action: Action, elapsedS: number): void {
    const game = this.game.act(action)
    const clock = this.clocks[seat]
    if (clock && this.isTimed(seat)) {
      if (clock.leftS - elapsedS <= 0) {
        this.flag(elapsedS)
        return
      }
      this.clocks[seat] = clock.moveS ? { ...clock, leftS: clock.moveS } : earned({ ...clock, leftS: clock.leftS - Math.max(0, elapsedS) })
    }
    this.opening = Math.min(this.opening, this.game.actions.length)
    this.game = game
    this.actors.push(seat)
    this.redo = []
    if (this.between) this.between.offer = null
    for (const ply of [...this.winrates.keys()]) if (ply >= game.ply) this.winrates.delete(ply)
    this.settle(this.paused)
  }

  private finish(game: Game): void {
    this.game = game
    if (this.between) this.between.offer = null
    this.settle(false)
  }

  private settle(paused: boolean, failure: EngineError | null = null): void {
    this.failure = failure
    this.paused = paused
    this.seq += 1
  }

  /** Changes the clock for each action from there on that earned something. */
  private reckon(since: number, change: (clock: SeatClock) => SeatClock): void {
    this.actors.forEach((seat, i) => {
      const clock = this.clocks[seat]
      const isFirst = this.between !== null && this.actors.indexOf(seat, this.opening) === i
      if (clock && i >= Math.max(since, this.opening) && !isFirst) this.clocks[seat] = change(clock)
    })
  }

  private undoTarget(): number | null {
    const count = this.actors.length
    const endedOffBoard = this.isOver && this.game.position.end === null
    if (endedOffBoard && !this.actsByItself(this.game)) return count
    const last = this.humans.length === 1 ? this.actors.lastIndexOf(this.humans[0]!) : count - 1
    return last < this.opening ? null : last
  }

  private rest(stepped: boolean): void {
    const waits = stepped || !this.humans.length
    this.settle(waits && !this.isOver && this.seats[this.game.seatToAct].kind !== 'human')
  }
}

/** A clock with the increment of one action more, less what is owed. */
function earned(clock: SeatClock): SeatClock {
  const { leftS, incrementS, owedS = 0 } = clock
  const paidS = Math.min(owedS, incrementS)
  return { ...clock, leftS: leftS + incrementS - paidS, owedS: owedS - paidS }
}

/** What one answer is worth on a game's clock: the target of `wuzi.search.time_management`. */
function shareOf({ leftS, incrementS }: SeatClock): number {
  const most = Math.max(LEAST_S, Math.min(leftS * 0.8, leftS * MAX_CLOCK_SHARE + incrementS))
  return Math.max(LEAST_S, Math.min(leftS * CLOCK_SHARE + INCREMENT_SHARE * incrementS, most))
}

/** A clock without the increment of an action that is taken back, as far as it keeps a rest. */
function givenBack(clock: SeatClock): SeatClock {
  const { leftS, incrementS, owedS = 0 } = clock
  const givenS = Math.min(incrementS, Math.max(0, leftS - REST_S))
  return { ...clock, leftS: leftS - givenS, owedS: owedS + incrementS - givenS }
}

/** Which seat made each action. */
function actorsOf(game: Game): number[] {
  return game.actions.map((_, count) => game.at(count).seatToAct)
}
