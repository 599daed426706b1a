import { backend } from '@/backend'
import type { RecordJson } from '@/game/record'
import { useNotices } from '@/ui/notices'
import { useRecordRule } from '@/ui/recordRule'
import { useCollection } from './collection'
import { useStudy } from './study'

/** Opens a game file or a pasted text as a study; of several games each is a chapter. `done`: it is open. */
export function useStudyOpening() {
  const study = useStudy()
  const { open } = useCollection()
  const notices = useNotices()
  const rules = useRecordRule()

  /** The games of a collection; none where there is one game, or where this page cannot read the file. */
  async function gamesOf(body: string | File): Promise<RecordJson[]> {
    try {
      const { records, problems } = await backend.request('records.collection', { body })
      if (records.length > 1 && problems.length) notices.info('study.chapters.broken', { n: String(problems.length), detail: problems[0]! })
      return records.length > 1 ? (records as unknown as RecordJson[]) : []
    } catch {
      return []
    }
  }

  return async (body: string | File, done: () => unknown): Promise<void> => {
    const games = await gamesOf(body)
    if (games.length) {
      await open(games, typeof body === 'string' ? '' : body.name.replace(/\.[^.]*$/, ''))
      await done()
      return
    }
    await rules.read(body, async (record) => {
      const undo = study.openRecord(record)
      await done()
      return undo
    })
  }
}
