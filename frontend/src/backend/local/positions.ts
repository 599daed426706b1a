/** What requests say of rules and boards. */

import { parseCell } from '@/game/notation'
import { rulesProblem } from '@/game/rules'
import { Game, type GameRules } from '@/backend/engine/game'
import { Position, RuleError, sideOf } from '@/wasm/rulebook'
import type { PositionIn, RulesIn } from '@/wire'

/** Rules with what is left out, checked. */
export function wholeRules({ size = 15, winLength = 5, rule = 'freestyle', opening = 'free' }: RulesIn = {}): GameRules {
  const rules = { size, winLength, rule, opening }
  const problem = rulesProblem(rules)
  if (problem) throw new RuleError('unsupported_rule', `no game has these rules (${problem}): ${rule}, ${winLength} in a row on ${size}x${size}, ${opening}`)
  return rules
}

/** The board of a set-up: one of `.`, `B`, `W` a cell. */
export function cellsOf(text: string, size: number): Int8Array {
  const cells = Int8Array.from(text, (cell) => '.BW'.indexOf(cell))
  if (cells.length !== size * size || cells.includes(-1)) throw new RuleError('validation', `cells: expected ${size * size} of '.', 'B', 'W'`)
  return cells
}

/** The game that a position of a request describes. */
export function gameOf({ moves = [], cells, toMove, ...rules }: PositionIn): Game {
  const whole = wholeRules(rules)
  const start = cells ? Position.of(whole, cellsOf(cells, whole.size), toMove ? sideOf(toMove) : undefined) : undefined
  return Game.of(whole, moves.map((move) => cellIn(move, whole.size)), start)
}

/** A cell that a text names. */
export function cellIn(move: string, size: number): number {
  const cell = parseCell(move, size)
  if (cell === null) throw new RuleError('bad_notation', `${move} is no cell of a ${size}x${size} board`)
  return cell
}
