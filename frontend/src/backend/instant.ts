/** What the kernels answer on the page's own thread, with a server or without one. */

import { positionOut } from './local/states'
import { gameOf } from './local/positions'
import type { Game } from './engine/game'
import { type Backend, BackendError } from './backend'
import { dataName, fetchPacked, readTables } from './engine/data'
import { ThreatFinder, threatOut } from './engine/threats'
import { formatCell } from '@/game/notation'
import { kernels, RuleError } from '@/wasm/rulebook'
import type { WasmRecord } from '@/wasm/kernels'
import type { Operation, Operations, Threat } from '@/wire'

export type Answers = { [O in Operation]?: (asks: Operations[O]['asks']) => Promise<Operations[O]['answer']> | Operations[O]['answer'] }

/** Boards: what lies on them, who won, what is forbidden. */
export const instant: Answers = {
  'positions.look': ({ code, size, winLength, rule }) =>
    positionOut(gameOf({ size, winLength, rule, moves: code === '-' ? [] : (code.match(/[a-z][1-9]\d?/gi) ?? [code]) })),
  'positions.look_at': ({ body }) => positionOut(gameOf(body)),
}

/** Beside a server the threats on a board, too, found by tables that the server has; without one the worker finds them. */
export function besideServer({ download }: Backend): Answers {
  const known = new Map<string, Promise<WasmRecord<'TABLES'>>>()
  let finder: ThreatFinder | null = null

  function tablesOf({ rule, winLength }: Game['rules']): Promise<WasmRecord<'TABLES'>> {
    const name = dataName(rule, winLength)
    const found = known.get(name) ?? fetchPacked(download('analysis.tables', { rule, winLength })).then((content) => readTables(kernels(), content))
    found.catch(() => known.delete(name))
    known.set(name, found)
    return found
  }

  async function threatsOf({ position }: Game): Promise<Threat[]> {
    const tables = await tablesOf(position.rules as Game['rules'])
    finder ??= new ThreatFinder(kernels())
    return finder.find(position, { tables }).map((threat) => threatOut(threat, (cell) => formatCell(cell, position.rules.size)))
  }

  return {
    ...instant,
    'positions.look_at': async ({ body, threats }) => {
      const game = gameOf(body)
      return { ...positionOut(game), threats: threats ? await threatsOf(game) : null }
    },
  }
}

/** The answer of one of these, in the server's words where the rules refuse. */
export async function answered<O extends Operation>(answers: Answers, operation: O, asks: Operations[O]['asks']): Promise<Operations[O]['answer']> {
  const answer = answers[operation]
  if (!answer) throw new BackendError('not_found', 404, `${operation} needs a server`)
  try {
    return await answer(asks)
  } catch (error) {
    throw error instanceof RuleError ? new BackendError(error.code, error.code === 'ply_mismatch' ? 409 : 422, error.message) : error
  }
}
