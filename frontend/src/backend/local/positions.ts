/** What requests say of rules and boards. */

import { parseCell } from '@/game/notation'
import { CHOICES, LIMITS } from '@/game/facts'
import { rulesProblem } from '@/game/rules'
import { Game, type GameRules } from '@/backend/engine/game'
import { Position, RuleError, sideOf } from '@/wasm/rulebook'
import type { PositionIn, RulesIn } from '@/wire'

/** Why there is no game of these rules, in the words of the server; null where there is one. */
export function rulesRefusal(rules: GameRules): string | null {
  const { size, winLength, rule, opening } = rules
  const board = `${size}x${size} board`
  for (const [what, name, known] of [['rule', rule, LIMITS.rules.map(({ id }) => id)], ['opening', opening, Object.keys(CHOICES)]] as const) {
    if (!known.some((one) => one === name)) return `unknown ${what} '${name}': expected one of ${known.join(', ')}`
  }
  switch (rulesProblem(rules)) {
    case 'size':
      return `board size ${size}: expected ${LIMITS.minSize} to ${LIMITS.maxSize}`
    case 'winLength':
      return `win length ${winLength} on a ${board}: expected ${LIMITS.minWinLength} to ${size}`
    case 'renjuFive':
      return `renju with win length ${winLength}: renju needs five in a row`
    case 'openingSize':
      return `${opening} on a ${board}: needs ${LIMITS.minOpeningSize}x${LIMITS.minOpeningSize} or more`
    default:
      return null
  }
}

/** Rules with what is left out, checked. */
export function wholeRules({ size = 15, winLength = 5, rule = 'freestyle', opening = 'free' }: RulesIn = {}): GameRules {
  const rules = { size, winLength, rule, opening }
  const refused = rulesRefusal(rules)
  if (refused) throw new RuleError('unsupported_rule', refused)
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
