import type { Color, Review } from '@/wire'
import { computed, type Ref } from 'vue'
import { useRouter } from 'vue-router'
import { inTurn, other } from '@/game/color'
import { refusedAt, rulebook } from '@/game/legality'
import { type Line, stonesOf } from '@/game/line'
import { cellOf, formatCell } from '@/game/notation'
import { endedByStone } from '@/game/rules'
import { useStudy } from '@/features/analysis/study'
import { useText } from '@/ui/useText'
import { reviewTree } from './reviewStudy'

/** The position of a review that an address names; null for its end. */
export const plyOf = (query: unknown): number | null => (typeof query === 'string' && /^\d{1,3}$/.test(query) ? Number(query) : null)

/** One's own move upon the position of a review, a shown line included: it is played in the study of the review, which is called `title`. */
export function useOwnMove(review: Ref<Review | null>, shown: Ref<number>, line: Ref<Line | null>, title: () => string) {
  const router = useRouter()
  const study = useStudy()
  const { language } = useText()
  const moves = computed(() => {
    const all = review.value?.moves ?? []
    return [...all.slice(0, line.value?.from ?? shown.value), ...inTurn(line.value?.color ?? 'B', line.value?.moves ?? [])]
  })
  /** Who is to move; null after the end of a game. */
  const color = computed<Color | null>(() => {
    const { value: found } = review
    if (!found || (!line.value && shown.value === found.moves.length && endedByStone(found))) return null
    const last = moves.value.at(-1)
    return last ? other(last.color) : (found.moves[0]?.color ?? 'B')
  })

  /** Opens the study at the position. On the way back the review stands where it was left. */
  async function open(...more: string[]): Promise<void> {
    const { value: found } = review
    if (!found) return
    const cells = [...moves.value.map(({ move }) => move), ...more].map((move) => cellOf(move, found.rules.size))
    await study.openReview(found.id, title(), () => reviewTree(found, language.value), cells)
    await router.replace({ query: { ply: String(shown.value) } })
    await router.push({ name: 'analysis' })
  }

  async function play(cell: number): Promise<void> {
    const { value: found } = review
    if (!found || !color.value) return
    await rulebook()
    const { rules, start } = found
    if (!color.value || refusedAt(rules, stonesOf(start, moves.value, rules.size), color.value, cell)) return
    await open(formatCell(cell, rules.size))
  }

  return { color, open, play }
}
