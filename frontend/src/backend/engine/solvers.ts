/** Wins by fours and by threats of the side to move, as `wuzi.tactics` finds them. */

import { loadState, type Position, type Side, toCell } from '@/wasm/rulebook'
import type { Kernels, WasmArray, WasmRecord } from '@/wasm/kernels'
import type { EngineData } from './data'
import { Shapes } from './threats'

export type Verdict = 'none' | 'win' | 'unknown'
const VERDICTS: Verdict[] = ['none', 'win', 'unknown']
const WIN = 1
const MAX_FOURS = 56
const [NODES, MAX_NODES] = [1, 2]
const LEAF_NODES = 200
const DEFAULT_NODES = 5_000_000
const PROOF_VCF_NODES = 20_000
const GRID = 37 * 32
const OPEN_FOUR = 12

/** `moves` is the winning line, both sides', up to the row or to two cells for one. */
export interface Solution {
  verdict: Verdict
  moves: number[]
  nodes: number
}

/** An attacking move, what punishes other replies, and the attacks that answer the replies that need one. */
interface Attack {
  move: number
  follow: number[]
  replies: Map<number, Attack>
  plies: number
}

/** Makes the keys of one search differ from those of all others, so that no table needs to be cleared. */
function salt(number: number): bigint {
  const mask = (1n << 64n) - 1n
  let x = (BigInt(number) + 0x9e3779b97f4a7c15n) & mask
  x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & mask
  x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & mask
  return x ^ (x >> 31n)
}

/** The state of a search: its board, and how many searches there were before. */
class Searches extends Shapes {
  private solved = 0

  begin(position: Position, data: EngineData, side: Side): void {
    loadState(this.state, position, side)
    this.state.set('result', 0)
    this.kernels.call('patterns_from_state', this.state, this.patterns, data.tables)
    this.solved += 1
    this.state.setBig('key', this.state.getBig('key') ^ salt(this.solved))
  }
}

/** Finds wins by fours. */
export class VcfSolver {
  private readonly shapes: Searches
  private readonly work: WasmRecord<'VCF'>
  private readonly entries: WasmArray
  private readonly ctl: WasmArray

  constructor(private readonly kernels: Kernels) {
    this.shapes = new Searches(kernels)
    this.work = kernels.record('VCF')
    this.entries = kernels.array('VCF_ENTRY', 1 << 18)
    this.ctl = kernels.array('int64', 8)
  }

  /** The shortest win by fours of the side to move. */
  solve(position: Position, data: EngineData, maxNodes: number): Solution {
    if (position.end) return { verdict: 'none', moves: [], nodes: 0 }
    const { state, patterns } = this.shapes
    this.shapes.begin(position, data, position.toMove)
    control(this.ctl, maxNodes)
    const found = this.kernels.call('vcf_deepen', state, patterns, data.tables, this.work, this.entries, this.ctl, MAX_FOURS)
    const moves = found === WIN ? completed(position, lineOf(this.work, position.rules.size)) : []
    return { verdict: VERDICTS[found]!, moves, nodes: this.ctl.get(NODES) }
  }
}

const control = (ctl: WasmArray, maxNodes: number): void => {
  for (let i = 0; i < 8; i++) ctl.set(i, i === MAX_NODES ? maxNodes : 0)
}

const pointsOf = (work: WasmRecord<'VCF'>): number[] => Array.from({ length: work.get('length') }, (_, i) => work.get('line', i))
const lineOf = (work: WasmRecord<'VCF'>, size: number): number[] => pointsOf(work).map((point) => toCell(point, size))

/** Finds wins by fours and by threats of open fours, and writes down how every reply is answered. */
export class VctSolver {
  private readonly shapes: Searches
  private readonly work: WasmRecord<'VCT'>
  private readonly vcf: WasmRecord<'VCF'>
  private readonly entries: WasmArray
  private readonly table: WasmArray
  private readonly ctl: WasmArray
  private readonly leafCtl: WasmArray
  private readonly proofCtl: WasmArray
  private readonly points: WasmArray
  private data!: EngineData
  private attacker: Side = 1
  private size = 0
  private used = 0
  private known = new Map<bigint, Attack>()

  constructor(private readonly kernels: Kernels) {
    this.shapes = new Searches(kernels)
    this.work = kernels.record('VCT')
    this.work.set('leaf_nodes', LEAF_NODES)
    this.vcf = kernels.record('VCF')
    this.entries = kernels.array('VCF_ENTRY', 1 << 16)
    this.table = kernels.array('VCT_ENTRY', 1 << 19)
    this.ctl = kernels.array('int64', 8)
    this.leafCtl = kernels.array('int64', 8)
    this.proofCtl = kernels.array('int64', 8)
    this.points = kernels.array('int64', 26 * 26)
  }

  /** A win by threats of the side to move, if there is one within so many positions. */
  solve(position: Position, data: EngineData, maxNodes = DEFAULT_NODES): Solution {
    if (position.end) return { verdict: 'none', moves: [], nodes: 0 }
    const found = this.search(position, data, maxNodes, position.toMove)
    const proof = found === WIN ? this.build() : null
    const verdict = found === WIN && !proof ? 'unknown' : VERDICTS[found]!
    const moves = proof ? completed(position, mainLine(proof), lastOf(proof).follow) : []
    return { verdict, moves, nodes: this.ctl.get(NODES) }
  }

  /** Whether the side that has just moved now wins by threats, whatever the reply. */
  keepsWin(position: Position, data: EngineData, maxNodes = DEFAULT_NODES): Verdict {
    const attacker: Side = position.toMove === 1 ? 2 : 1
    if (position.end) return position.end.winner === attacker ? 'win' : 'none'
    return VERDICTS[this.search(position, data, maxNodes, attacker)]!
  }

  private search(position: Position, data: EngineData, maxNodes: number, attacker: Side): number {
    if (this.used > this.table.items / 16) {
      this.kernels.bytes(this.table.at, this.table.items * this.table.itemBytes).fill(0)
      this.used = 0
    }
    Object.assign(this, { data, attacker, size: position.rules.size })
    this.known.clear()
    this.shapes.begin(position, data, position.toMove)
    control(this.ctl, maxNodes)
    return this.again()
  }

  /** Searches the board as it is now. */
  private again(): number {
    const { state, patterns } = this.shapes
    const before = this.ctl.get(NODES)
    const { tables } = this.data
    const found = this.kernels.call('vct_search', state, patterns, tables, this.work, this.vcf, this.entries, this.table, this.ctl, this.leafCtl, this.attacker)
    this.used += this.ctl.get(NODES) - before
    return found
  }

  /** The proof of the board as it is now; null where the limit cut it short. */
  private build(): Attack | null {
    const key = this.shapes.state.getBig('key')
    const old = this.known.get(key)
    if (old) return old
    const points = this.fours()
    const attack = points.length ? this.byFours(points) : this.byThreat()
    if (attack) this.known.set(key, attack)
    return attack
  }

  private push(point: number): void {
    this.kernels.call('pattern_push', this.shapes.state, this.shapes.patterns, this.data.tables, point)
  }

  private pop(): void {
    this.kernels.call('pattern_pop', this.shapes.state, this.shapes.patterns, this.data.tables)
  }

  private winning(): number[] {
    const count = this.kernels.call('winning_points', this.shapes.state, this.attacker, this.points)
    return Array.from({ length: count }, (_, i) => this.points.get(i))
  }

  private fours(): number[] {
    const { state, patterns } = this.shapes
    control(this.proofCtl, PROOF_VCF_NODES)
    const found = this.kernels.call('vcf_deepen', state, patterns, this.data.tables, this.vcf, this.entries, this.proofCtl, MAX_FOURS)
    return found === WIN ? pointsOf(this.vcf) : []
  }

  private byFours(points: number[]): Attack {
    const follows: number[][] = []
    points.forEach((point, i) => {
      this.push(point)
      if (i % 2 === 0) follows.push(this.shapes.state.get('result') ? [] : this.winning().map((one) => toCell(one, this.size)))
    })
    points.forEach(() => this.pop())
    const cells = points.map((point) => toCell(point, this.size))
    let proof = attackOf(cells.at(-1)!, follows.at(-1)!)
    for (let i = cells.length - 3; i >= 0; i -= 2) proof = attackOf(cells[i]!, follows[i / 2]!, new Map([[cells[i + 1]!, proof]]))
    return proof
  }

  private byThreat(): Attack | null {
    const point = this.move()
    if (point === null) return null
    this.push(point)
    const { points, replies } = this.repliesNow()
    const answers = new Map<number, Attack>()
    let complete = true
    for (const reply of replies) {
      this.push(reply)
      const attack = this.shapes.state.get('result') ? null : this.build()
      const isOver = this.shapes.state.get('result') === this.attacker
      this.pop()
      if (isOver) continue // the only reply is forbidden
      if (!attack) {
        complete = false
        break
      }
      answers.set(toCell(reply, this.size), attack)
    }
    this.pop()
    const follow = points.map((one) => toCell(one, this.size))
    return complete ? attackOf(toCell(point, this.size), follow, answers) : null
  }

  /** After an attack: what it threatens, and the replies that might stop it. */
  private repliesNow(): { points: number[]; replies: number[] } {
    const { state, patterns } = this.shapes
    const wins = this.winning()
    if (wins.length) return { points: wins, replies: wins.length > 1 ? [] : wins }
    const points: number[] = []
    for (let point = 0; point < GRID; point++) {
      if (this.shapes.cellClass(this.attacker, point) === OPEN_FOUR && state.get('cells', point) === 0) points.push(point)
    }
    const count = this.kernels.call('vct_replies', state, patterns, this.data.tables, this.work, 0)
    return { points, replies: Array.from({ length: count }, (_, i) => this.work.get('moves', i)) }
  }

  /** The attacking move of the board, from the table or by another search. */
  private move(): number | null {
    const { state } = this.shapes
    const place = this.kernels.call('vct_find', this.table, this.kernels.callBig('vct_key', state, this.attacker))
    if (place >= 0 && this.table.getField(place, 'phi') === 0) return this.table.getField(place, 'move')
    return this.again() === WIN ? this.work.get('move') : null
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

/** A winning line made longer until it ends with the winning row, or with two cells for one. */
export function completed(start: Position, line: number[], follow: number[] = []): number[] {
  const attacker = start.toMove
  const moves = [...line]
  let position = moves.reduce((now, move) => now.play(move), start)
  for (;;) {
    const wins = position.end ? [] : position.pointsToWin(attacker)
    if (position.end || wins.length > 1) return moves
    const useful = [...wins, ...follow]
    const reply = idleReply(position, useful)
    moves.push(reply)
    position = position.play(reply)
    if (position.end) return moves
    const answer = useful.find((cell) => !position.cells[cell] && settles(position, cell))
    if (answer === undefined) return moves
    moves.push(answer)
    position = position.play(answer)
  }
}

function settles(position: Position, cell: number): boolean {
  const after = position.play(cell)
  return after.end ? after.end.winner === position.toMove : after.pointsToWin(position.toMove).length > 1
}

/** An allowed stone that changes nothing, best a block near the last move. */
function idleReply(position: Position, useful: number[]): number {
  const { size } = position.rules
  const last = position.lastMove ?? 0
  const allowed = position.legalMoves.filter((cell) => !position.isFoul(cell))
  const distance = (cell: number): number => Math.max(Math.abs(Math.floor(cell / size) - Math.floor(last / size)), Math.abs((cell % size) - (last % size)))
  const order = (cell: number): number => (useful.includes(cell) ? 0 : 1000) + distance(cell)
  const changesNothing = (cell: number): boolean => {
    const after = position.play(cell)
    if (after.end || after.pointsToWin(position.toMove).length) return false
    return useful.some((one) => !after.cells[one] && settles(after, one))
  }
  const sorted = [...allowed].sort((a, b) => order(a) - order(b) || a - b)
  return sorted.find(changesNothing) ?? allowed[0] ?? position.legalMoves[0]!
}
