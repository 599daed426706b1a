import { ref, shallowRef, watch } from 'vue'
import { backend } from '@/backend'
import { formatCell } from '@/game/notation'
import type { GameState, LocalText } from '@/wire'
import type { Session } from './session'

/** Holds a bad mistake back until the person decides. */
export function useBlunderGuard(session: Session) {
  const warning = shallowRef<{ cell: number; ply: number; reason: LocalText; line: string[] } | null>(null)
  /** The move that is being looked at. */
  const checking = ref<number | null>(null)

  watch(session.turn, () => (warning.value = null), { flush: 'sync' })
  watch(session.id, () => (checking.value = null), { flush: 'sync' })

  /** Asks the server about a move; true when it is held back. A server that cannot say lets it pass. */
  async function holds(state: GameState, cell: number): Promise<boolean> {
    if (checking.value !== null) return true
    checking.value = cell
    try {
      const body = { move: formatCell(cell, state.rules.size), ply: state.ply }
      const found = await backend.request('play.check', { id: state.id, body })
      if (!found.isBlunder || !found.reason) return false
      warning.value = { cell, ply: state.ply, reason: found.reason, line: found.line }
      return true
    } catch {
      return false
    } finally {
      checking.value = null
    }
  }

  return { warning, checking, holds }
}
