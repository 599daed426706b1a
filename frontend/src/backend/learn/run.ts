/** A training: games, steps and evaluations in turn, as `wuzi train` takes them, in slices between which others are heard. */

import { parseCode } from '@/game/notation'
import type { Kernels, WasmRecord } from '@/wasm/kernels'
import { Chance, PURPOSES } from './chance'
import { Learner, type LearnerState, type Losses } from './learner'
import { type BoardEnd, Matches, type Score } from './match'
import { type Answers, restore, type Snapshot, snapshotOf, type Weights } from './net'
import { Encoder } from './planes'
import type { Players } from './players'
import type { BoardRecipe, Choice, NetRecipe, Recipes } from './recipes'
import { Replay, type FinishedGame } from './replay'
import { gamesOf, mapsOf, SelfPlay, treesOf } from './selfplay'
import type { Trees } from './trees'

/** Seconds of work between two evaluations, and how far back the earlier net is that the latest one meets. */
const SCORE_GAP_S = 4
const EARLIER_S = 60

/** A point of a curve: at so many seconds of work, after so many iterations. */
export interface At {
  seconds: number
  iteration: number
}
export type LossPoint = At & Losses
export type ScorePoint = At & Score

export interface Curves {
  losses: LossPoint[]
  /** Of the policy alone against the score table; the first is the untrained net's. */
  table: ScorePoint[]
  /** Against the net of a minute before. */
  earlier: ScorePoint[]
}

/** What must be kept of a run beside its games and nets. */
export interface RunState extends At {
  choice: Choice
  /** Positions of all games. */
  seen: number
  /** The number of the next game, and how many have ended. */
  begun: number
  played: number
  curves: Curves
  learner: LearnerState
}

/** A net of the run: its weights, when it was. */
export type KeptNet = At & Snapshot

/** How a run keeps what it has done: called after each iteration, and after each measurement. */
export interface Keeping {
  keep: (state: RunState, net: KeptNet, games: readonly FinishedGame[]) => void
}

/** What a net says of a position, or found by searching it. */
export interface Look {
  policy: Float32Array
  /** For the side to move. */
  value: number
  /** The cell of the net's choice; null where the game is over. */
  move: number | null
  end: BoardEnd | null
}

/** Gives others their turn; true where the work shall stop. */
export type Rest = () => Promise<boolean>

export class LearnRun {
  readonly nets: KeptNet[] = []
  readonly curves: Curves = { losses: [], table: [], earlier: [] }
  iteration = 0
  seconds = 0
  seen = 0
  phase: 'play' | 'learn' | 'score' = 'play'
  lastGame: FinishedGame | null = null
  readonly selfplay: SelfPlay
  private readonly learner: Learner
  private readonly replay: Replay
  private readonly matches: Matches
  private readonly chance: Chance
  private readonly asked: Trees
  /** The weights of a net that is looked at. */
  private readonly shown: Weights
  private readonly other: Weights
  private readonly ended: FinishedGame[] = []
  private taken: FinishedGame[] = []
  private played = 0
  /** The greatest number of a game that was taken. */
  private latest = -1
  private batch = 0
  private batches = 0
  private sums: Losses = { loss: 0, policy: 0, value: 0 }
  private readonly board: BoardRecipe
  private readonly encoder: Encoder
  readonly recipe: NetRecipe

  constructor(
    kernels: Kernels,
    readonly recipes: Recipes,
    readonly choice: Choice,
    tables: WasmRecord<'TABLES'> | null,
    private readonly keeping: Keeping = { keep: () => undefined },
    /** Who plays the games, if not this thread. */
    private readonly players: Players | null = null,
  ) {
    const { size, winLength, net } = choice
    this.recipe = recipes.nets[net]![recipes.planes[winLength]!]!
    this.board = recipes.boards[`${size}-${winLength}`]!
    this.chance = new Chance(kernels, choice.seed)
    this.learner = new Learner(kernels, this.recipe, recipes, size)
    const own = this.learner.net
    this.encoder = new Encoder(kernels, tables)
    const { replay, selfplay } = recipes.preset
    this.replay = new Replay(kernels, replay, own, this.encoder, mapsOf(kernels, recipes, size), winLength)
    const trees = treesOf(kernels, recipes, choice, own, this.encoder, players ? 1 : selfplay.concurrency)
    this.selfplay = new SelfPlay(trees, gamesOf(recipes, choice), this.chance)
    this.asked = treesOf(kernels, recipes, choice, own, this.encoder, 1)
    this.matches = new Matches(kernels, { size, winLength }, own, this.encoder, recipes.scores, this.cellsOf(this.board.pairs))
    this.shown = own.weights()
    this.other = own.weights()
    let at = 0
    this.learner.begin((count) => this.chance.numbers(PURPOSES.weights, at++, count))
    this.nets.push(this.net())
  }

  /** Begins with the weights of a net that exists. */
  beginFrom(net: Snapshot): void {
    this.learner.beginFrom(net)
    this.nets.splice(0, Infinity, this.net())
  }

  /** Goes on from what was kept. */
  restore(state: RunState, nets: readonly KeptNet[], games: readonly FinishedGame[]): void {
    this.learner.restore(state.learner)
    this.iteration = state.iteration
    this.seconds = state.seconds
    this.selfplay.next = state.begun
    this.played = state.played
    this.latest = state.begun - 1
    Object.assign(this.curves, state.curves)
    this.nets.splice(0, Infinity, ...nets)
    for (const game of games) this.replay.add(game)
    this.seen = state.seen
    this.replay.trim(this.seen)
  }

  get iterations(): number {
    return this.recipes.preset.run.iterations
  }

  get isOver(): boolean {
    return this.iteration >= this.iterations
  }

  /** Whether this is the moment when something should have been learned, and nothing was. */
  get isHopeless(): boolean {
    const { iterations, losses } = this.recipes.rescue
    if (this.choice.isOpened || this.iteration !== iterations) return false
    return this.curves.losses.every(({ policy }) => policy >= losses[this.choice.size]!)
  }

  /** Games that have ended so far. */
  get games(): number {
    return this.played + this.ended.length
  }

  /** The moves of the games going on, the longest first. */
  get going(): number[][] {
    return (this.players ?? this.selfplay).going
  }

  private get progress(): number {
    return this.iteration / this.iterations
  }

  /** Works until the run is over, is given up, or somebody wants to stop. */
  async work(rest: Rest): Promise<void> {
    try {
      await this.workOn(rest)
    } finally {
      this.players?.pause()
    }
  }

  private async workOn(rest: Rest): Promise<void> {
    let begun = performance.now()
    const pause = async (): Promise<boolean> => {
      this.seconds += (performance.now() - begun) / 1000
      const stops = await rest()
      begun = performance.now()
      return stops
    }
    if (!this.curves.table.length && !(await this.score(pause))) return
    while (!this.isOver) {
      if (!this.taken.length && !(await this.play(pause))) return
      if (!(await this.learn(pause))) return
      this.finish()
      if (this.isHopeless) return
      const due = this.seconds - this.curves.table.at(-1)!.seconds >= SCORE_GAP_S
      if ((due || this.isOver) && !(await this.score(pause))) return
    }
  }

  /** Plays the games of an iteration and takes them into the window; false where it was stopped. */
  private async play(rest: Rest): Promise<boolean> {
    this.phase = 'play'
    const { selfplay, learn } = this.recipes.preset
    const doublings = Math.min(selfplay.doublings, Math.floor(this.progress * (selfplay.doublings + 1)))
    this.players?.play(snapshotOf(this.learner.average), doublings)
    while (this.ended.length < selfplay.games) {
      const ended = this.players ? await this.players.taken() : this.selfplay.step(this.learner.average, doublings)
      this.ended.push(...ended)
      this.lastGame = ended.at(-1) ?? this.lastGame
      if (await rest()) return false
    }
    // Who plays beside may be ahead: more games do not make an iteration longer.
    this.taken = this.ended.splice(0, this.players ? Infinity : selfplay.games)
    this.played += this.taken.length
    const rows = this.taken.reduce((sum, game) => sum + game.rows.length, 0)
    for (const game of this.taken) this.replay.add(game)
    this.latest = this.taken.reduce((most, { number }) => Math.max(most, number), this.latest)
    this.seen += rows
    this.replay.trim(this.seen)
    this.batch = 0
    const usual = (rows * selfplay.games) / this.taken.length
    this.batches = Math.max(1, Math.round((learn.samples * usual) / learn.batch))
    this.sums = { loss: 0, policy: 0, value: 0 }
    return true
  }

  private async learn(rest: Rest): Promise<boolean> {
    this.phase = 'learn'
    while (this.batch < this.batches) {
      const at = this.learner.steps
      const draw = (purpose: number): Float64Array => this.chance.numbers(purpose, at, this.learner.net.batch)
      const found = this.learner.step(this.replay.sample(draw(PURPOSES.rows), draw(PURPOSES.turns)), this.progress)
      this.batch++
      for (const name of ['loss', 'policy', 'value'] as const) this.sums[name] += found[name] / this.batches
      if (await rest()) return false
    }
    return true
  }

  /** Ends an iteration: its point of the curve, its net. */
  private finish(): void {
    this.iteration++
    this.curves.losses.push({ ...this.at, ...this.sums })
    const net = this.net()
    this.nets.push(net)
    this.keeping.keep(this.state(), net, this.taken)
    this.taken = []
  }

  /** The policy alone against the score table, and against the net of a minute ago; false where it was stopped. */
  private async score(rest: Rest): Promise<boolean> {
    this.phase = 'score'
    const at = this.at
    const table = await this.matches.play(this.learner.average, 'table', rest)
    if (!table) return false
    this.curves.table.push({ ...at, ...table })
    const before = this.nets.findLast((net) => net.seconds <= at.seconds - EARLIER_S)
    if (before) {
      restore(this.other, before)
      const earlier = await this.matches.play(this.learner.average, this.other, rest)
      if (!earlier) return false
      this.curves.earlier.push({ ...at, ...earlier })
    }
    this.keeping.keep(this.state(), this.nets.at(-1)!, [])
    return true
  }

  private get at(): At {
    return { seconds: this.seconds, iteration: this.iteration }
  }

  private net(): KeptNet {
    return { ...this.at, ...snapshotOf(this.learner.average) }
  }

  /** The number of the next game after a reload. */
  private get begun(): number {
    return this.players ? this.latest + 1 : this.selfplay.next
  }

  state(): RunState {
    return { ...this.at, choice: this.choice, seen: this.seen, begun: this.begun, played: this.played, curves: this.curves, learner: this.learner.state() }
  }

  /** What one of the run's nets says of the position after some moves, at a glance. */
  look(moves: readonly number[], net: KeptNet): Look {
    restore(this.shown, net)
    const [answers] = this.answers([moves], this.shown)
    const taken = new Set(moves)
    const { logits, value } = answers!
    const end = this.matches.endOf(0)
    const top = logits.reduce((most, logit, cell) => (taken.has(cell) ? most : Math.max(most, logit)), -Infinity)
    const shares = logits.map((logit, cell) => (taken.has(cell) ? 0 : Math.exp(logit - top)))
    const whole = shares.reduce((a, b) => a + b, 0) || 1
    const policy = shares.map((share) => share / whole)
    return { policy, value, end, move: end ? null : policy.reduce((best, share, cell) => (share > policy[best]! ? cell : best), 0) }
  }

  /** What a net plays after a search of so many simulations. */
  async search(moves: readonly number[], net: KeptNet, simulations: number, rest: Rest): Promise<Look> {
    restore(this.shown, net)
    this.asked.seat(0, moves)
    this.asked.start([0], [simulations], this.chance.keysOf([0], [moves.length]), 0)
    let done: number[] = []
    while (!done.length) {
      this.asked.step(this.shown)
      done = this.asked.done()
      if (await rest()) break
      restore(this.shown, net)
    }
    const [found] = this.asked.conclude([0], [0], this.chance.drawn(this.chance.keysOf([0], [moves.length]), 0))
    const policy = new Float32Array(this.learner.net.cells)
    found!.cells.forEach((cell, i) => (policy[cell] = found!.shares[i]!))
    return { policy, value: found!.value, move: found!.move, end: null }
  }

  /** The answers that a net's card keeps: to some positions, as probabilities of all cells. */
  checks(net: Snapshot): { moves: string; value: number; policy: number[] }[] {
    restore(this.shown, net)
    const all = this.answers(this.cellsOf(this.board.checks), this.shown)
    const round = (value: number): number => Number(value.toFixed(7))
    return all.map(({ logits, value }, i) => {
      const top = logits.reduce((a, b) => Math.max(a, b))
      const weights = Array.from(logits, (logit) => Math.exp(logit - top))
      const whole = weights.reduce((a, b) => a + b, 0)
      return { moves: this.board.checks[i]!, value: round(value), policy: weights.map((one) => round(one / whole)) }
    })
  }

  private answers(all: readonly (readonly number[])[], weights: Weights): { logits: Float32Array; value: number }[] {
    const { net } = this.learner
    this.encoder.encode(this.matches.setUp(all), all.length, net.planes)
    const found: Answers = net.answersTo(net.planes, all.length, weights)
    return all.map((_, i) => ({ logits: found.logits.slice(i * net.cells, (i + 1) * net.cells), value: found.values[i]! }))
  }

  private cellsOf(codes: readonly string[]): number[][] {
    return codes.map((code) => parseCode(code, this.choice.size)!)
  }
}
