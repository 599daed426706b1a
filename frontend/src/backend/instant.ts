/** What the kernels answer on the page's own thread, with a server or without one. */

import { positionOut } from './local/states'
import { gameOf } from './local/positions'
import { BackendError } from './backend'
import { RuleError } from '@/wasm/rulebook'
import type { Operation, Operations } from '@/wire'

export type Answers = { [O in Operation]?: (asks: Operations[O]['asks']) => Promise<Operations[O]['answer']> | Operations[O]['answer'] }

/** Boards: what lies on them, who won, what is forbidden. */
export const instant: Answers = {
  'positions.look': ({ code, size, winLength, rule }) =>
    positionOut(gameOf({ size, winLength, rule, moves: code === '-' ? [] : (code.match(/[a-z][1-9]\d?/gi) ?? [code]) })),
  'positions.look_at': ({ body }) => positionOut(gameOf(body)),
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
