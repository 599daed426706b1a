import { computed, ref } from 'vue'
import { backend } from '@/backend'
import { useCatalogue } from '@/backend/catalogue'
import { cellOf } from '@/game/notation'
import { useNotices } from '@/ui/notices'
import { useText } from '@/ui/useText'
import type { Color } from '@/wire'
import { useStudy } from './study'

/** A move after which both sides stand about alike, ringed on the board while its position is shown. */
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
      notices.info('analysis.balanced', { move: moveText(move, size), rate })
    } catch (error) {
      notices.failed(error)
    } finally {
      busy.value = false
    }
  }

  return { off, cell, find }
}
