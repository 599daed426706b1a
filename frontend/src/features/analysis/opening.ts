import { backend } from '@/backend'
import { formatCell, parseCode } from '@/game/notation'
import type { RecordJson } from '@/game/record'
import type { Tree } from '@/game/tree'
import { useNotices } from '@/ui/notices'
import { useRecordRule } from '@/ui/recordRule'
import { useCollection } from './collection'
import { useStudy } from './study'

type BoardRules = Tree['rules']

/** Moves alone say nothing of board and rule: these are those of the board on which they are pasted, if they lie on it. */
function withRules(body: string | File, { size, winLength, rule }: BoardRules): string | File {
  const cells = typeof body === 'string' ? parseCode(body.replace(/(?<![a-z])\d{1,3}[.)、]\s*|[\s,;、]+/gi, ''), size) : null
  if (!cells?.length) return body
  const moves = cells.map((cell) => formatCell(cell, size))
  return JSON.stringify({ format: 'wuzi-record', version: 1, rules: { size, win_length: winLength, rule }, moves })
}

/** Opens a game file or a pasted text as a study; of several games each is a chapter. `done`: it is open; `on`: the board in sight. */
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

  return async (body: string | File, done: () => unknown, on: BoardRules | null = study.doc.rules): Promise<void> => {
    const games = await gamesOf(body)
    if (games.length) {
      await open(games, typeof body === 'string' ? '' : body.name.replace(/\.[^.]*$/, ''))
      await done()
      return
    }
    await rules.read(on ? withRules(body, on) : body, async (record) => {
      const undo = study.openRecord(record)
      await done()
      return undo
    })
  }
}
