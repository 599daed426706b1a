/** The tasks of reviews, and what a move is worth that somebody tries, as `wuzi.analysis.review` does them. */

import { CONSTANTS, REVIEW } from '@/wasm/generated'
import { opponentOf, type Position } from '@/wasm/rulebook'
import type { Defence, JudgeAsk, Judged, LevelFit, Look, Proof, ReviewOptions, TaskAsk, TaskKind, TaskResult, WinFound } from './asks'
import { gameFrom } from './asks'
import type { Toolbox } from './toolbox'
import type { EngineData } from './data'
import type { Explainer } from './explain'
import { Game } from './game'
import { blackRate, type Info } from './info'
import { knowsFours } from './solvers'

const { DEFENCE_NODES, LIKELY_WON, MAX_REPLIES } = REVIEW

export class Examiner {
  private data: EngineData | null = null
  private options!: ReviewOptions

  constructor(private readonly toolbox: Toolbox) {}

  /** One piece of work of a review. */
  async task({ game, kind, ply, moves, options }: TaskAsk): Promise<TaskResult> {
    const whole = gameFrom(game)
    const begun = Game.of(whole.rules, whole.moves.slice(0, ply), whole.start)
    const { position } = begun
    await this.prepare(position, options)
    const played = whole.moves[ply]
    if (kind === 'prove') return this.prove(whole, begun, played)
    if (kind === 'levels') return this.fit(begun, played!)
    if (kind !== 'defend') return this.look(moves.reduce((now, move) => now.play(move), begun), kind)
    const found = this.defend(position, moves, played!)
    return { ...found, said: found.move === null ? [] : this.explainer(position).explain(found.move) }
  }

  /** What a move is worth. */
  async judge({ game: data, move, goal, options }: JudgeAsk): Promise<Judged> {
    const game = gameFrom(data)
    const { position } = game
    await this.prepare(position, options)
    const after = position.play(move)
    if (after.end?.winner === position.toMove) return judged('solved')
    if (goal === 'win') return this.winning(game, move)
    const foursOnly = goal === 'defend'
    const theirs = this.forcedWin(after, foursOnly)
    if (theirs || after.end?.winner === opponentOf(position.toMove)) {
      const lost = !foursOnly && !this.forcedWin(position) && this.isLost(game, move)
      return { ...judged(lost ? 'lost' : 'fails'), line: theirs?.moves ?? [] }
    }
    if (foursOnly) return judged('solved')
    const mine = this.forcedWin(position)
    if (mine && (move === mine.moves[0] || this.wins(position, move))) return judged('solved')
    return this.bySearch(game, move, mine !== null)
  }

  /** A proved win of the side to move; null where so many positions show none. */
  async refute(position: Position, nodes: number): Promise<WinFound | null> {
    await this.prepare(position, { ...REVIEW.OPTIONS, proofNodes: nodes, player: REVIEW.ANALYSTS.engine })
    return this.forcedWin(position)
  }

  /** What is found depends on the position and the options alone: nothing is left of earlier tasks. */
  private async prepare(position: Position, options: ReviewOptions): Promise<void> {
    this.options = options
    this.data = await this.toolbox.named(position)
    const { vcf, vct } = this.toolbox.tools
    vcf.forget()
    vct.forget()
  }

  /** The tables that searches for threats take; null for rules that they do not know. */
  private solving(position: Position): EngineData | null {
    return knowsFours(position) ? this.data : null
  }

  /** A search that has win rates to tell. */
  private async think(game: Game, nodes: number, multipv = 1): Promise<Info> {
    const { info } = await this.toolbox.players.think(game, this.options.player, 0, { nodes }, multipv)
    const lines = info.lines.filter(({ value }) => value !== null).slice(0, multipv)
    if (!lines.length) throw new Error('the analyst gives no win rate')
    return { ...info, lines }
  }

  private async fit(game: Game, move: number): Promise<LevelFit> {
    const { players } = this.toolbox
    const likelihoods: number[] = []
    for (const { name } of REVIEW.LEVELS) likelihoods.push(likelihood(await players.likelihood(game, name, move)))
    return { likelihoods, policy: likelihood(await players.policyLikelihood(game, move)) }
  }

  private async look(game: Game, kind: Exclude<TaskKind, 'prove' | 'defend' | 'levels'>): Promise<Look> {
    const { deepNodes, quickNodes, verifyNodes, multipv } = this.options
    const isDeep = kind === 'deep'
    const { lines, nodes, side } = await this.think(game, { quick: quickNodes, deep: deepNodes, verify: verifyNodes }[kind], isDeep ? multipv : 1)
    const kept = lines.map(({ move, value, winIn, pv }) => ({ move, winrate: rounded(blackRate(value!, side)), winIn, pv }))
    const said = isDeep ? this.explainer(game.position).explain(lines[0]!.move, lines[0]!) : null
    return { winrate: kept[0]!.winrate, nodes, lines: kept, said }
  }

  private explainer(position: Position): Explainer {
    return this.toolbox.tools.explainer.begin(position, this.data)
  }

  private async prove(whole: Game, game: Game, played: number | undefined): Promise<Proof> {
    const { position } = game
    const forced = position.pointsToWin(opponentOf(position.toMove)).length > 0
    const win = this.forcedWin(position)
    const lost = !win && game.moves.length > 0 && (await this.wonBefore(whole, game.moves.length - 1))
    const threat = win || lost || forced ? [] : this.threat(position)
    const only = threat.length ? this.onlyDefence(position, threat) : null
    const said = played === undefined ? null : this.explainer(position).explain(played)
    return { win, lost, threat: threat.length ? { kind: 'vcf', moves: threat } : null, only, forced, said }
  }

  /**
   * Whether the move played at a ply wins, by threats or by the shipped proof of the whole board. The proof counts where
   * Black keeps to it until the end of the game: who leaves it need not lose.
   */
  private async wonBefore({ moves, rules, start }: Game, ply: number): Promise<boolean> {
    const before = (at: number): Game => Game.of(rules, moves.slice(0, at), start)
    if (this.wins(before(ply).position, moves[ply]!)) return true
    for (const at of new Set([ply, moves.length - 2 + (moves.length % 2)])) {
      if ((await this.toolbox.proofs.answer(before(at))) !== moves[at]) return false
    }
    return true
  }

  /** A proved win of the side to move, as far as the budget, or what is left of a shared one, goes. */
  private forcedWin(position: Position, foursOnly = false, shared?: { left: number }): WinFound | null {
    if (position.end) return null
    const me = position.toMove
    const five = position.pointsToWin(me).find((cell) => position.play(cell).end?.winner === me)
    if (five !== undefined) return { kind: 'five', moves: [five] }
    const data = this.solving(position)
    if (!data) return null
    for (const kind of foursOnly ? (['vcf'] as const) : (['vcf', 'vct'] as const)) {
      const { moves, nodes } = this.toolbox.tools[kind].solve(position, data, Math.max(1, shared?.left ?? this.options.proofNodes))
      if (shared) shared.left -= nodes
      if (moves.length) return { kind, moves }
    }
    return null
  }

  /** Whether a move wins by threats, whatever the reply. */
  private wins(position: Position, move: number): boolean {
    const data = this.solving(position)
    if (data) return this.toolbox.tools.vct.wins(position, move, data, this.options.proofNodes)
    return position.play(move).end?.winner === position.toMove
  }

  private threat(position: Position): number[] {
    const data = this.solving(position)
    const turned = position.turned(opponentOf(position.toMove))
    return !data || turned.end ? [] : this.toolbox.tools.vcf.solve(turned, data, DEFENCE_NODES).moves
  }

  /** The one move that stops all wins by fours; null if there are more or none, or it is unclear. */
  private onlyDefence(position: Position, threat: number[]): number | null {
    const data = this.solving(position)!
    let found: number | null = null
    for (const move of allowed(position, threat)) {
      const after = position.play(move)
      if (after.end) continue
      const { verdict } = this.toolbox.tools.vcf.solve(after, data, DEFENCE_NODES)
      if (verdict === 'unknown' || (verdict === 'none' && found !== null)) return null
      if (verdict === 'none') found = move
    }
    return found
  }

  /** The first move after which the opponent has no forced win within the budget; `lost`, if any, is known to lose.
   * Each of the `first` moves has the whole budget, all others share one: where it is used up nothing is claimed. */
  private defend(position: Position, first: number[], lost: number | null): Omit<Defence, 'said'> {
    const shared = { left: this.options.proofNodes }
    let tried = 0
    for (const move of allowed(position, first)) {
      if (move === lost) continue
      const after = position.play(move)
      const own = first.includes(move) ? undefined : shared
      tried += 1
      if (after.end ? after.end.winner === after.toMove : this.forcedWin(after, false, own)) continue
      return { move: own && own.left <= 0 ? null : move, tried, proved: false }
    }
    return { move: null, tried, proved: true }
  }

  /** Whether every move loses, one of which is known to. */
  private isLost(game: Game, move: number): boolean {
    const { moves, position } = game
    const before = moves.length ? Game.of(game.rules, moves.slice(0, -1), game.start).position : null
    return (before !== null && this.wins(before, moves.at(-1)!)) || this.defend(position, [], move).proved
  }

  private async winning(game: Game, move: number): Promise<Judged> {
    const { position } = game
    const after = position.play(move)
    if (after.end) return { ...judged('fails'), proved: false }
    if (!this.wins(position, move)) {
      const theirs = this.forcedWin(after)
      if (theirs) return { ...judged('fails'), line: theirs.moves }
      // A quiet move may win all the same: every reply is tried.
      const found = this.defend(after, this.replies(after), null)
      if (!found.proved) {
        const isOpen = found.move === null || (await this.seemsWon(game.play(move).play(found.move)))
        return { ...judged(isOpen ? 'close' : 'fails'), proved: false, reply: isOpen ? null : found.move }
      }
    }
    if (after.pointsToWin(opponentOf(after.toMove)).length > 1) return judged('solved')
    return { ...judged('continues'), reply: this.longestDefence(after) }
  }

  /** Whether the analyst believes that the side to move wins, where no threats prove it. */
  private async seemsWon(game: Game): Promise<boolean> {
    if (game.position.end) return false
    const { lines, side } = await this.think(game, this.options.quickNodes)
    const rate = blackRate(lines[0]!.value!, side)
    return (game.toMove === 1 ? rate : 1 - rate) >= LIKELY_WON
  }

  /** The reply against which no win is proved, or the proved one is longest, among those that do something. */
  private longestDefence(after: Position): number {
    const blocks = after.pointsToWin(opponentOf(after.toMove))
    let best: number | null = null
    let longest = -1
    for (const reply of blocks.length ? blocks : this.replies(after)) {
      const then = after.play(reply)
      if (then.end) continue
      const plies = this.forcedWin(then)?.moves.length ?? Infinity
      if (plies > longest) [best, longest] = [reply, plies]
    }
    return best ?? after.legalMoves[0]!
  }

  /** Cells of the attacker's threats, then where the defender itself has a four. */
  private replies(after: Position): number[] {
    const attacker = opponentOf(after.toMove)
    const threats = this.toolbox.tools.finder.find(after, this.data!)
    const gains = (mine: boolean): number[] => threats.filter((one) => (one.side === attacker) === mine).flatMap((one) => one.gains)
    return [...new Set([...gains(true), ...gains(false)])].filter((cell) => !after.cells[cell]).slice(0, MAX_REPLIES)
  }

  /** The loss by two equal searches, of the position and of the one after the move, or from a proved win. */
  private async bySearch(game: Game, move: number, hasWin: boolean): Promise<Judged> {
    const { kernels } = this.toolbox
    const rateOf = ({ lines, side }: Info): number => blackRate(lines[0]!.value!, side)
    const best = await this.think(game, this.options.quickNodes)
    const then = game.play(move)
    const after = then.end ? 0.5 : rateOf(await this.think(then, this.options.quickNodes))
    const before = hasWin ? Number(game.toMove === 1) : rateOf(best)
    const loss = kernels.call('points_lost', game.toMove, before, after)
    const mark = kernels.call('loss_mark', loss)
    const believed = (verdict: Judged['verdict'], points: number): Judged => ({
      ...judged(verdict), proved: false, loss: Number(points.toFixed(1)), winrate: Number(after.toFixed(4)),
    })
    const [line] = best.lines
    if (!hasWin && ((line!.winIn ?? 0) < 0 || (game.toMove === 1 ? before : 1 - before) <= CONSTANTS.HOPELESS)) return believed('lost', loss)
    if (!hasWin && line!.move === move) return believed('solved', 0)
    return believed(mark === CONSTANTS.GOOD ? 'solved' : mark === CONSTANTS.IS_INACCURACY ? 'close' : 'fails', loss)
  }
}

/** The legal moves that lose no game by themselves, those of `first` ahead. */
function allowed(position: Position, first: number[]): Set<number> {
  const legal = position.legalMoves.filter((cell) => !position.isFoul(cell))
  return new Set([...first.filter((cell) => legal.includes(cell)), ...legal])
}

const judged = (verdict: Judged['verdict']): Judged => ({ verdict, proved: true, reply: null, line: [], loss: null, winrate: null })

/** Six digits: means over 32 draws lie halfway between numbers of four. */
const likelihood = (value: number): number => Number(value.toFixed(6))

const rounded = (rate: number): number => Number(Math.min(1, Math.max(0, rate)).toFixed(4))
