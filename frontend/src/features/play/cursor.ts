import { computed, ref, watch } from 'vue'
import type { Session } from './session'

/** The position that is looked at: that of the game, or an earlier one. */
export function useCursor(session: Session) {
  const viewPly = ref<number | null>(null)
  const last = computed(() => session.game.value?.moves.length ?? 0)
  const shownPly = computed(() => viewPly.value ?? last.value)
  const live = computed(() => viewPly.value === null)

  watch(
    session.game,
    () => {
      if (viewPly.value !== null && (!session.game.value || viewPly.value > last.value)) viewPly.value = null
    },
    { flush: 'sync' },
  )

  /** Shows the position after so many moves; stones that lay before them stay. The game itself continues. */
  function view(ply: number): void {
    const wanted = Math.max(0, Math.min(last.value, ply))
    viewPly.value = wanted === last.value ? null : wanted
  }

  return { viewPly, shownPly, live, view }
}
