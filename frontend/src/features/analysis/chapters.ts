import { defineStore } from 'pinia'
import { computed, ref, watch } from 'vue'
import { newId } from '@/backend'
import { newTree, ROOT } from '@/game/tree'
import { type StoredStudy, useSavedStudies } from './saved'
import { useStudy } from './study'

/** The chapters of the study that is open. */
export const useChapters = defineStore('chapters', () => {
  const study = useStudy()
  const saved = useSavedStudies()
  const kept = ref<StoredStudy[]>([])

  /** All chapters in their order, the open one as it is now; empty where there is one only. */
  const list = computed<{ id: string; name: string; place: number }[]>(() => {
    const { book } = study
    if (!book) return []
    const others = kept.value.filter((one) => one.book?.id === book.id && one.id !== study.id)
    return [...others.map((one) => ({ id: one.id!, name: one.name ?? '', place: one.book!.place })), { id: study.id, name: study.name, place: book.place }].sort(
      (a, b) => a.place - b.place,
    )
  })

  async function look(): Promise<void> {
    const { book } = study
    kept.value = book ? await saved.chapters(book.id) : []
  }
  watch([() => study.book?.id, () => study.id, () => saved.list], () => void look(), { immediate: true })

  const copy = (one: StoredStudy): StoredStudy => JSON.parse(JSON.stringify(one)) as StoredStudy

  /** The open study becomes one with chapters, if it is none yet. */
  function begin(): void {
    study.book ??= { id: newId(), name: '', place: 0 }
    study.change()
  }

  /** An empty board as a new last chapter. */
  async function add(): Promise<void> {
    begin()
    const book = { ...study.book!, place: Math.max(...list.value.map(({ place }) => place)) + 1 }
    await saved.keep(study.id, copy(study.state()))
    study.replace(newTree(study.doc.rules), ROOT, null, false)
    study.book = book
    study.change()
    await look()
  }

  /** Gives the study a name; the chapters that are not open are told. */
  async function rename(name: string): Promise<void> {
    if (!study.book) begin()
    study.book = { ...study.book!, name: name.trim().replace(/\s+/g, ' ') }
    study.change()
    for (const one of await saved.chapters(study.book.id)) {
      if (one.id !== study.id) await saved.keep(one.id!, { ...copy(one), book: { ...one.book!, name: study.book.name }, changedAt: Date.now() })
    }
    await look()
  }

  /** Exchanges a chapter with the one before it. */
  async function raise(id: string): Promise<void> {
    const place = list.value.findIndex((one) => one.id === id)
    const [above, below] = [list.value[place - 1], list.value[place]]
    if (!above || !below) return
    await put(above.id, below.place)
    await put(below.id, above.place)
    await look()
  }

  /** Takes a chapter out of the study, whose next one is then open; how that is undone. */
  async function remove(id: string): Promise<() => Promise<void>> {
    const place = list.value.findIndex((one) => one.id === id)
    const next = list.value[place + 1] ?? list.value[place - 1]
    if (id === study.id) {
      study.change()
      await saved.keep(id, copy(study.state()))
      if (next) await study.reopen(next.id)
    }
    const taken = (await saved.find((one) => one.id === id))!
    await saved.remove(id)
    await look()
    return async () => {
      await saved.keep(id, copy(taken))
      await look()
    }
  }

  async function put(id: string, place: number): Promise<void> {
    if (id === study.id) {
      study.book = { ...study.book!, place }
      return study.change()
    }
    const one = await saved.find((other) => other.id === id)
    if (one) await saved.keep(id, { ...copy(one), book: { ...one.book!, place }, changedAt: Date.now() })
  }

  return { list, add, rename, raise, remove, look }
})
