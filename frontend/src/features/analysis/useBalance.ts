import { computed, ref } from 'vue'
import { backend } from '@/backend'
import { useCatalogue } from '@/backend/catalogue'
import { cellOf } from '@/game/notation'
import { useNotices } from '@/ui/notices'
import { useText } from '@/ui/useText'
import type { Color } from '@/wire'
import { useStudy } from './study'

/** In percent: both sides stand about alike where Black's chance is so near to half, as in the openings of self-play. */
const MARGIN = 10

/** Whether both sides stand about alike, as the chance is written: in whole percent. */
function isBalanced(winrate: number): boolean {
  return Math.abs(Math.round(100 * winrate) - 50) <= MARGIN
}

/**
 * The move that comes nearest to balancing the position, ringed on the board while that is shown. Whether it does is
 * told by the search of the position after it, not by the many short ones that found the move.
 */
export function useBalance(side: () => Color) {
  const study = useStudy()
  const notices = useNotices()
  const catalogue = useCatalogue()
  const { chance, moveText } = useText()
  const busy = ref(false)
  const found = ref<{ key: string; cell: number } | null>(null)
  const off = computed(() => busy.value || study.isOver || !catalogue.can('analyse'))
  const cell = computed(() => (found.value?.key === study.key ? found.value.cell : null))

  async function find(): Promise<void> {
    if (off.value) return
    busy.value = true
    const { key, request } = study
    try {
      const { moves, winrate } = await backend.request('analysis.balance', { body: { position: request } })
      const move = moves[0]
      if (!move || study.key !== key) return
      const { size } = study.doc.rules
      found.value = { key, cell: cellOf(move, size) }
      const rate = winrate === null ? '' : chance(winrate, side(), 'analysis.balancedRate')
      const params = { move: moveText(move, size), rate }
      if (winrate === null || isBalanced(winrate)) notices.info('analysis.balanced', params)
      else notices.note('analysis.unbalanced', params)
    } catch (error) {
      notices.failed(error)
    } finally {
      busy.value = false
    }
  }

  return { off, cell, find }
}
