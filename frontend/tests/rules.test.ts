import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Action, Game, type GameRules } from '@/backend/engine/game'
import { FIRST } from '@/game/facts'
import { choicesOf, mayHandicap, rulesProblem } from '@/game/rules'
import { newTree, ROOT, toMoveAt } from '@/game/tree'
import { letterOf, loadRules, Position, RuleError, type Side } from '@/wasm/rulebook'
import type { OpeningName, RuleName } from '@/wire'

type Board = [toMove: string, ply: number, key: string, end: [string | null, string] | null, rows: number[][], forbidden: [number, string][], legal: number]
interface Step {
  is: unknown[]
  refused: [Action, string][]
  then?: Action
}

/** Written by tests/core/test_rule_examples.py: what Python's rule book says. */
const examples = JSON.parse(readFileSync(join(import.meta.dirname, '../../tests/golden/files/rule-examples.json'), 'utf8')) as {
  games: { rules: GameRules; steps: Step[] }[]
  set_ups: { rules: GameRules; cells: number[]; to_move: Side | null; is: Board | null }[]
  rules: [number, number, RuleName, OpeningName, boolean, number][]
}

function boardOf(position: Position): Board {
  const { toMove, ply, key, end, winningLines, forbidden, legalMoves } = position
  const winner = end?.winner ? letterOf(end.winner) : null
  return [letterOf(toMove), ply, String(key), end && [winner, end.reason], winningLines, forbidden.map((cell) => [cell, position.forbiddenKind(cell)!]), legalMoves.length]
}

const shapeOf = (game: Game): unknown[] => [game.phase, game.seatToAct, game.seatOf(game.toMove), game.toPlace.map(letterOf).join(''), ...boardOf(game.position)]

function codeOf(what: () => unknown): string | null {
  try {
    what()
    return null
  } catch (error) {
    return (error as RuleError).code
  }
}

beforeAll(async () => void (await loadRules(async () => readFileSync('src/wasm/kernels.wasm'))))

describe('the rule book of the page is that of Python', () => {
  it.each(examples.games.map((one) => [`${one.rules.rule} ${one.rules.size} ${one.rules.opening}`, one] as const))('in a game of %s', (_, { rules, steps }) => {
    let game = Game.begin(rules)
    for (const { is, refused, then } of steps) {
      expect(shapeOf(game)).toEqual(is)
      for (const [action, code] of refused) expect(codeOf(() => game.act(action)), JSON.stringify(action)).toBe(code)
      const { swap, keep, stones } = choicesOf(game)
      expect([codeOf(() => game.act({ type: 'swap' })) === null, codeOf(() => game.act({ type: 'keep' })) === null]).toEqual([swap, keep])
      expect(stones.at(-1) ?? 0).toBe(game.toPlace.length)
      if (then) game = game.act(then)
    }
  })

  it('on boards that are set up', () => {
    for (const { rules, cells, to_move, is } of examples.set_ups) {
      const made = (): Position => Position.of(rules, Int8Array.from(cells), to_move ?? undefined)
      if (is === null) expect(made).toThrow('both colours')
      else expect(boardOf(made())).toEqual(is)
    }
  })

  it('and a study knows whose turn it is before the kernels are loaded', () => {
    for (const { rules, cells, to_move, is } of examples.set_ups.filter((one) => one.is && one.to_move === null)) {
      const named = (side: Side): number[] => [...cells.keys()].filter((cell) => cells[cell] === side)
      const tree = newTree(rules, { black: named(1), white: named(2), empty: [], toMove: to_move && letterOf(to_move) })
      expect(toMoveAt(tree, ROOT)).toBe(is![0])
    }
    expect(toMoveAt(newTree(examples.games[0]!.rules), ROOT)).toBe(FIRST)
  })

  it('says which rules there are, and which allow extra stones', () => {
    for (const [size, winLength, rule, opening, isRight, most] of examples.rules) {
      const rules = { size, winLength, rule, opening }
      expect(rulesProblem(rules) === null, JSON.stringify(rules)).toBe(isRight)
      if (isRight) expect([1, 2, 3, 4].filter((extra) => mayHandicap(rules, extra))).toHaveLength(most)
    }
  })
})
