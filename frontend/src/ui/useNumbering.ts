import { ref, type Ref } from 'vue'
import { useSettings } from '@/features/settings/settings'

/** The moves are numbered after `origin` of them: from the shown one, or again from the first. */
export function useNumbering(shown: () => number): { origin: Ref<number>; numberFrom: () => void } {
  const settings = useSettings()
  const origin = ref(0)

  function numberFrom(): void {
    origin.value = origin.value ? 0 : Math.max(0, shown() - 1)
    if (origin.value && settings.values.numbers === 'off') settings.values.numbers = 'all'
  }

  return { origin, numberFrom }
}
