/** From the results of a review to a judgement of each move and of both sides, as `wuzi.analysis.review` judges. */

import type { Defence, Look, Proof, ReviewOptions, TaskKind, WinFound } from '@/backend/engine/asks'
import { Game } from '@/backend/engine/game'
import type { Position, Side } from '@/wasm/rulebook'
import { CONSTANTS, MARKS, REVIEW } from '@/wasm/generated'
import type { WasmRecord } from '@/wasm/kernels'
import { kernels, letterOf } from '@/wasm/rulebook'
import type { ReviewMove, ReviewSide } from '@/wire'

const { BLUNDER, THE_DEFENCE, THE_WIN } = CONSTANTS
const { KINDS, MAX_DEFENCES, SHARES, WORST } = REVIEW

export interface Task {
  kind: TaskKind
  ply: number
  moves: number[]
}

/** What is known of one move: as it travels, with cells in place of their names; rates and losses are whole. */
export interface MoveJudgement extends Omit<ReviewMove, 'color' | 'move' | 'best' | 'missed' | 'allowed' | 'defence' | 'only' | 'text'> {
  side: Side
  move: number
  best: number[]
  missed: WinFound | null
  allowed: WinFound | null
  defence: number | null
  only: number | null
}

export const keyOf = (kind: TaskKind, ply: number): string => `${kind}.${ply}`
export const ownRate = (rate: number, side: Side): number => (side === 1 ? rate : 1 - rate)

let record: WasmRecord<'JUDGED'> | null = null
const known = (value: boolean | null | undefined): number => (value == null ? -1 : Number(value))
const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)

/** A game under review, with what the tasks found so far. */
export class ReviewBook {
  readonly positions: Position[]
  readonly moves: readonly number[]
  /** Stones before this ply belong to the proposals of an opening. */
  readonly judgedFrom: number

  constructor(
    readonly game: Game,
    readonly options: ReviewOptions,
    readonly results: Record<string, Look | Proof | Defence>,
  ) {
    this.moves = game.moves
    const plain = Game.of(game.rules, this.moves, game.start)
    this.positions = Array.from({ length: this.moves.length + 1 }, (_, ply) => plain.at(ply).position)
    this.judgedFrom = openingStones(game)
  }

  /** The last ply at which the board did not end the game. */
  get lastOpen(): number {
    return this.moves.length - Number(this.positions.at(-1)!.end !== null)
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

  /** The next piece of work; null when the review is complete. */
  next(): Task | null {
    for (const kind of KINDS) {
      const task = this.tasks(kind).find((one) => !(keyOf(kind, one.ply) in this.results))
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
    return this.options.deepNodes ? all(plies.sort((a, b) => this.swing(b) - this.swing(a) || a - b)) : []
  }

  /** How much the first pass saw the win rate change around a position. */
  private swing(ply: number): number {
    const known = [ply - 1, ply, ply + 1].flatMap((near) => this.look(near, 'quick')?.winrate ?? [])
    return known.length ? Math.max(...known) - Math.min(...known) : 0
  }

  private defences(): Task[] {
    const found: Task[] = []
    for (let ply = this.judgedFrom; ply < Math.min(this.lastOpen, this.moves.length); ply++) {
      const [before, after] = [this.proof(ply), this.proof(ply + 1)]
      if (before && after?.win && !before.win) found.push({ kind: 'defend', ply, moves: this.candidates(ply, after.win) })
    }
    return found
  }

  private candidates(ply: number, win: WinFound): number[] {
    const seen = (['deep', 'quick'] as const).flatMap((kind) => this.look(ply, kind)?.lines.map(({ move }) => move) ?? [])
    const only = this.proof(ply)?.only ?? null
    return [...new Set([...seen, ...(only === null ? [] : [only]), ...win.moves])].slice(0, MAX_DEFENCES)
  }

  /** Black's win rate at each ply: the end of the game, a proof, or the longest search. */
  winrates(): (number | null)[] {
    return this.positions.map((position, ply) => {
      if (position.end) return position.end.winner === null ? 0.5 : Number(position.end.winner === 1)
      if (this.proof(ply)?.win) return Number(position.toMove === 1)
      return this.look(ply)?.winrate ?? null
    })
  }

  judge(): { winrates: (number | null)[]; moves: MoveJudgement[]; sides: [ReviewSide, ReviewSide]; worst: number[] } {
    const winrates = this.winrates()
    const moves = this.moves.map((_, ply) => this.judgeMove(ply, winrates))
    const judged = moves.slice(this.judgedFrom)
    const sides = ([1, 2] as const).map((side) => sideOf(side, judged.filter((move) => move.side === side))) as [ReviewSide, ReviewSide]
    const severity = ({ loss, mark }: MoveJudgement): number => Math.max(loss ?? 0, mark === 'blunder' ? BLUNDER : 0)
    const marked = moves.filter(({ mark }) => mark !== null && mark !== 'good')
    const worst = marked.sort((a, b) => severity(b) - severity(a) || a.ply - b.ply).slice(0, WORST)
    return { winrates, moves, sides, worst: worst.map(({ ply }) => ply) }
  }

  private judgeMove(ply: number, winrates: (number | null)[]): MoveJudgement {
    const { toMove: side } = this.positions[ply]!
    const move = this.moves[ply]!
    const [before, after] = [winrates[ply] ?? null, winrates[ply + 1] ?? null]
    const bare: MoveJudgement = {
      ply, side, move, before, after, loss: null, accuracy: null, mark: null, best: [], missed: null, allowed: null,
      defence: null, only: null, forced: false, isLost: false, isDeep: false,
    }
    if (ply < this.judgedFrom) return bare
    const judged = this.facts(ply, before, after)
    kernels().call('judge_move', judged)
    const proof = this.proof(ply)
    const missed = judged.get('missed') ? proof!.win : null
    const instead = judged.get('instead')
    const mark = judged.get('mark')
    return {
      ...bare,
      after: orNull(judged.get('after')),
      loss: orNull(judged.get('lost')),
      accuracy: orNull(judged.get('accuracy')),
      mark: MARKS[mark] ?? null,
      best: this.look(ply)?.lines[0]?.pv ?? [],
      missed,
      allowed: judged.get('allowed') ? this.proof(ply + 1)!.win : null,
      defence: instead === THE_WIN ? missed!.moves[0]! : instead === THE_DEFENCE ? this.defenceAt(ply)!.move : null,
      isLost: Boolean(judged.get('is_lost')),
      only: proof?.only ?? null,
      forced: proof?.forced ?? false,
      isDeep: keyOf('deep', ply) in this.results,
    }
  }

  /** What is known of a move, for the kernel that judges it. */
  private facts(ply: number, before: number | null, after: number | null): WasmRecord<'JUDGED'> {
    const [look, then, proof, threat, found] = [this.look(ply), this.look(ply + 1), this.proof(ply), this.proof(ply + 1), this.defenceAt(ply)]
    const isLoss = (one: Look | null): boolean | null => one && (one.lines[0]?.winIn ?? 0) < 0
    const facts = {
      side: this.positions[ply]!.toMove,
      has_win: known(proof && proof.win !== null),
      kept: known(proof?.kept),
      next_win: known(threat && threat.win !== null),
      next_loss: known(isLoss(then)),
      loss: known(isLoss(look)),
      best: known(look && look.lines[0]?.pv[0] === this.moves[ply]),
      defence: known(found && found.move !== null),
      before: before ?? NaN,
      after: after ?? NaN,
    }
    record ??= kernels().record('JUDGED')
    for (const [name, value] of Object.entries(facts)) record.set(name as 'side', value)
    return record
  }
}

function sideOf(side: Side, moves: MoveJudgement[]): ReviewSide {
  const rated = moves.filter(({ loss }) => loss !== null)
  const count = rated.length
  const mean = (values: number[]): number | null => (count ? values.reduce((a, b) => a + b, 0) / count : null)
  const tally = (mark: ReviewMove['mark']): number => moves.filter((move) => move.mark === mark).length
  const only = moves.filter((move) => move.only !== null)
  const found = only.filter((move) => move.only === move.move).length
  return {
    color: letterOf(side),
    moves: count,
    accuracy: mean(rated.map(({ accuracy }) => accuracy!)),
    meanLoss: mean(rated.map(({ loss }) => loss!)),
    agreement: mean(rated.map(({ best, move }) => Number(best[0] === move))),
    inaccuracies: tally('inaccuracy'),
    mistakes: tally('mistake'),
    blunders: tally('blunder'),
    missedWins: moves.filter((move) => move.missed).length,
    allowedWins: moves.filter((move) => move.allowed).length,
    onlyFound: found,
    onlyMissed: only.length - found,
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
