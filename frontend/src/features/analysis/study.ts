import { backend } from '@/backend'
import type { Color, Position } from '@/wire'
import { defineStore } from 'pinia'
import { computed, ref, watch } from 'vue'
import { cellOf } from '@/game/notation'
import { hasRulebook, refusedAt } from '@/game/legality'
import { fromGame, requestAt } from '@/game/place'
import { fromRecord, type RecordJson, toRecord } from '@/game/record'
import * as tree from '@/game/tree'

const KEY = 'wuzi.study'
const SAVE_MS = 400
const MOST_UNDO = 20

/** Where a study came from: a game of this server. */
export interface Source {
  game: string
  /** The colour of the only person who played. */
  mine?: Color | null
}

interface Stored {
  version: 1
  tree: tree.Tree
  current: number
  source: Source | null
}

function stored(): Stored | null {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Stored | null
    return found?.version === 1 && found.tree.nodes[found.current] ? found : null
  } catch {
    return null
  }
}

/** A game with variations and comments, and the place in it that is looked at. It survives a reload. */
export const useStudy = defineStore('study', () => {
  const before = stored()
  const doc = ref<tree.Tree>(before?.tree ?? tree.newTree({ size: 15, winLength: 5, rule: 'freestyle' }))
  const current = ref(before?.current ?? tree.ROOT)
  const source = ref<Source | null>(before?.source ?? null)
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
    [doc, current, source],
    () => {
      window.clearTimeout(timer)
      timer = window.setTimeout(save, SAVE_MS)
    },
    { deep: true },
  )

  function save(): void {
    window.clearTimeout(timer)
    const state: Stored = { version: 1, tree: doc.value, current: current.value, source: source.value }
    try {
      localStorage.setItem(KEY, JSON.stringify(state))
    } catch {
      // A full or forbidden store only means that a reload begins anew.
    }
  }

  async function look(): Promise<void> {
    const asked = key.value
    info.value = null
    try {
      const found = await backend.request('positions.look_at', { body: request.value })
      if (asked === key.value) info.value = found
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
    go(tree.addMove(doc.value, current.value, cell, toMove.value))
    return true
  }

  /** Adds a line of moves as a variation and goes to the end of it. */
  function insert(line: readonly number[]): void {
    go(tree.addLine(doc.value, current.value, line))
  }

  function remember(): void {
    const state: Stored = { version: 1, tree: doc.value, current: current.value, source: source.value }
    undone.value = [...undone.value, JSON.stringify(state)].slice(-MOST_UNDO)
  }

  function undo(): void {
    const last = undone.value.at(-1)
    if (!last) return
    undone.value = undone.value.slice(0, -1)
    const state = JSON.parse(last) as Stored
    show(state.tree, state.current, state.source)
  }

  function remove(id = current.value): void {
    if (id === tree.ROOT) return
    remember()
    const inside = tree.pathTo(doc.value, current.value).includes(id)
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
  }

  function score(id: number, found: tree.NodeScore): void {
    const known = doc.value.nodes[id]
    if (known) known.score = found
  }

  function show(next: tree.Tree, at: number, from: Source | null = null): void {
    doc.value = next
    current.value = at
    source.value = from
  }

  /** Replaces the study; the old one comes back with `undo`. */
  function replace(next: tree.Tree, at: number = tree.ROOT, from: Source | null = null): void {
    if (Object.keys(doc.value.nodes).length > 1 || doc.value.nodes[tree.ROOT]?.setup) remember()
    show(next, at, from)
  }

  function openRecord(record: RecordJson): void {
    const next = fromRecord(record)
    replace(next, tree.lineThrough(next, tree.ROOT).at(-1))
  }

  /** Takes a game's moves in, at its last one; one that is open already only grows. The engine that played it, if one did. */
  async function openGame(id: string): Promise<string | null> {
    const game = await backend.request('games.look', { id })
    const engine = game.seats.find((seat) => seat.engine)?.engine ?? null
    if (source.value?.game === id) {
      go(tree.addLine(doc.value, tree.ROOT, game.moves.map((move) => cellOf(move, game.rules.size))))
      return engine
    }
    const { tree: next, last } = fromGame(game)
    const before = game.ply - game.moves.length
    tree.pathTo(next, last).forEach((node, ply) => {
      const winrate = game.winrates[before + ply] ?? null
      if (winrate !== null) tree.at(next, node).score = { winrate, winIn: null, visits: 0, by: '' }
    })
    const name = (color: Color): string => game.seats.find((seat) => seat.color === color)?.name.en ?? ''
    next.players = { black: name('B'), white: name('W') }
    const people = game.seats.filter((seat) => seat.kind === 'human')
    replace(next, last, { game: id, mine: people.length === 1 ? people[0]!.color : null })
    return engine
  }

  function record(): RecordJson {
    return toRecord(doc.value)
  }

  return {
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
    openRecord,
    openGame,
    record,
    save,
  }
})
