import { useRouter } from 'vue-router'
import { backend } from '@/backend'
import type { RecordJson } from '@/game/record'
import { useNotices } from './notices'
import { useRecordRule } from './recordRule'

/** Whether a record has variations or comments. */
function holdsMore({ nodes = [] }: RecordJson): boolean {
  const parents = nodes.slice(1).map(({ parent }) => parent ?? 0)
  return new Set(parents).size < parents.length || nodes.some(({ comment }) => comment)
}

/**
 * Opens a game file: as a game, or as an analysis where it holds what a game has no place for: variations and comments, or
 * several games, which are the chapters of a study.
 */
export function useRecordOpening() {
  const router = useRouter()
  const notices = useNotices()
  const rules = useRecordRule()

  return async (body: string | File): Promise<void> => {
    const { records } = await backend.request('records.collection', { body }).catch(() => ({ records: [] }))
    if (records.length > 1) {
      const { useStudyOpening } = await import('@/features/analysis/opening')
      return useStudyOpening()(body, () => router.push({ name: 'analysis' }))
    }
    await rules.read(body, async (record, rule) => {
      if (holdsMore(record)) {
        const { useStudy } = await import('@/features/analysis/study')
        const undo = useStudy().openRecord(record)
        await router.push({ name: 'analysis' })
        notices.info('share.asAnalysis')
        return undo
      }
      const { id } = await backend.request('records.import_game', { body, ...(rule && { rule }) })
      await router.push({ name: 'play', params: { id } })
      return () => backend.request('games.remove', { id })
    })
  }
}

/** Opens a file or a text that was pasted on any screen as a study, with all its games as chapters. */
export function useStudyPaste() {
  const router = useRouter()

  return async (body: string | File): Promise<void> => {
    const { useStudyOpening } = await import('@/features/analysis/opening')
    const { useStudy } = await import('@/features/analysis/study')
    const { useGame } = await import('@/features/play/game')
    const { name } = router.currentRoute.value
    const game = name === 'play' ? useGame().game : null
    const on = name === 'analysis' ? useStudy().doc.rules : (game?.rules ?? null)
    const done = async (): Promise<void> => {
      useStudy().save()
      await router.push({ name: 'analysis' })
    }
    await useStudyOpening()(body, done, on)
  }
}
