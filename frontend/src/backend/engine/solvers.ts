/** Wins by fours and by threats of the side to move, as `wuzi.tactics` finds them with the same kernels. */

import { BLOCKABLE } from '@/game/facts'
import { CONSTANTS, VERDICTS } from '@/wasm/generated'
import type { Kernels, WasmArray, WasmRecord } from '@/wasm/kernels'
import { loadState, type Position, type Side, toCell, toPoint } from '@/wasm/rulebook'
import type { EngineData } from './data'
import { type Board, control, newBoard, newControl, nodesOf, ThreatRecords } from './records'

export type Verdict = (typeof VERDICTS)[number]
const WIN = VERDICTS.indexOf('win')

/** `moves` is the winning line, both sides', up to the row or to two cells for one. */
export interface Solution {
  verdict: Verdict
  moves: number[]
  nodes: number
}

const NOTHING: Solution = { verdict: 'none', moves: [], nodes: 0 }

/** Whether wins by fours can be looked for: under caro an open four can be stopped. */
export const knowsFours = ({ rules }: Position): boolean => !BLOCKABLE.some((rule) => rule === rules.rule)

/** Makes winning lines longer until anybody can see that they win. */
class LineCompleter {
  private readonly state: WasmRecord<'STATE'>
  private readonly arrays: [line: WasmArray, follow: WasmArray, useful: WasmArray, scratch: WasmArray]

  constructor(private readonly kernels: Kernels) {
    const cells = (): WasmArray => kernels.array('int64', CONSTANTS.MAX_CELLS)
    this.state = kernels.record('STATE')
    this.arrays = [cells(), cells(), cells(), cells()]
  }

  completed(position: Position, moves: number[], follow: number[] = []): number[] {
    const { size } = position.rules
    const [line, follows, useful, scratch] = this.arrays
    moves.forEach((cell, i) => line.set(i, toPoint(cell, size)))
    follow.forEach((cell, i) => follows.set(i, toPoint(cell, size)))
    loadState(this.state, position)
    const length = this.kernels.call('complete_line', this.state, line, moves.length, follows, follow.length, useful, scratch)
    return Array.from({ length }, (_, i) => toCell(line.get(i), size))
  }
}

/** Finds wins by fours. */
export class VcfSolver {
  private readonly board: Board
  private readonly work: WasmRecord<'VCF'>
  private readonly entries: WasmArray
  private readonly ctl: WasmArray
  private readonly lines: LineCompleter

  constructor(private readonly kernels: Kernels) {
    this.board = newBoard(kernels)
    this.work = kernels.record('VCF')
    this.entries = kernels.array('VCF_ENTRY', 1 << CONSTANTS.FOURS_TABLE_BITS)
    this.ctl = newControl(kernels)
    this.lines = new LineCompleter(kernels)
  }

  /** Forgets earlier positions, so that a search that is cut short ends as in a new solver. */
  forget(): void {
    if (!this.work.get('solved')) return
    this.work.set('solved', 0)
    this.entries.clear()
  }

  /** The shortest win by fours of the side to move. */
  solve(position: Position, data: EngineData, maxNodes: number): Solution {
    if (position.end) return NOTHING
    const { state, patterns } = this.board
    loadState(state, position)
    control(this.ctl, maxNodes)
    const found = this.kernels.call('vcf_solve', state, patterns, data.tables, this.work, this.entries, this.ctl)
    const moves = found === WIN ? this.lines.completed(position, pointsOf(this.work).map((point) => toCell(point, position.rules.size))) : []
    return { verdict: VERDICTS[found]!, moves, nodes: nodesOf(this.ctl) }
  }
}

const pointsOf = (work: WasmRecord<'VCF'>): number[] => Array.from({ length: work.get('length') }, (_, i) => work.get('line', i))

/** An attacking move, what punishes other replies, and the attacks that answer the replies that need one. */
interface Attack {
  move: number
  follow: number[]
  replies: Map<number, Attack>
  plies: number
}

/** Finds wins by fours and by threats of open fours, and writes down how every reply is answered. */
export class VctSolver {
  private readonly threats: ThreatRecords
  private readonly proofCtl: WasmArray
  private readonly points: WasmArray
  private readonly lines: LineCompleter
  private data!: EngineData
  private attacker: Side = 1
  private size = 0
  private known = new Map<bigint, Attack>()

  constructor(private readonly kernels: Kernels) {
    this.threats = new ThreatRecords(kernels)
    this.proofCtl = newControl(kernels)
    this.points = kernels.array('int64', CONSTANTS.MAX_CELLS)
    this.lines = new LineCompleter(kernels)
  }

  /** Forgets earlier positions, so that the next answer is that of a new solver. */
  forget(): void {
    this.threats.forget()
  }

  /** A win by threats of the side to move, if there is one within so many positions. */
  solve(position: Position, data: EngineData, maxNodes: number): Solution {
    if (position.end) return NOTHING
    const found = this.search(position, data, maxNodes, position.toMove)
    const proof = found === WIN ? this.build() : null
    const verdict = found === WIN && !proof ? 'unknown' : VERDICTS[found]!
    const moves = proof ? this.lines.completed(position, mainLine(proof), lastOf(proof).follow) : []
    return { verdict, moves, nodes: nodesOf(this.threats.ctl) }
  }

  /** Whether a move wins by threats, whatever the reply; every win is written down. */
  wins(position: Position, move: number, data: EngineData, maxNodes: number): boolean {
    const after = position.play(move)
    if (after.end) return after.end.winner === position.toMove
    return this.search(after, data, maxNodes, position.toMove) === WIN && this.answered(move) !== null
  }

  private search(position: Position, data: EngineData, maxNodes: number, attacker: Side): number {
    const { threats } = this
    Object.assign(this, { data, attacker, size: position.rules.size })
    this.known.clear()
    loadState(threats.board.state, position)
    control(threats.ctl, maxNodes)
    this.kernels.call('vct_begin', ...threats.records(data), ...threats.arrays)
    return this.kernels.call('vct_search', ...threats.records(data), ...threats.arrays, attacker)
  }

  /** The proof of the board as it is now; null where the limit cut it short. */
  private build(): Attack | null {
    const key = this.threats.board.state.getBig('key')
    const old = this.known.get(key)
    if (old) return old
    const points = this.fours()
    const attack = points.length ? this.byFours(points) : this.byThreat()
    if (attack) this.known.set(key, attack)
    return attack
  }

  private push(point: number): void {
    const { state, patterns } = this.threats.board
    this.kernels.call('pattern_push', state, patterns, this.data.tables, point)
  }

  private pop(): void {
    const { state, patterns } = this.threats.board
    this.kernels.call('pattern_pop', state, patterns, this.data.tables)
  }

  private cells(count: number): number[] {
    return Array.from({ length: count }, (_, i) => toCell(this.points.get(i), this.size))
  }

  /** The line of a win by fours, as points. */
  private fours(): number[] {
    const { board, vcf, entries } = this.threats
    const searched = [board.state, board.patterns, this.data.tables, vcf, entries, this.proofCtl] as const
    const found = this.kernels.call('vcf_within', ...searched, CONSTANTS.MAX_FOURS, CONSTANTS.PROOF_NODES)
    return found === WIN ? pointsOf(vcf) : []
  }

  private byFours(points: number[]): Attack {
    const follows: number[][] = []
    const { state } = this.threats.board
    points.forEach((point, i) => {
      this.push(point)
      if (i % 2 === 0) follows.push(state.get('result') ? [] : this.cells(this.kernels.call('winning_points', state, this.attacker, this.points)))
    })
    points.forEach(() => this.pop())
    const cells = points.map((point) => toCell(point, this.size))
    let proof = attackOf(cells.at(-1)!, follows.at(-1)!)
    for (let i = cells.length - 3; i >= 0; i -= 2) proof = attackOf(cells[i]!, follows[i / 2]!, new Map([[cells[i + 1]!, proof]]))
    return proof
  }

  private byThreat(): Attack | null {
    const { threats, data } = this
    const point = this.kernels.call('vct_point', ...threats.records(data), ...threats.arrays)
    if (point < 0) return null
    this.push(point)
    const attack = this.answered(toCell(point, this.size))
    this.pop()
    return attack
  }

  /** The proof of an attack that is the last stone on the board; null where the limit cut it short. */
  private answered(move: number): Attack | null {
    const { threats, data } = this
    const { state } = threats.board
    const follow = this.cells(this.kernels.call('vct_follow', ...threats.records(data), this.points))
    const replies = Array.from({ length: threats.work.get('replies') }, (_, i) => threats.work.get('moves', i))
    const answers = new Map<number, Attack>()
    let complete = true
    for (const reply of replies) {
      this.push(reply)
      const attack = state.get('result') ? null : this.build()
      const isOver = state.get('result') === this.attacker
      this.pop()
      if (isOver) continue // the only reply is forbidden
      if (!attack) {
        complete = false
        break
      }
      answers.set(toCell(reply, this.size), attack)
    }
    return complete ? attackOf(move, follow, answers) : null
  }
}

function attackOf(move: number, follow: number[], replies = new Map<number, Attack>()): Attack {
  return { move, follow, replies, plies: 1 + Math.max(0, ...[...replies.values()].map((attack) => 1 + attack.plies)) }
}

/** The reply that holds out longest, with the attack that answers it; the first of equals. */
function longest(replies: Map<number, Attack>): [number, Attack] {
  return [...replies].reduce((best, one) => (one[1].plies > best[1].plies ? one : best))
}

function mainLine(proof: Attack): number[] {
  const moves = [proof.move]
  for (let attack = proof; attack.replies.size; ) {
    const [reply, next] = longest(attack.replies)
    moves.push(reply, next.move)
    attack = next
  }
  return moves
}

function lastOf(proof: Attack): Attack {
  return proof.replies.size ? lastOf(longest(proof.replies)[1]) : proof
}
