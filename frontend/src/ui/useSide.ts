import { computed, type ComputedRef } from 'vue'
import { useSettings } from '@/features/settings/settings'
import type { Color } from '@/wire'

/** Whose chance is shown everywhere on a screen, as the setting "Win rate of" says; `mine` is null where nobody plays. */
export function useSide(toMove: () => Color, mine: () => Color | null = () => null): ComputedRef<Color> {
  const settings = useSettings()
  return computed(() => {
    if (settings.values.perspective === 'toMove') return toMove()
    return (settings.values.perspective === 'me' ? mine() : null) ?? 'B'
  })
}
