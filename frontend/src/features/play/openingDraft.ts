import { computed, ref, watch } from 'vue'
import { choicesOf } from '@/game/rules'
import type { Session } from './session'

/** Opening stones that are put down but not sent yet. */
export function useOpeningDraft(session: Session) {
  const draft = ref<number[]>([])
  /** How many stones are added in the choosing phase; 0: none asked for. */
  const extraStones = ref(0)
  const choices = computed(() => session.game.value && choicesOf(session.game.value))
  /** How many stones go together: in the choosing phase those that were asked for. */
  const goal = computed(() => (choices.value?.swap ? extraStones.value : (choices.value?.stones.at(-1) ?? 0)))
  /** The colours of the stones, in order. */
  const colors = computed(() => session.game.value?.toPlace ?? [])
  const isFull = computed(() => goal.value > 1 && draft.value.length >= goal.value)

  watch(session.turn, () => startExtra(0), { flush: 'sync' })

  /** In the choosing phase: continue by placing one stone (keeping White) or several (leaving the choice). */
  function startExtra(stones: number): void {
    draft.value = []
    extraStones.value = stones
  }

  return { draft, extraStones, choices, goal, colors, isFull, startExtra }
}
