/** From the results of a review to a judgement of each move and of both sides, as `wuzi.analysis.review` judges. */

import type { Defence, LevelFit, Look, Proof, ReviewOptions, TaskKind, TaskResult, WinFound } from '@/backend/engine/asks'
import { Game } from '@/backend/engine/game'
import type { Position, Side } from '@/wasm/rulebook'
import { CONSTANTS, MARKS, REVIEW } from '@/wasm/generated'
import type { WasmRecord } from '@/wasm/kernels'
import { opponentOf, kernels, letterOf } from '@/wasm/rulebook'
import type { ReviewMove, ReviewSide } from '@/wire'

const { BLUNDER, INACCURACY, THE_DEFENCE, THE_WIN } = CONSTANTS
const { ANY, ASTRAY, DEPTHS, LIKELY, DOUBT_POINTS, KINDS, LEAST_MOVES, LEVELS, MAX_DEFENCES, MUCH, RATED_RULES, SHARES, WORST } = REVIEW

export interface Task {
  kind: TaskKind
  ply: number
  moves: number[]
}

/** What a blunder at a ply would rest on besides a proof: a search of the position `at` a ply, or of what its best defence leads to. */
interface Doubt {
  ply: number
  at: number
  defence: number | null
}

/** A game given up, or agreed to be a draw, by a side that was not losing; without a win to play its rate is believed. */
export interface Given {
  side: Side
  win: WinFound | null
  winrate: number
}

/** What is known of one move: as it travels, with cells in place of their names; rates and losses are whole. */
export interface MoveJudgement
  extends Omit<ReviewMove, 'color' | 'move' | 'best' | 'missed' | 'allowed' | 'openWin' | 'loses' | 'defence' | 'only' | 'text'> {
  side: Side
  move: number
  best: number[]
  missed: WinFound | null
  allowed: WinFound | null
  openWin: WinFound | null
  loses: WinFound | null
  defence: number | null
  only: number | null
}

export const keyOf = (kind: TaskKind, ply: number): string => `${kind}.${ply}`
export const ownRate = (rate: number, side: Side): number => (side === 1 ? rate : 1 - rate)

let record: WasmRecord<'JUDGED'> | null = null
let strength: WasmRecord<'STRENGTH'> | null = null
const known = (value: boolean | null | undefined): number => (value == null ? -1 : Number(value))
const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)

/** A game under review, with what the tasks found so far. */
export class ReviewBook {
  readonly positions: Position[]
  readonly moves: readonly number[]
  /** Stones before this ply belong to the proposals of an opening, or to a book. */
  readonly judgedFrom: number

  constructor(
    readonly game: Game,
    readonly options: ReviewOptions,
    readonly results: Record<string, TaskResult>,
  ) {
    this.moves = game.moves
    const plain = Game.of(game.rules, this.moves, game.start)
    this.positions = Array.from({ length: this.moves.length + 1 }, (_, ply) => plain.at(ply).position)
    this.judgedFrom = Math.min(Math.max(openingStones(game), options.book ?? 0), this.moves.length)
  }

  /** The last ply at which the board did not end the game. */
  get lastOpen(): number {
    return this.moves.length - Number(this.positions.at(-1)!.end !== null)
  }

  /** Whether the strength of both sides is estimated: where the levels have ratings, in a review of two passes. */
  private get estimatesStrength(): boolean {
    const { size, winLength, rule } = this.game.rules
    const areRated = size === RATED_RULES.size && winLength === RATED_RULES.winLength && rule === RATED_RULES.rule
    return Boolean(this.options.strength && this.options.deepNodes && areRated)
  }

  look(ply: number, ...kinds: TaskKind[]): Look | null {
    for (const kind of kinds.length ? kinds : (['deep', 'quick'] as const)) {
      const found = this.results[keyOf(kind, ply)]
      if (found) return found as Look
    }
    return null
  }

  proof(ply: number): Proof | null {
    return (this.results[keyOf('prove', ply)] as Proof | undefined) ?? null
  }

  private defenceAt(ply: number): Defence | null {
    return (this.results[keyOf('defend', ply)] as Defence | undefined) ?? null
  }

  /** Whether it is proved that the side to move wins; null while nobody looked. */
  private hasWin(ply: number): boolean | null {
    const proof = this.proof(ply)
    return proof && proof.win !== null
  }

  /** Whether it is proved that the side to move loses whatever it plays: the game may be over. */
  private isLost(ply: number): boolean {
    const { end, toMove } = this.positions[ply]!
    if (end) return end.winner === opponentOf(toMove)
    return Boolean(this.proof(ply)?.lost || this.defenceAt(ply)?.proved)
  }

  /** Whether it is proved that the move played at a ply wins. */
  private wins(ply: number): boolean {
    return this.proof(ply)?.win?.moves[0] === this.moves[ply] || this.isLost(ply + 1)
  }

  /** Whether it is proved that the opponent wins after the move played at a ply; null while unknown. */
  private loses(ply: number): boolean | null {
    const { end, toMove } = this.positions[ply + 1]!
    return end ? end.winner === toMove : this.hasWin(ply + 1)
  }

  /** What a blunder at a ply would rest on besides a proof; null where it would rest on none. */
  private doubt(ply: number): Doubt | null {
    if (ply === this.moves.length) return null
    const [proof, loses] = [this.proof(ply), this.loses(ply)]
    if (!proof || loses === null || this.wins(ply) || this.isLost(ply)) return null
    if (proof.win) return loses || this.positions[ply + 1]!.end ? null : { ply, at: ply + 1, defence: null }
    const defence = loses ? (this.defenceAt(ply)?.move ?? null) : null
    return defence === null ? null : { ply, at: ply, defence }
  }

  /** Black's win rate by the longest search of a position, or of the one after its best defence. */
  private belief(ply: number): number | null {
    for (const doubt of [ply ? this.doubt(ply - 1) : null, this.doubt(ply)]) {
      const look = doubt?.at === ply ? this.look(doubt.ply, 'verify') : null
      if (look) return look.winrate
    }
    return this.look(ply)?.winrate ?? null
  }

  /** Points that the mover loses if this search is right; null without it. */
  private pointsAtStake({ ply, at, defence }: Doubt, isVerified: boolean): number | null {
    const look = isVerified ? this.look(ply, 'verify') : this.look(at)
    if (!look) return null
    // The analyst may have chosen the move that is proved to lose: then its next one counts.
    const played = isVerified || defence === null ? null : this.moves[ply]
    const { winrate } = look.lines.find(({ move }) => move !== played) ?? look
    const own = ownRate(winrate, this.positions[ply]!.toMove)
    return 100 * (defence === null ? 1 - own : own)
  }

  /** Points that a move loses for sure: by proofs, or by each of the searches a blunder rests on.
   *  Where the longest search sees the end of the game it is right, whatever the others believe.
   *  What is believed counts less the fewer positions were searched. */
  private surePoints(ply: number): number | null {
    const doubt = this.doubt(ply)
    if (!doubt) return this.hasWin(ply) && this.loses(ply) && !this.wins(ply) ? 100 : null
    const [first, last] = [this.pointsAtStake(doubt, false), this.pointsAtStake(doubt, true)]
    if (first === null || last === null) return null
    if (last === 0 || last === 100) return last
    const tenths = Math.log10(DEPTHS.deep[2] / this.options.verifyNodes)
    return Math.min(first, last) - DOUBT_POINTS * Math.max(0, tenths)
  }

  /** The next piece of work, of all or at some plies; null when there is no more. */
  next(plies?: readonly number[]): Task | null {
    for (const kind of KINDS) {
      const task = this.tasks(kind).find(({ ply }) => !(keyOf(kind, ply) in this.results) && (plies?.includes(ply) ?? true))
      if (task) return task
    }
    return null
  }

  progress(): { stage: TaskKind | null; done: number; of: number; fraction: number } {
    let fraction = 0
    for (const kind of KINDS) {
      const tasks = this.tasks(kind)
      const done = tasks.filter((one) => keyOf(kind, one.ply) in this.results).length
      if (done < tasks.length) return { stage: kind, done, of: tasks.length, fraction: Math.min(fraction + (SHARES[kind] * done) / tasks.length, 0.999) }
      fraction += SHARES[kind]
    }
    return { stage: null, done: 0, of: 0, fraction: 1 }
  }

  private tasks(kind: TaskKind): Task[] {
    const plies = Array.from({ length: this.lastOpen + 1 - this.judgedFrom }, (_, i) => this.judgedFrom + i)
    const all = (some: number[]): Task[] => some.map((ply) => ({ kind, ply, moves: [] }))
    if (kind === 'quick') return all(plies.reverse())
    if (kind === 'prove') return all(plies)
    if (kind === 'defend') return this.defences()
    if (kind === 'verify') return this.verifications()
    if (kind === 'levels') return this.estimatesStrength ? all(plies.filter((ply) => ply < this.moves.length).sort((a, b) => a - b)) : []
    const open = plies.filter((ply) => !this.hasWin(ply) && !this.proof(ply)?.lost)
    return this.options.deepNodes ? all(open.sort((a, b) => this.swing(b) - this.swing(a) || a - b)) : []
  }

  /** How much the first pass saw the win rate change around a position. */
  private swing(ply: number): number {
    const known = [ply - 1, ply, ply + 1].flatMap((near) => this.look(near, 'quick')?.winrate ?? [])
    return known.length ? Math.max(...known) - Math.min(...known) : 0
  }

  private defences(): Task[] {
    const found: Task[] = []
    for (let ply = this.judgedFrom; ply < this.moves.length; ply++) {
      const before = this.proof(ply)
      if (before && !before.win && !before.lost && this.loses(ply)) {
        found.push({ kind: 'defend', ply, moves: this.candidates(ply, this.proof(ply + 1)?.win?.moves ?? []) })
      }
    }
    return found
  }

  private verifications(): Task[] {
    const found: Task[] = []
    for (let ply = this.judgedFrom; ply < this.moves.length; ply++) {
      const doubt = this.doubt(ply)
      if (doubt && (this.pointsAtStake(doubt, false) ?? 0) > INACCURACY) {
        found.push({ kind: 'verify', ply, moves: [doubt.defence ?? this.moves[ply]!] })
      }
    }
    return found
  }

  private candidates(ply: number, winning: number[]): number[] {
    const seen = (['deep', 'quick'] as const).flatMap((kind) => this.look(ply, kind)?.lines.map(({ move }) => move) ?? [])
    const only = this.proof(ply)?.only ?? null
    return [...new Set([...seen, ...(only === null ? [] : [only]), ...winning])].slice(0, MAX_DEFENCES)
  }

  /** Black's win rate at each ply: the end of the game, a proof, or what the longest search believes. */
  winrates(): (number | null)[] {
    return this.positions.map((position, ply) => {
      if (position.end) return position.end.winner === null ? 0.5 : Number(position.end.winner === 1)
      const wins = ply < this.moves.length && this.wins(ply)
      if (wins || this.hasWin(ply) || (ply > 0 && this.isLost(ply - 1))) return Number(position.toMove === 1)
      if (this.isLost(ply) || this.defenceAt(ply)?.move === null) return Number(position.toMove === 2)
      return this.belief(ply)
    })
  }

  judge(): { winrates: (number | null)[]; moves: MoveJudgement[]; sides: [ReviewSide, ReviewSide]; worst: number[]; resigned: Given | null } {
    const winrates = this.winrates()
    const moves = this.moves.map((_, ply) => this.judgeMove(ply, winrates))
    const judged = moves.slice(this.judgedFrom)
    const sides = ([1, 2] as const).map((side) => {
      const own = judged.filter((move) => move.side === side)
      return sideOf(side, own, this.strength(own.map(({ ply }) => ply)))
    }) as [ReviewSide, ReviewSide]
    const severity = ({ loss, mark }: MoveJudgement): number => Math.max(loss ?? 0, mark === 'blunder' ? BLUNDER : 0)
    const marked = moves.filter(({ mark }) => mark !== null && mark !== 'good')
    const worst = marked.sort((a, b) => severity(b) - severity(a) || a.ply - b.ply).slice(0, WORST)
    return { winrates, moves, sides, worst: worst.map(({ ply }) => ply), resigned: this.resigned(winrates.at(-1) ?? null) }
  }

  /** How strong the moves at some plies are, by how likely each level plays them; null where too few are known. */
  private strength(plies: number[]): ReviewSide['strength'] {
    const fits = plies.flatMap((ply) => (this.results[keyOf('levels', ply)] as LevelFit | undefined) ?? [])
    if (fits.length < LEAST_MOVES) return null
    strength ??= kernels().record('STRENGTH')
    for (const [i, { elo, haste }] of LEVELS.entries()) {
      const likely = LIKELY * (1 - haste)
      const logs = fits.map(({ likelihoods, policy }) => Math.log((1 - likely - ASTRAY) * likelihoods[i]! + likely * policy + ASTRAY * ANY))
      strength.set('ratings', elo, i)
      strength.set('logs', logs.reduce((a, b) => a + b, 0), i)
    }
    kernels().call('estimate_strength', strength)
    const [elo, low, high] = (['elo', 'low', 'high'] as const).map((name) => Math.round(strength!.get(name))) as [number, number, number]
    const away = (one: { elo: number }): number => Math.abs(one.elo - strength!.get('elo'))
    const nearest = LEVELS.reduce((best, one) => (away(one) < away(best) ? one : best))
    return { elo, low, high, level: nearest.name, moves: fits.length }
  }

  /** Who gave up a game that was not lost, or a won one for a draw. */
  private resigned(winrate: number | null): Given | null {
    const { end } = this.game
    if (!end || winrate === null || (end.reason !== 'resignation' && end.reason !== 'agreement')) return null
    const side: Side = end.winner ? opponentOf(end.winner) : winrate >= 0.5 ? 1 : 2
    const own = ownRate(winrate, side)
    if (own < (end.winner ? 0.5 : MUCH)) return null
    const last = this.moves.length
    return { side, win: side === this.positions[last]!.toMove ? (this.proof(last)?.win ?? null) : null, winrate: own }
  }

  private judgeMove(ply: number, winrates: (number | null)[]): MoveJudgement {
    const { toMove: side } = this.positions[ply]!
    const move = this.moves[ply]!
    const [before, after] = [winrates[ply] ?? null, winrates[ply + 1] ?? null]
    const bare: MoveJudgement = {
      ply, side, move, before, after, loss: null, accuracy: null, mark: null, best: [], missed: null, allowed: null,
      openWin: null, loses: null, defence: null, only: null, forced: false, wins: false, isLost: false, seemsLost: false, isDeep: false,
    }
    if (ply < this.judgedFrom) return bare
    const judged = this.facts(ply, before, after)
    kernels().call('judge_move', judged)
    const proof = this.proof(ply)
    const win = proof?.win ?? null
    const loses = this.proof(ply + 1)?.win ?? null
    const wins = this.wins(ply)
    const missed = judged.get('missed') ? win : null
    const instead = judged.get('instead')
    const mark = judged.get('mark')
    return {
      ...bare,
      before: orNull(judged.get('before')),
      after: orNull(judged.get('after')),
      loss: orNull(judged.get('lost')),
      accuracy: orNull(judged.get('accuracy')),
      mark: MARKS[mark] ?? null,
      best: win?.moves ?? this.look(ply)?.lines[0]?.pv ?? [],
      missed,
      allowed: judged.get('allowed') ? loses : null,
      openWin: wins || missed ? null : win,
      loses,
      wins,
      defence: instead === THE_WIN ? win!.moves[0]! : instead === THE_DEFENCE ? this.defenceAt(ply)!.move : null,
      isLost: this.isLost(ply),
      seemsLost: Boolean(judged.get('seems_lost')),
      only: proof?.only ?? null,
      forced: proof?.forced ?? false,
      isDeep: keyOf('deep', ply) in this.results,
    }
  }

  /** What is known of a move, for the kernel that judges it. */
  private facts(ply: number, before: number | null, after: number | null): WasmRecord<'JUDGED'> {
    const [look, found] = [this.look(ply), this.defenceAt(ply)]
    const facts = {
      side: this.positions[ply]!.toMove,
      has_win: known(this.hasWin(ply)),
      wins: known(this.wins(ply)),
      next_win: known(this.loses(ply)),
      is_lost: known(this.isLost(ply)),
      loss: known(look && (look.lines[0]!.winIn ?? 0) < 0),
      best: known(look && look.lines[0]?.pv[0] === this.moves[ply]),
      defence: known(found && found.move !== null),
      before: before ?? NaN,
      after: after ?? NaN,
      sure: this.surePoints(ply) ?? NaN,
    }
    record ??= kernels().record('JUDGED')
    for (const [name, value] of Object.entries(facts)) record.set(name as 'side', value)
    return record
  }
}

function sideOf(side: Side, moves: MoveJudgement[], strength: ReviewSide['strength']): ReviewSide {
  const judged = moves.filter(({ loss }) => loss !== null)
  const rated = judged.filter(({ isLost }) => !isLost)
  const count = rated.length
  const mean = (values: number[]): number | null => (count ? values.reduce((a, b) => a + b, 0) / count : null)
  const tally = (mark: ReviewMove['mark']): number => moves.filter((move) => move.mark === mark).length
  const only = moves.filter((move) => move.only !== null)
  const found = only.filter((move) => move.only === move.move).length
  return {
    color: letterOf(side),
    moves: judged.length,
    accuracy: mean(rated.map(({ accuracy }) => accuracy!)),
    meanLoss: mean(rated.map(({ loss }) => loss!)),
    agreement: mean(rated.map(({ best, move, wins }) => Number(wins || best[0] === move))),
    inaccuracies: tally('inaccuracy'),
    mistakes: tally('mistake'),
    blunders: tally('blunder'),
    missedWins: moves.filter((move) => move.missed ?? move.openWin).length,
    allowedWins: moves.filter((move) => move.loses && !move.isLost).length,
    onlyFound: found,
    onlyMissed: only.length - found,
    strength,
  }
}

/** Stones on the board when the last choice of an opening was made. */
function openingStones(game: Game): number {
  if (game.rules.opening === 'free') return 0
  for (let count = game.actions.length; count > 0; count--) {
    const action = game.actions[count - 1]!
    if (action.type !== 'place' || action.moves.length > 1) return game.at(count).moves.length
  }
  return game.phase === 'play' ? 0 : game.moves.length
}
