import type { Color, Review } from '@/wire'
import { computed, type Ref } from 'vue'
import { useRouter } from 'vue-router'
import { inTurn, other } from '@/game/color'
import { refusedAt, rulebook } from '@/game/legality'
import { type Line, stonesOf } from '@/game/line'
import { formatCell } from '@/game/notation'
import { endedByStone } from '@/game/rules'
import { analysisPlace } from './analysisPlace'

/** The position of a review that an address names; null for its end. */
export const plyOf = (query: unknown): number | null => (typeof query === 'string' && /^\d{1,3}$/.test(query) ? Number(query) : null)

/** One's own move upon the position of a review, a shown line included: it is played in the analysis. */
export function useOwnMove(review: Ref<Review | null>, shown: Ref<number>, line: Ref<Line | null>) {
  const router = useRouter()
  const moves = computed(() => {
    const all = review.value?.moves ?? []
    return [...all.slice(0, line.value?.from ?? shown.value), ...inTurn(line.value?.color ?? 'B', line.value?.moves ?? [])]
  })
  const place = computed(() => placeAfter())
  /** Who is to move; null after the end of a game. */
  const color = computed<Color | null>(() => {
    const { value: found } = review
    if (!found || (!line.value && shown.value === found.moves.length && endedByStone(found))) return null
    const last = moves.value.at(-1)
    return last ? other(last.color) : (found.moves[0]?.color ?? 'B')
  })

  const placeAfter = (...more: string[]) => (review.value ? analysisPlace(review.value, [...moves.value.map(({ move }) => move), ...more]) : { name: 'analysis' })

  /** On the way back the review stands where it was left. */
  async function open(...more: string[]): Promise<void> {
    const place = placeAfter(...more)
    await router.replace({ query: { ply: String(shown.value) } })
    await router.push(place)
  }

  async function play(cell: number): Promise<void> {
    const { value: found } = review
    if (!found || !color.value) return
    await rulebook()
    const { rules, start } = found
    if (!color.value || refusedAt(rules, stonesOf(start, moves.value, rules.size), color.value, cell)) return
    await open(formatCell(cell, rules.size))
  }

  return { place, color, open, play }
}
