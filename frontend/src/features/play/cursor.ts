import { computed, ref, watch } from 'vue'
import type { Session } from './session'

/** The position that is looked at: that of the game, or an earlier one. */
export function useCursor(session: Session) {
  const viewPly = ref<number | null>(null)
  const last = computed(() => session.game.value?.ply ?? 0)
  const shownPly = computed(() => viewPly.value ?? last.value)
  const live = computed(() => viewPly.value === null)

  watch(
    session.game,
    () => {
      if (viewPly.value !== null && (!session.game.value || viewPly.value > last.value)) viewPly.value = null
    },
    { flush: 'sync' },
  )

  /** Shows the position after `ply` stones; the game itself goes on. */
  function view(ply: number): void {
    const wanted = Math.max(0, Math.min(last.value, ply))
    viewPly.value = wanted === last.value ? null : wanted
  }

  /** The moves are numbered after so many: from the shown one, or again from the first. */
  const origin = ref(0)
  watch(session.id, () => (origin.value = 0), { flush: 'sync' })

  function number(): void {
    origin.value = origin.value ? 0 : Math.max(0, shownPly.value - 1)
  }

  return { viewPly, shownPly, live, origin, view, number }
}
