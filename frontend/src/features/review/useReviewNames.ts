import { computed } from 'vue'
import { useCatalogue } from '@/backend/catalogue'
import { useText } from '@/ui/useText'
import type { Review } from '@/wire'

/** What an unnamed person is called in a review of a game of this page's. */
export const YOU = ['You', '你']

/** The names of both sides of a review, those that the page gave them in the language that is shown. */
export function useReviewNames() {
  const { t, local } = useText()
  const catalogue = useCatalogue()
  const given = computed(() => {
    const all = catalogue.engines.flatMap(({ name, levels }) => [name, ...levels.map((level) => level.name)])
    return new Map(all.flatMap((name) => [name.en, name.zh].map((text) => [text, local(name)])))
  })

  function nameOf(text: string): string {
    return YOU.includes(text) ? t('seat.you') : text.split(' · ').map((part) => given.value.get(part) ?? part).join(' · ')
  }

  return (players: Review['players']): string[] => (['B', 'W'] as const).map((color) => nameOf(players[color] ?? '') || t(`color.${color}`))
}
