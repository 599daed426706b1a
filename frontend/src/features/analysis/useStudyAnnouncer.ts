import { ref, watch, type Ref } from 'vue'
import type { Color } from '@/wire'
import { useAnalysis } from './analysis'
import { useStudy } from './study'
import { useText } from '@/ui/useText'

/** The text of the live region of an analysis: the position one comes to, and what the search found. */
export function useStudyAnnouncer(side: () => Color): Ref<string> {
  const { t, announced, chance, moveText, cellText } = useText()
  const study = useStudy()
  const analysis = useAnalysis()
  const text = ref('')

  watch(
    () => study.current,
    () => {
      const { move, color, comment, score } = study.node
      const rate = score?.winrate ?? null
      const start = [t('analysis.startPosition'), ...(rate === null ? [] : [chance(rate, side())])]
      const said = move !== null && color ? announced(color, cellText(move, study.doc.rules.size), rate, side()) : start
      text.value = [...said, comment].filter(Boolean).join(' ')
    },
  )
  watch(
    () => analysis.phase,
    (phase) => {
      const best = analysis.report?.moveInfos[0]
      if (phase === 'error') text.value = t('analysis.phase.error')
      if (phase !== 'done' || !best) return
      const rate = best.winrate === null ? '' : chance(best.winrate, side())
      text.value = `${t('analysis.best', { move: moveText(best.move, study.doc.rules.size) })} ${rate}`
    },
  )
  return text
}
