import { useRouter } from 'vue-router'
import { backend } from '@/backend'
import type { RecordJson } from '@/game/record'
import { useNotices } from './notices'

/** Whether a record has variations or comments. */
function holdsMore({ nodes = [] }: RecordJson): boolean {
  const parents = nodes.slice(1).map(({ parent }) => parent ?? 0)
  return new Set(parents).size < parents.length || nodes.some(({ comment }) => comment)
}

/** Opens a game file: as a game, or as an analysis where it holds what a game has no place for, variations and comments. */
export function useRecordOpening() {
  const router = useRouter()
  const notices = useNotices()

  return async (body: string | File): Promise<void> => {
    const { tree } = await backend.request('records.parse', { tree: true, body })
    const record = tree as unknown as RecordJson
    if (holdsMore(record)) {
      const { useStudy } = await import('@/features/analysis/study')
      useStudy().openRecord(record)
      await router.push({ name: 'analysis' })
      return notices.info('share.asAnalysis')
    }
    const { id } = await backend.request('records.import_game', { body })
    await router.push({ name: 'play', params: { id } })
  }
}
