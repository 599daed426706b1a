import { ref, watch } from 'vue'
import { backend, BackendError } from '@/backend'
import { formatCell } from '@/game/notation'
import type { Color } from '@/wire'
import type { Session } from './session'

interface PendingMove {
  cell: number
  ply: number
  color: Color
  /** The server could not be reached; it is sent once the line is back. */
  queued: boolean
}

/** The move that is on its way to the server, kept while there is no line. */
export function useOutbox(session: Session) {
  const pending = ref<PendingMove | null>(null)

  watch(
    session.game,
    (state) => {
      if (pending.value && state?.ply !== pending.value.ply) pending.value = null
      if (pending.value?.queued) void post()
    },
    { flush: 'sync' },
  )

  async function send(move: Omit<PendingMove, 'queued'>): Promise<void> {
    pending.value = { ...move, queued: false }
    await post()
  }

  async function post(): Promise<void> {
    const [move, state] = [pending.value, session.game.value]
    if (!move || !state) return
    pending.value = { ...move, queued: false }
    const body = { move: formatCell(move.cell, state.rules.size), ply: move.ply }
    try {
      session.apply(await backend.request('play.move', { id: state.id, body }))
      pending.value = null
    } catch (error) {
      if (error instanceof BackendError && error.isNetwork) {
        pending.value = { ...move, queued: true }
        session.reconnect()
        return
      }
      pending.value = null
      await session.recover(error)
    }
  }

  return { pending, send }
}
