import { fromLink } from '@/game/place'
import { useNotices } from '@/ui/notices'
import { watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { useAnalysis } from './analysis'
import { useStudy } from './study'

/** What a link tells of a board besides its moves. */
const BOARD = ['size', 'winLength', 'rule', 'black', 'white'] as const

/** Follows the address of the analysis screen. */
export function useAddress(): void {
  const route = useRoute()
  const router = useRouter()
  const study = useStudy()
  const analysis = useAnalysis()
  const notices = useNotices()

  /** Takes what the address names into the study; afterwards the address is plain, and a reload shows the study. */
  async function openAddress(): Promise<void> {
    if (route.name !== 'analysis') return
    const code = typeof route.params.code === 'string' ? route.params.code : ''
    const game = typeof route.query.game === 'string' ? route.query.game : ''
    const isBoard = BOARD.some((name) => route.query[name] !== undefined)
    if (!code && !game && !isBoard) return
    try {
      if (game) analysis.chooseOpponent(await study.openGame(game, history.state?.winrates as (number | null)[] | undefined))
      else {
        const found = fromLink(code, route.query)
        if (found) study.replace(found.tree, found.last)
        else notices.info('position.bad')
      }
    } catch (error) {
      notices.failed(error)
    }
    study.save()
    await router.replace({ name: 'analysis' })
  }

  watch(
    () => route.fullPath,
    () => void openAddress(),
    { immediate: true },
  )
}
