import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { defineComponent, h, ref } from 'vue'
import AnalysisView from '@/features/analysis/AnalysisView.vue'
import { useSavedStudies } from '@/features/analysis/saved'
import ChapterList from '@/features/analysis/ChapterList.vue'
import SavedStudies from '@/features/analysis/SavedStudies.vue'
import { useStudy } from '@/features/analysis/study'
import ImportBox from '@/features/home/ImportBox.vue'
import { fromLink } from '@/game/place'
import { rulebook } from '@/game/legality'
import { arrowsAt, clearMarks, hasMarks, marksAt, toggleArrow, toggleMark } from '@/features/analysis/nodeMarks'
import { addLine, at, newTree, raise, ROOT } from '@/game/tree'
import { useChapters } from '@/features/analysis/chapters'
import { useCollection } from '@/features/analysis/collection'
import { cellOf } from '@/game/notation'
import type { RecordJson } from '@/game/record'
import BaseDialog from '@/ui/BaseDialog.vue'
import { useCatalogue } from '@/backend/catalogue'
import { useNotices } from '@/ui/notices'
import ToastHost from '@/ui/ToastHost.vue'
import { FakeServer, makeGame } from './fakeServer'
import { mountPage } from './mountPage'

let server: FakeServer
let mounted: VueWrapper | null = null

// It is loaded when it is opened first, which takes a while here.
beforeAll(() => import('@/features/analysis/StudyDialog.vue'))
beforeEach(async () => {
  localStorage.clear()
  server = new FakeServer()
  await rulebook()
  setActivePinia(createPinia())
})
afterEach(() => {
  mounted?.unmount()
  mounted = null
  document.body.innerHTML = ''
})

const link = (code: string) => fromLink(code, {})!
const h8 = cellOf('h8', 15)

/** A present analysis with a comment, and another one that has been opened by a link. */
async function twoStudies() {
  const study = useStudy()
  study.play(h8)
  study.comment('a plan')
  const first = study.id
  study.replace(link('a1b1').tree, link('a1b1').last)
  await flushPromises()
  return { study, first }
}

describe('an analysis that makes way for another one', () => {
  it('is kept with its comments, which is said, and opened again', async () => {
    const { study, first } = await twoStudies()
    expect(study.moves).toEqual([cellOf('a1', 15), cellOf('b1', 15)])
    expect(useSavedStudies().list.map((one) => one.id)).toEqual([first])
    const [notice] = useNotices().list
    expect(notice!.key).toBe('study.kept')
    notice!.action!.run()
    await flushPromises()
    expect([study.id, study.moves, study.node.comment]).toEqual([first, [h8], 'a plan'])
  })

  it('goes on in its own place of the list', async () => {
    const { study, first } = await twoStudies()
    await study.reopen(first)
    study.comment('a better plan')
    study.replace(newTree({ size: 9, winLength: 5, rule: 'freestyle' }))
    await flushPromises()
    const { list } = useSavedStudies()
    expect(list.map(({ data }) => data.tree.nodes[1]!.comment)).toEqual(['a better plan'])
  })

  it('is not kept where it is as a link showed it, unless somebody begins an empty one', async () => {
    const study = useStudy()
    study.replace(link('h8').tree, link('h8').last)
    study.replace(link('a1').tree, link('a1').last)
    await flushPromises()
    expect(useSavedStudies().list).toEqual([])
    study.begin(newTree(study.doc.rules))
    await flushPromises()
    expect(useSavedStudies().list).toHaveLength(1)
  })

  it('of a game is the one that "Analyse" opens again', async () => {
    server.put(makeGame({ moves: ['h8'] }))
    const study = useStudy()
    await study.openGame('game1')
    study.comment('why here?')
    study.replace(link('a1').tree, link('a1').last)
    await flushPromises()
    server.put(makeGame({ moves: ['h8', 'i9'] }))
    await study.openGame('game1')
    expect(study.moves).toEqual([h8, cellOf('i9', 15)])
    study.step(-1)
    expect(study.node.comment).toBe('why here?')
  })

  it('is not overwritten by that of another tab, either', async () => {
    const here = useStudy()
    here.play(h8)
    here.save()
    setActivePinia(createPinia())
    const there = useStudy()
    there.replace(link('a1').tree, link('a1').last)
    here.comment('written meanwhile')
    here.save()
    there.save()
    await flushPromises()
    await useSavedStudies().load()
    const kept = useSavedStudies().list.find((one) => one.id === here.id)
    expect(Object.values(kept!.data.tree.nodes).map((node) => node.comment)).toContain('written meanwhile')
  })

  it('stands in the list, from where it can be removed, put back and opened', async () => {
    const { page } = await mountPage(SavedStudies)
    mounted = page
    const study = useStudy()
    study.play(h8)
    const { id } = study
    const made = study.moves.length
    study.begin(newTree(study.doc.rules))
    await flushPromises()
    expect(study.moves).toEqual([])
    expect(page.get('[data-test="saved-study"]').text()).toContain(`${made} move`)
    await page.get('[data-test="remove-study"]').trigger('click')
    await flushPromises()
    expect(page.find('[data-test="saved-study"]').exists()).toBe(false)
    useNotices().list.find((one) => one.key === 'study.saved.removed')!.action!.run()
    await flushPromises()
    await page.get('[data-test="saved-study"]').trigger('click')
    expect(page.emitted('open')).toEqual([[id]])
  })
})

describe('a game file on the first page', () => {
  const record = (nodes: object[]): RecordJson => ({ format: 'wuzi-record', version: 1, rules: { size: 9, win_length: 5, rule: 'freestyle' }, nodes: [{}, ...nodes] as never })
  const plain = [{ parent: 0, move: 'e5', color: 'black' }, { parent: 1, move: 'e6', color: 'white' }]

  async function opened(nodes: object[]) {
    server.record = record(nodes)
    const { page, router } = await mountPage(ImportBox)
    mounted = page
    await page.get('textarea').setValue('(;…)')
    await page.get('[data-test="record-open"]').trigger('click')
    await flushPromises()
    await vi.waitFor(() => expect(router.currentRoute.value.name === 'home' && !page.find('[role="alert"]').exists()).toBe(false), 20_000)
    return { page, route: router.currentRoute.value }
  }

  it('becomes a game', async () => {
    expect((await opened(plain)).route.name).toBe('play')
  })

  it.each([
    ['variations', [...plain, { parent: 1, move: 'd4', color: 'white' }]],
    ['comments', [{ ...plain[0], comment: 'the centre' }, plain[1]!]],
  ])('with %s becomes an analysis with all of it', async (_, nodes) => {
    const { route } = await opened(nodes)
    expect(route.name).toBe('analysis')
    const all = Object.values(useStudy().doc.nodes)
    expect(all.map((one) => one.comment).join('')).toBe(nodes.map((one) => (one as { comment?: string }).comment ?? '').join(''))
    expect(all).toHaveLength(nodes.length + 1)
  })

  it('of which a part was left out says so', async () => {
    server.warnings = ['2 move(s) after the end of the game at move 9 were left out', 'RU is missing: read as freestyle']
    await opened(plain)
    expect(useNotices().list.filter(({ key }) => key === 'share.readerSays').map(({ params }) => params)).toEqual([{ detail: server.warnings[0] }])
  })

  it('that cannot be read says so where it was pasted, until that changes', async () => {
    server.refuse = { code: 'bad_record', status: 422, detail: 'it begins garbage' }
    const { page } = await opened([])
    expect(page.get('[role="alert"]').text()).toContain('it begins garbage')
    expect(page.get('textarea').attributes('aria-invalid')).toBe('true')
    await page.get('textarea').setValue('h8')
    expect(page.find('[role="alert"]').exists()).toBe(false)
  })
})

describe('a message while a dialog is open', () => {
  it('stands in the dialog, where it can be seen and pressed', async () => {
    const open = ref(true)
    const Both = defineComponent(() => () => [h(BaseDialog, { open: open.value, 'onUpdate:open': (to: boolean) => void (open.value = to), title: 'One' }), h(ToastHost)])
    const { page } = await mountPage(Both)
    mounted = page
    useNotices().info('notice.copied')
    await vi.waitFor(() => expect(document.querySelector('dialog [data-test="toast"]')).not.toBeNull())
    open.value = false
    await vi.waitFor(() => expect(document.querySelector('dialog [data-test="toast"]')).toBeNull())
    expect(document.querySelector('[data-test="toast"]')).not.toBeNull()
  })
})

describe('a finished position', () => {
  it.each([
    ['en', 'a1e5a3e6a5e7c2e8a7e9', '0%', 'The game is over here'],
    ['zh-CN', 'a1b1a2b2a3b3a4b4a5', '100%', '对局已结束'],
  ] as const)('in %s has its result in bar and tree, and nothing to be begun', async (locale, code, rate, text) => {
    const { page } = await mountPage(AnalysisView, {}, { path: `/analysis/${code}?size=9`, locale })
    mounted = page
    await useCatalogue().load()
    await vi.waitFor(() => expect(page.get('.bar').text()).toContain(rate))
    expect(page.get('[data-test="tree-current"]').text()).toContain(rate)
    expect(page.text()).toContain(text)
    expect(page.text()).not.toContain(locale === 'en' ? 'Start the analysis' : '开始分析后')
  })
})

describe('the link of a position', () => {
  it.each([
    ['a1b1', {}, true],
    ['-', {}, false],
    ['a1', { black: 'h8', toMove: 'W' }, false],
  ])('%s %j: has a code: %s', async (code, query, has) => {
    const { page } = await mountPage(AnalysisView, {}, { path: '/analysis' })
    mounted = page
    // The page's own store: an action of the page before, which ends late, makes its store the current one.
    const study = useStudy(page.vm.$pinia)
    const found = fromLink(code, query)!
    study.replace(found.tree, found.last)
    await vi.waitFor(() => expect(study.doc).toEqual(found.tree))
    await page.get('[data-test="study-share"]').trigger('click')
    await vi.waitFor(() => page.get('dialog input[readonly]'))
    await vi.waitFor(() => expect(page.find('dialog .code').exists()).toBe(has))
  })
})

it('opens the board that an address tells, also without moves', async () => {
  const { page } = await mountPage(AnalysisView, {}, { path: '/analysis?size=9&rule=standard' })
  mounted = page
  const study = useStudy(page.vm.$pinia)
  await vi.waitFor(() => expect(study.doc.rules).toEqual({ size: 9, winLength: 5, rule: 'standard' }))
})

describe('what the server says of an error', () => {
  it('is shown as its own words on the Chinese page', async () => {
    const { page } = await mountPage(ImportBox, {}, { locale: 'zh-CN' })
    mounted = page
    server.refuse = { code: 'bad_record', status: 422, detail: 'it begins garbage' }
    await page.get('textarea').setValue('garbage')
    await page.get('[data-test="record-open"]').trigger('click')
    await flushPromises()
    expect(page.get('[role="alert"]').text()).toBe('无法读取这份棋谱：（英文原文）it begins garbage')
  })
})

describe('the keys of a screen', () => {
  it('rest while a dialog is open, also where nothing in it has the focus', async () => {
    const { page } = await mountPage(AnalysisView, {}, { path: '/analysis' })
    mounted = page
    await page.get('[data-test="study-share"]').trigger('click')
    await flushPromises()
    const escape = new KeyboardEvent('keydown', { key: 'Escape', cancelable: true, bubbles: true })
    document.body.dispatchEvent(escape)
    expect(escape.defaultPrevented).toBe(false)
  })
})

describe('marks of a position', () => {
  const size = 9
  const node = () => at(newTree({ size, winLength: 5, rule: 'freestyle' }), ROOT)

  it('are one a cell, go at a second click, and letters follow each other', () => {
    const one = node()
    toggleMark(one, size, 'circle', 40)
    toggleMark(one, size, 'square', 40)
    for (const cell of [0, 1, 2]) toggleMark(one, size, 'label', cell)
    toggleMark(one, size, 'label', 1)
    toggleMark(one, size, 'label', 3)
    expect(marksAt(one, size)).toEqual([
      { kind: 'square', cell: 40, text: '' },
      { kind: 'label', cell: 0, text: 'A' },
      { kind: 'label', cell: 2, text: 'C' },
      { kind: 'label', cell: 3, text: 'B' },
    ])
  })

  it('have arrows that travel as the property of SGF, beside what else a file had', () => {
    const one = node()
    one.extra.properties = { XX: ['kept'] }
    toggleArrow(one, size, 0, 80)
    expect(one.extra.properties).toEqual({ XX: ['kept'], AR: ['aa:ii'] })
    expect(arrowsAt(one, size)).toEqual([{ from: 0, to: 80 }])
    toggleMark(one, size, 'cross', 3)
    expect(hasMarks(one)).toBe(true)
    clearMarks(one)
    expect([hasMarks(one), one.extra]).toEqual([false, { properties: { XX: ['kept'] } }])
    one.extra.properties = { AR: ['aa:zz', 'nonsense', 'bb:cc'] }
    expect(arrowsAt(one, size)).toEqual([{ from: 10, to: 20 }])
  })

  it('are undone like any edit', () => {
    const study = useStudy()
    study.mark('circle', h8)
    study.arrow(h8, h8 + 1)
    expect(hasMarks(study.node)).toBe(true)
    study.undo()
    expect([marksAt(study.node, 15).length, arrowsAt(study.node, 15)]).toEqual([1, []])
    study.undo()
    expect(hasMarks(study.node)).toBe(false)
  })
})

describe('a variation', () => {
  it('moves up one place at a time, wherever it is', () => {
    const tree = newTree({ size: 9, winLength: 5, rule: 'freestyle' })
    const [a, b, c] = [0, 1, 2].map((cell) => addLine(tree, ROOT, [cell])) as [number, number, number]
    const deep = addLine(tree, c, [10, 11])
    expect([raise(tree, deep), at(tree, ROOT).children]).toEqual([true, [a, c, b]])
    expect([raise(tree, deep), at(tree, ROOT).children]).toEqual([true, [c, a, b]])
    expect(raise(tree, deep)).toBe(false)
  })
})

describe('a study with chapters', () => {
  it('takes what is opened or set up into an empty chapter, and nothing into one with moves', async () => {
    const [study, chapters] = [useStudy(), useChapters()]
    study.play(h8)
    await chapters.add()
    const { id, book } = study
    study.openRecord({ format: 'wuzi-record', version: 1, rules: { size: 15, win_length: 5, rule: 'freestyle' }, moves: ['a1', 'b1'], headers: { name: 'From a file' } })
    expect([study.id, study.book, study.name, study.moves.length]).toEqual([id, book, 'From a file', 2])
    study.begin(newTree({ size: 15, winLength: 5, rule: 'freestyle' }))
    expect([study.id === id, study.book]).toEqual([false, null])
    await flushPromises()
    expect(useSavedStudies().list.map((one) => one.id)).toContain(id)
  })

  it('keeps each of them, in order and by name, over another study and a reload', async () => {
    const [study, chapters] = [useStudy(), useChapters()]
    study.play(h8)
    study.rename('The  centre')
    await chapters.add()
    study.play(0)
    study.rename('The corner')
    await chapters.rename('Two points')
    await flushPromises()
    expect(chapters.list.map(({ name }) => name)).toEqual(['The centre', 'The corner'])
    const [first, second] = chapters.list.map(({ id }) => id) as [string, string]
    await study.reopen(first)
    expect([study.moves, study.name, study.book]).toEqual([[h8], 'The centre', { id: study.book!.id, name: 'Two points', place: 0 }])
    expect(useNotices().list).toEqual([])
    await flushPromises()
    await chapters.raise(second)
    expect(chapters.list.map(({ id }) => id)).toEqual([second, first])

    study.replace(newTree({ size: 9, winLength: 5, rule: 'freestyle' }))
    await flushPromises()
    expect([study.name, study.book, chapters.list]).toEqual(['', null, []])
    await study.reopen(second)
    study.save()
    setActivePinia(createPinia())
    const again = useStudy()
    expect([again.id, again.name, again.book!.name, again.moves]).toEqual([second, 'The corner', 'Two points', [0]])
  })

  it('loses a chapter and gets it back', async () => {
    const [study, chapters] = [useStudy(), useChapters()]
    study.play(h8)
    study.rename('One')
    await chapters.add()
    study.play(0)
    study.rename('Two')
    await flushPromises()
    const [first, second] = chapters.list.map(({ id }) => id) as [string, string]
    const undo = await chapters.remove(second)
    await flushPromises()
    expect([study.id, study.moves, chapters.list.map(({ name }) => name)]).toEqual([first, [h8], ['One']])
    await undo()
    await flushPromises()
    expect(chapters.list.map(({ name }) => name)).toEqual(['One', 'Two'])
    await chapters.remove(first)
    await flushPromises()
    expect([study.id, study.moves, chapters.list.map(({ name }) => name)]).toEqual([second, [0], ['Two']])
  })

  it('is one row of what is kept, removed and put back with all chapters', async () => {
    const { page } = await mountPage(SavedStudies)
    mounted = page
    const [study, chapters] = [useStudy(), useChapters()]
    study.play(h8)
    await chapters.add()
    study.play(0)
    await chapters.rename('Two points')
    study.begin(newTree(study.doc.rules))
    await flushPromises()
    expect(page.findAll('[data-test="saved-study"]').map((row) => row.text())).toEqual([expect.stringMatching(/Two points.*2 chapters/)])
    await page.get('[data-test="remove-study"]').trigger('click')
    await flushPromises()
    expect(useSavedStudies().list).toEqual([])
    useNotices().list.find((one) => one.key === 'study.saved.removed')!.action!.run()
    await vi.waitFor(() => expect(useSavedStudies().list).toHaveLength(2))
  })

  it('keeps what is typed while the list of chapters is loaded again', async () => {
    const { page } = await mountPage(ChapterList)
    mounted = page
    const chapters = useChapters()
    await chapters.add()
    await flushPromises()
    await page.get<HTMLInputElement>('[data-test="study-name"]').setValue('Both')
    const field = page.get<HTMLInputElement>('[data-test="chapter-name"]')
    field.element.value = 'Two'
    await field.trigger('input')
    await page.get('[data-test="study-name"]').trigger('change')
    await flushPromises()
    expect(field.element.value).toBe('Two')
    await field.trigger('change')
    await flushPromises()
    expect([useStudy().book!.name, useStudy().name]).toEqual(['Both', 'Two'])
  })

  it('goes into one collection and comes back as it was', async () => {
    const [study, chapters] = [useStudy(), useChapters()]
    study.play(h8)
    study.rename('One')
    await chapters.add()
    study.rename('Two')
    await chapters.rename('Both')
    const records = [{ ...study.record() }, study.record()].map((record, i) => ({ ...record, headers: { ...record.headers, name: `N${i}` } }))
    expect(records[0]!.headers).toEqual({ name: 'N0', event: 'Both' })
    study.replace(newTree({ size: 9, winLength: 5, rule: 'freestyle' }))
    await useCollection().open(records, 'file')
    expect([study.book!.name, chapters.list.map(({ name }) => name)]).toEqual(['Both', ['N0', 'N1']])
  })
})
