import { backend, newId } from '@/backend'
import type { Color, Position } from '@/wire'
import { defineStore } from 'pinia'
import { computed, ref, watch } from 'vue'
import { cellOf } from '@/game/notation'
import { hasRulebook, refusedAt } from '@/game/legality'
import { fromGame, requestAt } from '@/game/place'
import { fromRecord, type RecordJson, toRecord } from '@/game/record'
import * as tree from '@/game/tree'
import { OFFERED_MS, useNotices } from '@/ui/notices'
import { clearMarks, type Shape, toggleArrow, toggleMark } from '@/features/analysis/nodeMarks'
import { type Book, isWorthKeeping, type Source, type StoredStudy, useSavedStudies } from './saved'

const KEY = 'wuzi.study'
const SAVE_MS = 400
const MOST_UNDO = 20

function stored(): StoredStudy | null {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? 'null') as StoredStudy | null
    return found?.version === 1 && found.tree.nodes[found.current] ? found : null
  } catch {
    return null
  }
}

/** Black's share of a game that has ended. */
const shareOf = (winner: Color | null): number => (winner === null ? 0.5 : Number(winner === 'B'))

/** A study as a game file, under its name and that of the study that it is a chapter of. */
export function recordOf({ tree: doc, name, book }: StoredStudy): RecordJson {
  const record = toRecord(doc)
  const headers = { ...record.headers, ...(name && { name }), ...(book?.name && { event: book.name }) }
  return Object.keys(headers).length ? { ...record, headers } : record
}

/** A game with variations and comments, and the place in it that is looked at. It survives a reload. */
export const useStudy = defineStore('study', () => {
  const notices = useNotices()
  const saved = useSavedStudies()
  const before = stored()
  const id = ref(before?.id ?? newId())
  /** When something was changed here; undefined where the study is as it came. One of an earlier wuzi does not say. */
  const changedAt = ref(before && !before.id ? Date.now() : before?.changedAt)
  const doc = ref<tree.Tree>(before?.tree ?? tree.newTree({ size: 15, winLength: 5, rule: 'freestyle' }))
  const current = ref(before?.current ?? tree.ROOT)
  const source = ref<Source | null>(before?.source ?? null)
  const name = ref(before?.name ?? '')
  const book = ref<Book | null>(before?.book ?? null)
  /** What the server says of the position: its end, its forbidden points. Null until it has answered. */
  const info = ref<Position | null>(null)
  const undone = ref<string[]>([])

  const node = computed(() => tree.at(doc.value, current.value))
  const path = computed(() => tree.pathTo(doc.value, current.value))
  const line = computed(() => tree.lineThrough(doc.value, current.value))
  const cells = computed(() => tree.cellsAt(doc.value, current.value))
  const moves = computed(() => tree.movesAt(doc.value, current.value))
  const toMove = computed<Color>(() => tree.toMoveAt(doc.value, current.value))
  const request = computed(() => requestAt(doc.value, current.value))
  /** The same text for the same position: what an answer belongs to. */
  const key = computed(() => JSON.stringify(request.value))
  const isOver = computed(() => Boolean(info.value?.outcome))
  const canUndo = computed(() => undone.value.length > 0)

  watch(key, () => void look(), { immediate: true })

  let timer = 0
  watch(
    [doc, current, source, name, book],
    () => {
      window.clearTimeout(timer)
      timer = window.setTimeout(save, SAVE_MS)
    },
    { deep: true },
  )

  function state(): StoredStudy {
    const changed = changedAt.value === undefined ? {} : { changedAt: changedAt.value }
    return { version: 1, id: id.value, ...changed, tree: doc.value, current: current.value, source: source.value, ...(name.value && { name: name.value }), ...(book.value && { book: book.value }) }
  }

  function change(): void {
    changedAt.value = Date.now()
  }

  /** Keeps the study for a reload. One that another tab has put there is put away, not overwritten. */
  function save(): void {
    window.clearTimeout(timer)
    const there = stored()
    if (there?.id && there.id !== id.value) void putAway(there)
    try {
      localStorage.setItem(KEY, JSON.stringify(state()))
    } catch {
      // A full or forbidden store only means that a reload begins anew.
    }
  }

  /** Puts a study into the list of those that are kept, if somebody has changed something in it; its id, or null. */
  async function putAway(study: StoredStudy): Promise<string | null> {
    if (!study.id || study.changedAt === undefined || !isWorthKeeping(study)) return null
    const copy = JSON.parse(JSON.stringify(study)) as StoredStudy
    await saved.keep(study.id, copy)
    return study.id
  }

  async function look(): Promise<void> {
    const asked = key.value
    info.value = null
    try {
      const found = await backend.request('positions.look_at', { body: request.value })
      if (asked !== key.value) return
      info.value = found
      // A position that is over needs no search: its chance is the result.
      if (found.outcome) node.value.score = { winrate: shareOf(found.outcome.winner), winIn: null, visits: 0, by: '' }
    } catch {
      // Without an answer the board shows the stones alone; an analysis says what is wrong.
    }
  }

  function go(id: number): void {
    if (doc.value.nodes[id]) current.value = id
  }

  /** Steps along the line, forwards or backwards, as far as it goes. */
  function step(by: number): void {
    const here = path.value.length - 1
    go(line.value[Math.min(line.value.length - 1, Math.max(0, here + by))]!)
  }

  function variation(by: 1 | -1): void {
    go(tree.sibling(doc.value, current.value, by))
  }

  /** Why no stone may be placed on a point, or null. */
  const refusal = (cell: number): ReturnType<typeof refusedAt> => refusedAt(doc.value.rules, cells.value, toMove.value, cell)

  /** Places a stone of the side to move; a new one starts a variation. False where the rule book refuses it. */
  function play(cell: number): boolean {
    if (!hasRulebook() || refusal(cell)) return false
    insert([cell])
    return true
  }

  /** Adds a line of moves as a variation and goes to the end of it. */
  function insert(line: readonly number[]): void {
    const { next } = doc.value
    go(tree.addLine(doc.value, current.value, line))
    if (doc.value.next !== next) change()
  }

  function remember(): void {
    undone.value = [...undone.value, JSON.stringify(state())].slice(-MOST_UNDO)
    change()
  }

  function undo(): void {
    const last = undone.value.at(-1)
    if (!last) return
    undone.value = undone.value.slice(0, -1)
    const before = JSON.parse(last) as StoredStudy
    show(before.tree, before.current, before.source)
    change()
  }

  function remove(id = current.value): void {
    if (id === tree.ROOT) return
    remember()
    const inside = tree.pathTo(doc.value, current.value).includes(id)
    if (tree.subtree(doc.value, id).length > 1) notices.offer('analysis.removed', 'analysis.undoEdit', undo, OFFERED_MS)
    const parent = tree.removeNode(doc.value, id)
    if (inside) current.value = parent
  }

  function promote(id = current.value): boolean {
    if (tree.variationStart(doc.value, id) === null) return false
    remember()
    return tree.promote(doc.value, id)
  }

  function comment(text: string): void {
    node.value.comment = text
    change()
  }

  function rename(text: string): void {
    name.value = text.trim().replace(/\s+/g, ' ')
    change()
  }

  /** Draws a shape on the position, or takes it away. */
  function mark(shape: Shape, cell: number): void {
    remember()
    toggleMark(node.value, doc.value.rules.size, shape, cell)
  }

  function arrow(from: number, to: number): void {
    remember()
    toggleArrow(node.value, doc.value.rules.size, from, to)
  }

  function unmark(): void {
    remember()
    clearMarks(node.value)
  }

  function raise(id = current.value): boolean {
    if (tree.variationStart(doc.value, id) === null) return false
    remember()
    return tree.raise(doc.value, id)
  }

  function score(id: number, found: tree.NodeScore): void {
    const known = doc.value.nodes[id]
    if (!known) return
    known.score = found
    change()
  }

  function show(next: tree.Tree, at: number, from: Source | null = null): void {
    doc.value = next
    current.value = at
    source.value = from
  }

  /** Begins another study. The one before is put into the list of those that are kept, and that is said. */
  function replace(next: tree.Tree, at: number = tree.ROOT, from: Source | null = null, isSaid = true): void {
    void putAway(state()).then((kept) => {
      if (kept && isSaid) notices.offer('study.kept', 'study.reopen', () => void reopen(kept), OFFERED_MS)
    })
    id.value = newId()
    changedAt.value = undefined
    undone.value = []
    name.value = ''
    book.value = null
    show(next, at, from)
  }

  /** Opens a study of the list; it goes on under its own name there. */
  async function reopen(wanted: string): Promise<boolean> {
    if (wanted === id.value) return true
    const found = await saved.find((one) => one.id === wanted)
    if (!found) return false
    const { tree: next, current: at, source: from, changedAt: changed, name: called = '', book: within = null } = JSON.parse(JSON.stringify(found)) as StoredStudy
    // Between the chapters of a study nothing is lost from sight.
    replace(next, at, from, !within || within.id !== book.value?.id)
    name.value = called
    book.value = within
    id.value = wanted
    changedAt.value = changed
    return true
  }

  /** Shows what belongs into the chapter that is open where that is empty; else it is a study of its own. */
  function fill(next: tree.Tree, at: number = tree.ROOT): void {
    const [chapter, within, called] = [id.value, book.value, name.value]
    const isEmpty = within !== null && !isWorthKeeping({ ...state(), name: '', book: null })
    replace(next, at, null, !isEmpty)
    if (isEmpty) [id.value, book.value, name.value] = [chapter, within, called]
  }

  /** Opens a game file. It need not be anywhere else, so it is kept as if it had been changed here, until that is taken back. */
  function openRecord(record: RecordJson): () => void {
    const next = fromRecord(record)
    fill(next, tree.lineThrough(next, tree.ROOT).at(-1))
    name.value ||= next.about?.headers.name ?? ''
    change()
    const opened = [id.value, changedAt.value]
    return () => {
      if (id.value === opened[0] && changedAt.value === opened[1]) changedAt.value = undefined
    }
  }

  /** Begins a study of a board that was set up by hand; an empty one is nothing to keep. */
  function begin(next: tree.Tree): void {
    // What came by a link and is as it came is kept too: nobody goes elsewhere, where it could be opened again.
    changedAt.value ??= Date.now()
    fill(next)
    change()
  }

  /** Goes on with the study of a game or a review, if one is open or kept; false where none is. */
  async function resume(isIt: (from: Source) => boolean): Promise<boolean> {
    const isOpen = (): boolean => source.value !== null && isIt(source.value)
    const earlier = isOpen() ? undefined : await saved.find((one) => one.source !== null && isIt(one.source))
    if (earlier?.id) await reopen(earlier.id)
    return isOpen()
  }

  /** Opens the study of a review after these moves. One in which somebody has changed something is the one that is opened again. */
  async function openReview(review: string, title: string, fresh: () => tree.Tree, moves: readonly number[]): Promise<void> {
    if (!(await resume((from) => from.review === review)) || changedAt.value === undefined) {
      replace(fresh(), tree.ROOT, { review })
      name.value = title
    }
    go(tree.ROOT)
    insert(moves)
  }

  /** Takes a game's moves in, at its last one, with Black's chances as they were `judged`, or as its players saw them; one that is open already only grows. The engine that played it, if one did. */
  async function openGame(gameId: string, judged?: readonly (number | null)[]): Promise<string | null> {
    const game = await backend.request('games.look', { id: gameId })
    const engine = game.seats.find((seat) => seat.engine)?.engine ?? null
    if (await resume((from) => from.game === gameId)) {
      go(tree.addLine(doc.value, tree.ROOT, game.moves.map((move) => cellOf(move, game.rules.size))))
      return engine
    }
    const { tree: next, last } = fromGame(game)
    const rates = judged?.length ? judged : game.winrates.slice(game.ply - game.moves.length)
    tree.pathTo(next, last).forEach((node, ply) => {
      const winrate = rates[ply] ?? null
      if (winrate !== null) tree.at(next, node).score = { winrate, winIn: null, visits: 0, by: '' }
    })
    const name = (color: Color): string => game.seats.find((seat) => seat.color === color)?.name.en ?? ''
    next.players = { black: name('B'), white: name('W') }
    const people = game.seats.filter((seat) => seat.kind === 'human')
    replace(next, last, { game: gameId, mine: people.length === 1 ? people[0]!.color : null })
    return engine
  }

  function record(): RecordJson {
    return recordOf(state())
  }

  return {
    id,
    name,
    book,
    rename,
    mark,
    arrow,
    unmark,
    raise,
    change,
    state,
    doc,
    current,
    source,
    info,
    node,
    path,
    line,
    cells,
    moves,
    toMove,
    request,
    key,
    isOver,
    canUndo,
    go,
    step,
    variation,
    refusal,
    play,
    insert,
    undo,
    remove,
    promote,
    comment,
    score,
    replace,
    reopen,
    begin,
    openRecord,
    openGame,
    openReview,
    record,
    save,
  }
})
