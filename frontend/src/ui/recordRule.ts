import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { backend, BackendError } from '@/backend'
import type { RecordJson } from '@/game/record'
import type { RuleName } from '@/wire'
import { useNotices } from './notices'

type Body = string | File
/** Opens a record, read under a rule that somebody has chosen where the file names none; how that is taken back. */
export type OpenRecord = (record: RecordJson, rule?: RuleName) => Promise<(() => unknown) | void>

const OFFERED_MS = 30_000
/** What a file without a rule is read as, and another rule: which one comes back tells whether the file has named it. */
const USUAL: RuleName = 'freestyle'
const OTHER: RuleName = 'standard'

async function parse(body: Body, rule?: RuleName): Promise<{ record: RecordJson; warnings: string[] }> {
  const { tree, warnings = [] } = await backend.request('records.parse', { tree: true, body, ...(rule && { rule }) })
  return { record: tree as unknown as RecordJson, warnings }
}

const readAs = (body: Body, rule: RuleName): Promise<string | null> => parse(body, rule).then(({ record }) => record.rules.rule).catch(() => null)

/** The rule of a record whose file names none: people choose it where it cannot be guessed, and may correct a guess. */
export const useRecordRule = defineStore('recordRule', () => {
  const notices = useNotices()
  /** What waits for a choice. */
  const asked = shallowRef<{ isGuessed: boolean; choose: (rule: RuleName) => Promise<void> } | null>(null)

  function ask(body: Body, open: OpenRecord, undo?: () => unknown): void {
    async function choose(rule: RuleName): Promise<void> {
      asked.value = null
      try {
        const { record } = await parse(body, rule)
        await undo?.()
        await open(record, rule)
      } catch (error) {
        notices.failed(error)
      }
    }
    asked.value = { isGuessed: undo !== undefined, choose }
  }

  async function read(body: Body, open: OpenRecord): Promise<void> {
    let record: RecordJson
    let warnings: string[]
    try {
      ;({ record, warnings } = await parse(body))
    } catch (error) {
      const mayLack = error instanceof BackendError && error.code === 'bad_record'
      if (mayLack && (await readAs(body, USUAL)) === USUAL) return ask(body, open)
      throw error
    }
    const undo = (await open(record)) ?? (() => undefined)
    const said = warnings.filter((warning) => !warning.endsWith(`read as ${USUAL}`))
    if (said.length) notices.info('share.readerSays', { detail: said.join('; ') })
    if (record.rules.rule === USUAL && (await readAs(body, OTHER)) === OTHER) {
      notices.offer('share.ruleGuessed', 'share.ruleChoose', () => ask(body, open, undo), OFFERED_MS)
    }
  }

  return { asked, read }
})
