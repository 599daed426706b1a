/** The tasks of reviews, and what a move is worth that somebody tries, as `wuzi.analysis.review` does them. */

import { CONSTANTS, REVIEW } from '@/wasm/generated'
import { enemyOf, type Position } from '@/wasm/rulebook'
import type { Defence, JudgeAsk, Judged, Look, Proof, ReviewOptions, TaskAsk, WinFound } from './asks'
import { gameFrom } from './asks'
import type { Bench } from './bench'
import type { EngineData } from './data'
import type { Explainer } from './explain'
import { Game } from './game'
import { blackRate, type Info } from './info'
import { knowsFours } from './solvers'

const { DEFENCE_NODES, MAX_REPLIES } = REVIEW

export class Examiner {
  private data: EngineData | null = null
  private options!: ReviewOptions

  constructor(private readonly bench: Bench) {}

  /** One piece of work of a review. */
  async task({ game, kind, ply, moves, options }: TaskAsk): Promise<Look | Proof | Defence> {
    const whole = gameFrom(game)
    const at = Game.of(whole.rules, whole.moves.slice(0, ply), whole.start)
    await this.prepare(at.position, options)
    const played = whole.moves[ply]
    if (kind === 'prove') return this.prove(at.position, played)
    return kind === 'defend' ? this.defend(at.position, played!, moves) : this.look(at, kind === 'deep')
  }

  /** What a move is worth. */
  async judge({ game: data, move, goal, options }: JudgeAsk): Promise<Judged> {
    const game = gameFrom(data)
    const { position } = game
    await this.prepare(position, options)
    const after = position.play(move)
    if (after.end) return judged(after.end.winner === enemyOf(position.toMove) ? 'fails' : 'solved')
    if (goal === 'win') return this.winning(after)
    const theirs = this.forcedWin(after, goal === 'defend')
    if (theirs) return { ...judged('fails'), line: theirs.moves }
    if (goal === 'defend') return judged('solved')
    const mine = this.forcedWin(position)
    if (mine) return judged(move === mine.moves[0] || this.keeps(after) ? 'solved' : 'fails')
    return this.bySearch(game, move)
  }

  private async prepare(position: Position, options: ReviewOptions): Promise<void> {
    this.options = options
    this.data = await this.bench.named(position)
  }

  /** The tables that searches for threats take; null for rules that they do not know. */
  private solving(position: Position): EngineData | null {
    return knowsFours(position) ? this.data : null
  }

  private async think(game: Game, nodes: number, multipv: number): Promise<Info> {
    return (await this.bench.players.think(game, this.options.player, 0, { nodes }, multipv)).info
  }

  private async look(game: Game, isDeep: boolean): Promise<Look> {
    const { deepNodes, quickNodes, multipv } = this.options
    const { lines, nodes, side } = await this.think(game, isDeep ? deepNodes : quickNodes, isDeep ? multipv : 1)
    const known = lines.filter(({ value }) => value !== null)
    if (!known.length) throw new Error('the analyst gives no win rate')
    const kept = known.slice(0, isDeep ? multipv : 1).map(({ move, value, winIn, pv }) => ({ move, winrate: rounded(blackRate(value!, side)), winIn, pv }))
    const said = isDeep ? this.explainer(game.position).explain(known[0]!.move, known[0]!) : null
    return { winrate: kept[0]!.winrate, nodes, lines: kept, said }
  }

  private explainer(position: Position): Explainer {
    return this.bench.tools.explainer.begin(position, this.data)
  }

  private prove(position: Position, played: number | undefined): Proof {
    const forced = position.pointsToWin(enemyOf(position.toMove)).length > 0
    const win = this.forcedWin(position)
    const kept = win && played !== undefined ? played === win.moves[0] || this.keeps(position.play(played)) : null
    const threat = !win && !forced ? this.threat(position) : []
    const only = threat.length ? this.onlyDefence(position, threat) : null
    const said = played === undefined ? null : this.explainer(position).explain(played)
    return { win, kept, threat: threat.length ? { kind: 'vcf', moves: threat } : null, only, forced, said }
  }

  /** A proved win of the side to move, as far as the budget finds one. */
  private forcedWin(position: Position, foursOnly = false): WinFound | null {
    if (position.end) return null
    const me = position.toMove
    const five = position.pointsToWin(me).find((cell) => position.play(cell).end?.winner === me)
    if (five !== undefined) return { kind: 'five', moves: [five] }
    const data = this.solving(position)
    if (!data) return null
    const { vcf, vct } = this.bench.tools
    const fours = vcf.solve(position, data, this.options.proofNodes)
    if (fours.moves.length) return { kind: 'vcf', moves: fours.moves }
    const threats = foursOnly ? null : vct.solve(position, data, this.options.proofNodes)
    return threats?.moves.length ? { kind: 'vct', moves: threats.moves } : null
  }

  /** Whether the side that has just moved still wins by force, whatever the reply. */
  private keeps(after: Position): boolean {
    if (after.end) return after.end.winner === enemyOf(after.toMove)
    const data = this.solving(after)
    return data !== null && this.bench.tools.vct.keepsWin(after, data, this.options.proofNodes) === 'win'
  }

  private threat(position: Position): number[] {
    const data = this.solving(position)
    const turned = position.turned(enemyOf(position.toMove))
    return !data || turned.end ? [] : this.bench.tools.vcf.solve(turned, data, DEFENCE_NODES).moves
  }

  /** The one move that stops all wins by fours; null if there are more or none, or it is unclear. */
  private onlyDefence(position: Position, threat: number[]): number | null {
    const legal = position.legalMoves.filter((cell) => !position.isFoul(cell))
    const data = this.solving(position)!
    let found: number | null = null
    for (const move of new Set([...threat.filter((cell) => legal.includes(cell)), ...legal])) {
      const after = position.play(move)
      if (after.end) continue
      const { verdict } = this.bench.tools.vcf.solve(after, data, DEFENCE_NODES)
      if (verdict === 'unknown' || (verdict === 'none' && found !== null)) return null
      if (verdict === 'none') found = move
    }
    return found
  }

  /** The first candidate after which the enemy has no forced win within the budget. */
  private defend(position: Position, played: number, moves: number[]): Defence {
    for (const move of moves) {
      if (move === played || position.cells[move] || position.isFoul(move)) continue
      const after = position.play(move)
      const isOver = after.end !== null && after.end.winner !== position.toMove
      if (!isOver && !this.forcedWin(after)) return { move, tried: moves.length, said: this.explainer(position).explain(move) }
    }
    return { move: null, tried: moves.length, said: [] }
  }

  private winning(after: Position): Judged {
    if (!this.keeps(after)) {
      const theirs = this.forcedWin(after)
      return theirs ? { ...judged('fails'), line: theirs.moves } : { ...judged('fails'), reply: this.longestDefence(after) }
    }
    if (after.pointsToWin(enemyOf(after.toMove)).length > 1) return judged('solved')
    return { ...judged('continues'), reply: this.longestDefence(after) }
  }

  /** The reply against which no win is proved, or the proved one is longest, among those that do something. */
  private longestDefence(after: Position): number {
    const blocks = after.pointsToWin(enemyOf(after.toMove))
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
    const attacker = enemyOf(after.toMove)
    const threats = this.bench.tools.finder.find(after, this.data!)
    const gains = (mine: boolean): number[] => threats.filter((one) => (one.side === attacker) === mine).flatMap((one) => one.gains)
    return [...new Set([...gains(true), ...gains(false)])].filter((cell) => !after.cells[cell]).slice(0, MAX_REPLIES)
  }

  /** The loss by two equal searches: of the position and of the one after the move. */
  private async bySearch(game: Game, move: number): Promise<Judged> {
    const rateOf = ({ lines, side }: Info): number | null => (lines[0]?.value == null ? null : blackRate(lines[0].value, side))
    const best = await this.think(game, this.options.quickNodes, 1)
    const then = await this.think(game.play(move), this.options.quickNodes, 1)
    const [before, after] = [rateOf(best), rateOf(then)]
    if (before === null || after === null) throw new Error('the analyst gives no win rate')
    const { kernels } = this.bench
    const loss = best.lines[0]!.move === move ? 0 : kernels.call('points_lost', game.toMove, before, after)
    const mark = kernels.call('loss_mark', loss)
    const verdict = mark === CONSTANTS.GOOD ? 'solved' : mark === CONSTANTS.IS_INACCURACY ? 'close' : 'fails'
    return { ...judged(verdict), loss: Number(loss.toFixed(1)), winrate: Number(after.toFixed(4)) }
  }
}

const judged = (verdict: Judged['verdict']): Judged => ({ verdict, reply: null, line: [], loss: null, winrate: null })

const rounded = (rate: number): number => Number(Math.min(1, Math.max(0, rate)).toFixed(4))
