/** The rule book on the page: the kernels' own, loaded when somebody first reaches for a board. */

import type { Position } from '@/wasm/rulebook'
import type { Color, RuleName } from '@/wire'
import type { TreeRules } from './tree'

type Rulebook = typeof import('@/wasm/rulebook')

let loading: Promise<Rulebook | null> | null = null
let book: Rulebook | null = null

/** Loads the rule book, once; null where the browser cannot, and then only the server says what may be played. */
export function rulebook(): Promise<Rulebook | null> {
  loading ??= open().catch(() => (loading = null))
  return loading
}

/** Whether it is here; who comes before waits for `rulebook`. */
export const hasRulebook = (): boolean => book !== null

async function open(): Promise<Rulebook> {
  const [found, { answerHere, fetchModule }] = await Promise.all([import('@/wasm/rulebook'), import('@/backend')])
  await found.loadRules(fetchModule)
  await answerHere()
  return (book = found)
}

/** A board as the rule book sees it; null before that is loaded, and for one that no game can have. */
export function positionOf({ size, winLength, rule }: TreeRules, cells: ArrayLike<string>, toMove: Color): Position | null {
  try {
    const stones = Int8Array.from(Array.from(cells), (one) => '.BW'.indexOf(one))
    return book?.Position.of({ size, winLength, rule: rule as RuleName }, stones, book.sideOf(toMove)) ?? null
  } catch {
    return null
  }
}

/** The position after one more stone, where that can be told here. */
export function positionAfter(rules: TreeRules, cells: ArrayLike<string>, color: Color, cell: number): Position | null {
  const before = positionOf(rules, cells, color)
  return before && !before.refusal(cell) ? before.play(cell) : null
}

/** Why no stone may be placed on a point, as a key below `refusal`; null where one may, or where the server is to say. */
export function refusedAt(rules: TreeRules, cells: ArrayLike<string>, toMove: Color, cell: number): 'occupied' | 'over' | null {
  const refusal = positionOf(rules, cells, toMove)?.refusal(cell)
  return refusal ? (refusal.code === 'game_over' ? 'over' : 'occupied') : null
}
