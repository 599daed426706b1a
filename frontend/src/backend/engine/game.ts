/** A game with its opening protocol, as `wuzi.core.game` has it: what seats did from the start to now. Never changed. */

import type { OpeningName, PhaseName } from '@/wire'
import { OPENINGS, PHASES } from '@/game/facts'
import { CONSTANTS } from '@/wasm/generated'
import type { WasmArray } from '@/wasm/kernels'
import { type BoardEnd, type BoardRules, opponentOf, kernels, nameOf, Position, RuleError, type Side, sideOf } from '@/wasm/rulebook'

export interface GameRules extends BoardRules {
  opening: OpeningName
}

const { KEEP, PLACE, REFUSED, SWAP } = CONSTANTS
const ACTIONS = { place: PLACE, swap: SWAP, keep: KEEP }

/** What a seat does at once. */
export type Action = { type: 'place'; moves: number[] } | { type: 'swap' } | { type: 'keep' }

/** Where a kernel writes colours. */
let colors: WasmArray | null = null

export class Game {
  private constructor(
    readonly rules: GameRules,
    readonly start: Position,
    readonly position: Position,
    readonly moves: readonly number[],
    readonly actions: readonly Action[],
    readonly phase: PhaseName,
    readonly end: BoardEnd | null,
    private readonly blackSeat: 0 | 1,
    private readonly previous: Game | null,
  ) {}

  static begin(rules: GameRules, start: Position = Position.empty(rules)): Game {
    const phase = kernels().call('first_phase', OPENINGS[rules.opening], start.ply, Number(start.end !== null))
    if (phase === REFUSED) throw new RuleError('unsupported_rule', 'a set-up position begins without an opening protocol')
    return new Game(rules, start, start, [], [], nameOf(PHASES, phase), start.end, 0, null)
  }

  /** The game of these moves, colours in turn, without an opening protocol. */
  static of(rules: BoardRules, moves: readonly number[], start?: Position): Game {
    const first = Game.begin({ ...rules, opening: 'free' }, start)
    return moves.reduce((game, move) => game.play(move), first)
  }

  get toMove(): Side {
    return this.position.toMove
  }

  get ply(): number {
    return this.position.ply
  }

  get seatToAct(): 0 | 1 {
    return kernels().call('seat_to_act', PHASES[this.phase], this.blackSeat, this.toMove) as 0 | 1
  }

  seatOf(side: Side): 0 | 1 {
    return side === sideOf('B') ? this.blackSeat : this.other(this.blackSeat)
  }

  sideOfSeat(seat: number): Side {
    return sideOf(seat === this.blackSeat ? 'B' : 'W')
  }

  private other(seat: 0 | 1): 0 | 1 {
    return seat ? 0 : 1
  }

  /** The stones that the seat to act may put down at once; when it chooses: none, the first, or all. */
  get toPlace(): Side[] {
    colors ??= kernels().array('int64', 3)
    const due = kernels().call('stones_due', OPENINGS[this.rules.opening], PHASES[this.phase], this.toMove, colors)
    return Array.from({ length: due }, (_, i) => colors!.get(i) as Side)
  }

  play(cell: number): Game {
    return this.act({ type: 'place', moves: [cell] })
  }

  act(action: Action): Game {
    this.checkOpen()
    const stones = action.type === 'place' ? action.moves : []
    const [what, count, before] = [ACTIONS[action.type], stones.length, PHASES[this.phase]]
    const allowed = kernels().call('phase_after', OPENINGS[this.rules.opening], before, what, count)
    if (allowed === REFUSED) throw new RuleError('illegal_move', `${action.type === 'place' ? `${count} stones` : action.type}: not in this phase`)
    const after = stones.reduce((position, cell) => position.play(cell), this.position)
    const phase = kernels().call('phase_with_result', allowed, count, Number(after.end !== null))
    if (phase === REFUSED) throw new RuleError('illegal_move', 'opening stones: they may not end the game')
    const black = kernels().call('black_after', before, this.blackSeat, what, count) as 0 | 1
    return new Game(this.rules, this.start, after, [...this.moves, ...stones], [...this.actions, action], nameOf(PHASES, phase), after.end, black, this)
  }

  /** Ended by something other than a stone: resignation, time, agreement. */
  ended(end: BoardEnd): Game {
    this.checkOpen()
    return new Game(this.rules, this.start, this.position, this.moves, this.actions, 'over', end, this.blackSeat, this)
  }

  resigned(side: Side): Game {
    return this.ended({ winner: opponentOf(side), reason: 'resignation' })
  }

  /** The game after its first so many actions, undecided unless a stone had ended it. */
  at(actions: number): Game {
    let game = this as Game
    while (game.actions.length > actions || game.end !== game.position.end) game = game.previous!
    return game
  }

  private checkOpen(): void {
    if (this.end) throw new RuleError('game_over', 'the game is over')
  }
}
