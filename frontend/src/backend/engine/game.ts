/** A game with its opening protocol, as `wuzi.core.game` has it: what seats did from the start to now. Never changed. */

import type { OpeningName, PhaseName } from '@/wire'
import { type BoardEnd, type BoardRules, enemyOf, Position, RuleError, type Side } from '@/wasm/rulebook'

export interface GameRules extends BoardRules {
  opening: OpeningName
}

/** What a seat does at once. */
export type Action = { type: 'place'; moves: number[] } | { type: 'swap' } | { type: 'keep' }

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
    if (start.ply && rules.opening !== 'free') throw new RuleError('unsupported_rule', 'a set-up position begins without an opening protocol')
    const phase = start.end ? 'over' : rules.opening === 'free' ? 'play' : 'place_three'
    return new Game(rules, start, start, [], [], phase, start.end, 0, null)
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
    return this.phase === 'place_three' ? 0 : this.seatOf(this.toMove)
  }

  seatOf(side: Side): 0 | 1 {
    return side === 1 ? this.blackSeat : this.other(this.blackSeat)
  }

  sideOfSeat(seat: number): Side {
    return seat === this.blackSeat ? 1 : 2
  }

  private other(seat: 0 | 1): 0 | 1 {
    return seat ? 0 : 1
  }

  /** The stones that the seat to act may put down at once; when it chooses: none, the first, or all. */
  get toPlace(): Side[] {
    if (this.phase === 'place_three') return [1, 2, 1]
    if (this.phase === 'over') return []
    return this.phase === 'choose' && this.rules.opening === 'swap2' ? [2, 1] : [this.toMove]
  }

  play(cell: number): Game {
    this.checkOpen()
    if (this.phase === 'place_three') throw new RuleError('illegal_move', 'one stone: expected three stones')
    return this.next({ type: 'place', moves: [cell] }, this.position.play(cell), [cell], 'play', this.blackSeat)
  }

  act(action: Action): Game {
    if (action.type === 'place' && action.moves.length === 1) return this.play(action.moves[0]!)
    this.checkOpen()
    const choosing = this.phase === 'choose' || this.phase === 'choose_after_five'
    if (action.type !== 'place') {
      if (!choosing) throw new RuleError('illegal_move', `${action.type}: not in this phase`)
      return this.next(action, this.position, [], 'play', action.type === 'swap' ? this.other(this.blackSeat) : this.blackSeat)
    }
    const wanted = this.toPlace.length
    if (wanted < 2 || action.moves.length !== wanted) {
      throw new RuleError('illegal_move', `${action.moves.length} stones: expected ${wanted < 2 ? 1 : wanted}`)
    }
    const after = action.moves.reduce((position, cell) => position.play(cell), this.position)
    if (after.end) throw new RuleError('illegal_move', 'opening stones: they may not end the game')
    const first = this.phase === 'place_three'
    return this.next(action, after, action.moves, first ? 'choose' : 'choose_after_five', first ? 0 : 1)
  }

  /** Ended by something other than a stone: resignation, time, agreement. */
  ended(end: BoardEnd): Game {
    this.checkOpen()
    return new Game(this.rules, this.start, this.position, this.moves, this.actions, 'over', end, this.blackSeat, this)
  }

  resigned(side: Side): Game {
    return this.ended({ winner: enemyOf(side), reason: 'resignation' })
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

  private next(action: Action, position: Position, moves: readonly number[], phase: PhaseName, blackSeat: 0 | 1): Game {
    const all = [...this.moves, ...moves]
    return new Game(this.rules, this.start, position, all, [...this.actions, action], position.end ? 'over' : phase, position.end, blackSeat, this)
  }
}
