import { computed, ref, watch } from 'vue'
import type { Session } from './session'

/** Opening stones that are put down but not sent yet. */
export function useOpeningDraft(session: Session) {
  const draft = ref<number[]>([])
  /** How many stones are added in the choosing phase; 0: none asked for. */
  const extraStones = ref(0)
  const goal = computed(() => (session.game.value?.phase === 'place_three' ? 3 : extraStones.value))
  /** The colours of the stones, in order. */
  const colors = computed(() => session.game.value?.toPlace ?? [])
  const isFull = computed(() => goal.value > 1 && draft.value.length >= goal.value)

  watch(session.turn, () => startExtra(0), { flush: 'sync' })

  /** In the choosing phase: go on by placing one stone (keeping White) or two (leaving the choice). */
  function startExtra(stones: 0 | 1 | 2): void {
    draft.value = []
    extraStones.value = stones
  }

  return { draft, extraStones, goal, colors, isFull, startExtra }
}
