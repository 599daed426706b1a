import { backend, newId } from '@/backend'
import { fromRecord, type RecordJson } from '@/game/record'
import { lineThrough, ROOT } from '@/game/tree'
import { useChapters } from './chapters'
import { type StoredStudy, useSavedStudies } from './saved'
import { recordOf, useStudy } from './study'

/** Whole studies in and out, as collections of games. */
export function useCollection() {
  const study = useStudy()
  const saved = useSavedStudies()
  const chapters = useChapters()

  async function sgfOf(all: readonly StoredStudy[]): Promise<Blob> {
    const texts: string[] = []
    for (const one of all) texts.push(await (await backend.request('records.convert', { format: 'sgf', body: JSON.stringify(recordOf(one)) })).text())
    return new Blob([texts.map((text) => text.trimEnd()).join('\n\n') + '\n'], { type: 'application/x-go-sgf' })
  }

  /** The open study with all its chapters as one collection. */
  async function collection(): Promise<Blob> {
    const { book } = study
    const others = book ? (await saved.chapters(book.id)).filter((one) => one.id !== study.id) : []
    return sgfOf([...others, study.state()].sort((a, b) => (a.book?.place ?? 0) - (b.book?.place ?? 0)))
  }

  /** Everything that is kept, the open one too. */
  async function all(): Promise<Blob> {
    await saved.load()
    const others = saved.list.map(({ data }) => data).filter((one) => one.id !== study.id)
    const order = (one: StoredStudy): string => `${one.book?.id ?? ''} ${String(one.book?.place ?? 0).padStart(4, '0')}`
    return sgfOf([study.state(), ...others].sort((a, b) => (order(a) < order(b) ? -1 : 1)))
  }

  /** Opens the games of a collection as the chapters of a new study. */
  async function open(records: readonly RecordJson[], name: string): Promise<void> {
    const event = records[0]!.headers?.event
    const title = event && records.every(({ headers }) => headers?.event === event) ? event : name
    const id = newId()
    study.openRecord(records[0]!)
    study.book = { id, name: title, place: 0 }
    for (const [place, record] of records.entries()) {
      if (!place) continue
      const tree = fromRecord(record)
      const one: StoredStudy = {
        version: 1, id: newId(), changedAt: Date.now(), tree, current: lineThrough(tree, ROOT).at(-1)!, source: null,
        name: record.headers?.name ?? '', book: { id, name: title, place },
      }
      await saved.keep(one.id!, one)
    }
    await chapters.look()
  }

  return { collection, all, open }
}
