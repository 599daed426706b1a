import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import { api, ApiError } from '@/backend/client'
import { GameSocket, type LinkState } from '@/backend/socket'
import type { Color, GameState, HintMove, LocalText, MoveInfo, RootInfo, ServerMessage } from '@/wire/types'
import { reviewApi } from '@/backend/review'
import { cellOf, formatCell } from '@/game/notation'
import { useCatalogue } from '@/backend/catalogue'
import { useNotices } from '@/ui/notices'
import { useSettings } from '@/features/settings/settings'

/** Why a point cannot be played, as a key below `refusal`. */
export type Refusal =
  | 'occupied'
  | 'notYourTurn'
  | 'viewing'
  | 'over'
  | 'wait'
  | 'paused'
  | 'choose'
  | 'readOnly'
  | 'overline'
  | 'double_four'
  | 'double_three'

export interface Hint {
  level: 1 | 2
  area: number[]
  move: number | null
  answer: HintMove | null
  /** What kind of move it is. */
  reason: LocalText | null
}

export interface SearchNews {
  ply: number
  root: RootInfo
  moves: MoveInfo[]
}

interface PendingMove {
  cell: number
  ply: number
  color: Color
  /** The server could not be reached; it is sent once the line is back. */
  queued: boolean
}

const OPENING_COLORS: Color[] = ['B', 'W', 'B']
const EXTRA_COLORS: Color[] = ['W', 'B']

/** The game on the screen. The server decides everything; this store shows it and passes wishes on. */
export const useGame = defineStore('game', () => {
  const notices = useNotices()
  const catalogue = useCatalogue()

  const game = shallowRef<GameState | null>(null)
  const status = ref<'loading' | 'ready' | 'missing' | 'failed'>('loading')
  const link = ref<LinkState>('connecting')
  const attempt = ref(0)
  const busy = ref(false)
  /** A hint takes a search: people may play on meanwhile. */
  const hinting = ref(false)
  const pending = ref<PendingMove | null>(null)
  /** Opening stones put down but not sent yet, and how many there are to be (0: none asked for). */
  const draft = ref<number[]>([])
  const extraStones = ref(0)
  const viewPly = ref<number | null>(null)
  const news = shallowRef<SearchNews | null>(null)
  const hint = shallowRef<Hint | null>(null)
  const refusal = shallowRef<{ cell: number; why: Refusal; nonce: number } | null>(null)
  /** A forbidden point clicked once; a second click plays it and loses. */
  const armed = ref<number | null>(null)
  const thinkingSinceMs = ref(0)
  /** When the newest state came: running clocks count from there. */
  const stateSinceMs = ref(0)
  /** A move that would be a bad mistake, held back until the person decides. */
  const warning = shallowRef<{ cell: number; ply: number; reason: LocalText } | null>(null)
  const checking = ref<number | null>(null)
  let socket: GameSocket | null = null
  let openId = ''
  let newsSeq = -1

  const size = computed(() => game.value?.rules.size ?? 15)
  const shownPly = computed(() => viewPly.value ?? game.value?.ply ?? 0)
  const live = computed(() => viewPly.value === null)
  const moveCells = computed(() => game.value?.moves.map((move) => cellOf(move, size.value)) ?? [])
  const actor = computed(() => (game.value ? game.value.seats[game.value.seatToAct] : undefined))
  /** The only human's seat; null when two people (or none) play. */
  const mySeat = computed(() => {
    const humans = game.value?.seats.map((seat, i) => (seat.kind === 'human' ? i : -1)).filter((i) => i >= 0) ?? []
    return humans.length === 1 ? humans[0]! : null
  })
  const myColor = computed<Color | null>(() =>
    game.value && mySeat.value !== null ? game.value.seats[mySeat.value]!.color : null,
  )
  const draftGoal = computed(() => (game.value?.phase === 'place_three' ? 3 : extraStones.value))
  const draftColors = computed(() => (game.value?.phase === 'place_three' ? OPENING_COLORS : EXTRA_COLORS))

  /** The stones as they are to be drawn: the viewed ply, plus stones on their way to the server. */
  const cells = computed<string[]>(() => {
    if (!game.value) return []
    const shown = game.value.cells.split('')
    for (const cell of moveCells.value.slice(shownPly.value)) shown[cell] = '.'
    if (!live.value) return shown
    draft.value.forEach((cell, i) => (shown[cell] = draftColors.value[i]!))
    const held = warning.value?.cell ?? checking.value
    if (held !== null && shown[held] === '.') shown[held] = game.value.toMove
    if (pending.value) shown[pending.value.cell] = pending.value.color
    return shown
  })

  /** The colour of the stone that a click would place now, or null when none may be placed. */
  const placing = computed<Color | null>(() => {
    if (!game.value || whyNot() !== null) return null
    if (game.value.phase === 'place_three' || extraStones.value === 2) return draftColors.value[draft.value.length] ?? null
    return game.value.toMove
  })

  /** Black's chance as best known for the shown position. */
  const winrate = computed<number | null>(() => {
    const state = game.value
    if (!state) return null
    if (live.value && state.outcome) return state.outcome.winner === null ? 0.5 : state.outcome.winner === 'B' ? 1 : 0
    if (live.value && news.value?.ply === state.ply && news.value.root.winrate !== null) return news.value.root.winrate
    if (live.value && state.winrate !== null) return state.winrate
    const upTo = state.winrates.slice(0, shownPly.value + 1)
    return upTo.findLast((value) => value !== null) ?? null
  })

  function whyNot(): Refusal | null {
    const state = game.value
    if (!state) return 'wait'
    if (!live.value) return 'viewing'
    if (state.phase === 'over') return 'over'
    if (catalogue.readOnly) return 'readOnly'
    if (pending.value || busy.value || warning.value || checking.value !== null) return 'wait'
    if (actor.value?.kind !== 'human') return state.paused ? 'paused' : 'notYourTurn'
    if (state.phase === 'choose_after_five') return 'choose'
    if (state.phase === 'choose' && extraStones.value === 0) return 'choose'
    if (draftGoal.value > 1 && draft.value.length >= draftGoal.value) return 'choose'
    return null
  }

  function refuse(cell: number, why: Refusal): void {
    refusal.value = { cell, why, nonce: (refusal.value?.nonce ?? 0) + 1 }
  }

  /** A point was picked on the board. */
  async function pick(cell: number): Promise<void> {
    const state = game.value
    const why = whyNot() ?? (cells.value[cell] !== '.' ? 'occupied' : null)
    if (!state || why) return refuse(cell, why ?? 'wait')
    if (draftGoal.value > 1) {
      draft.value = [...draft.value, cell]
      return
    }
    const forbidden = state.toMove === 'B' && state.forbidden.find((point) => cellOf(point.move, size.value) === cell)
    if (forbidden && armed.value !== cell) {
      armed.value = cell
      return refuse(cell, forbidden.kind)
    }
    refusal.value = null
    if (useSettings().values.blunderWarning && state.phase === 'play' && mySeat.value !== null) {
      if (await isBlunder(state, cell)) return
      if (game.value?.seq !== state.seq && game.value?.ply !== state.ply) return
    }
    pending.value = { cell, ply: state.ply, color: state.toMove, queued: false }
    await sendPending()
  }

  /** Asks the server about a move; true when it is held back. A server that cannot say lets it pass. */
  async function isBlunder(state: GameState, cell: number): Promise<boolean> {
    if (checking.value !== null) return true
    checking.value = cell
    try {
      const found = await reviewApi.check(openId, formatCell(cell, size.value), state.ply)
      if (!found.isBlunder || !found.reason) return false
      warning.value = { cell, ply: state.ply, reason: found.reason }
      return true
    } catch {
      return false
    } finally {
      checking.value = null
    }
  }

  /** After a warning: play the move all the same, or think again. */
  async function decide(playIt: boolean): Promise<void> {
    const held = warning.value
    warning.value = null
    const state = game.value
    if (!playIt || !held || !state || state.ply !== held.ply || whyNot() !== null) return
    pending.value = { cell: held.cell, ply: held.ply, color: state.toMove, queued: false }
    await sendPending()
  }

  async function sendPending(): Promise<void> {
    const move = pending.value
    if (!move || !game.value) return
    pending.value = { ...move, queued: false }
    try {
      apply(await api.play(openId, formatCell(move.cell, size.value), move.ply))
      pending.value = null
    } catch (error) {
      if (error instanceof ApiError && error.isNetwork) {
        pending.value = { ...move, queued: true }
        socket?.reconnectNow()
        return
      }
      pending.value = null
      await recover(error)
    }
  }

  /** Takes over a newer state of the open game; older ones (late answers) are dropped. */
  function apply(state: GameState): void {
    const before = game.value
    if (state.id !== openId || (before?.id === openId && state.seq < before.seq)) return
    game.value = state
    void api.keepGame(state)
    status.value = 'ready'
    stateSinceMs.value = performance.now()
    if (state.thinking) thinkingSinceMs.value = performance.now() - state.thinking.elapsed * 1000
    if (before && before.ply === state.ply && before.phase === state.phase) return resendQueued()
    hint.value = null
    warning.value = null
    armed.value = null
    draft.value = []
    extraStones.value = 0
    news.value = null
    newsSeq = -1
    if (pending.value && state.ply !== pending.value.ply) pending.value = null
    if (viewPly.value !== null && viewPly.value > state.ply) viewPly.value = null
    resendQueued()
  }

  function resendQueued(): void {
    if (pending.value?.queued && pending.value.ply === game.value?.ply) void sendPending()
  }

  function receive(message: ServerMessage): void {
    if (message.type === 'state') apply(message.game)
    else if (message.type === 'engineError') void refresh()
    else if (message.type === 'info' && message.gameId === openId && message.ply === game.value?.ply) {
      if (message.seq < newsSeq) return
      newsSeq = message.seq
      news.value = { ply: message.ply, root: message.rootInfo, moves: message.moveInfos }
    }
  }

  function onLink(state: LinkState, count: number): void {
    const wasLost = link.value === 'lost'
    link.value = state
    attempt.value = count
    // Without its stream the page still follows the game, one look per attempt.
    if (state === 'lost') void refresh()
    if (state === 'online' && wasLost) void Promise.all([refresh(), catalogue.checkHealth()])
  }

  /** Opens a game: fetches it and listens to it. */
  async function open(id: string): Promise<void> {
    close()
    openId = id
    status.value = 'loading'
    const exists = await refresh()
    if (openId === id && exists) socket = new GameSocket(id, { onMessage: receive, onLink })
  }

  /** Fetches the game as it is now; false when the server says that there is no such game. */
  async function refresh(): Promise<boolean> {
    const id = openId
    try {
      const state = await (game.value ? api.getGameNow(id) : api.getGame(id))
      if (openId === id) apply(state)
    } catch (error) {
      if (openId !== id) return true
      if (error instanceof ApiError && error.status === 404) {
        status.value = 'missing'
        socket?.close()
        return false
      }
      if (!game.value) status.value = 'failed'
    }
    return true
  }

  function close(): void {
    socket?.close()
    socket = null
    openId = ''
    newsSeq = -1
    game.value = null
    pending.value = null
    draft.value = []
    extraStones.value = 0
    viewPly.value = null
    news.value = null
    hint.value = null
    warning.value = null
    checking.value = null
    refusal.value = null
    armed.value = null
    link.value = 'connecting'
  }

  async function recover(error: unknown): Promise<void> {
    // Another click or another window was faster: simply show what is true now.
    if (!(error instanceof ApiError && error.code === 'ply_mismatch')) notices.failed(error)
    if (error instanceof ApiError && !error.isNetwork) await refresh()
  }

  /** Runs one request at a time; false when it failed (people have been told). */
  async function run(request: (id: string, state: GameState) => Promise<GameState>): Promise<boolean> {
    if (busy.value || !game.value) return false
    busy.value = true
    refusal.value = null
    try {
      apply(await request(openId, game.value))
      return true
    } catch (error) {
      await recover(error)
      return false
    } finally {
      busy.value = false
    }
  }

  function undo(): void {
    if (draft.value.length) draft.value = draft.value.slice(0, -1)
    else {
      viewPly.value = null
      pending.value = null
      void run((id) => api.undo(id))
    }
  }

  /** Opening phases: swap, keep, or the stones of the draft. */
  function choose(action: 'swap' | 'keep' | 'place'): Promise<boolean> {
    return run((id, state) => {
      const moves = draft.value.map((cell) => formatCell(cell, size.value))
      return api.act(id, action, state.ply, action === 'place' ? moves : undefined)
    })
  }

  /** In the choosing phase: go on by placing one stone (keeping White) or two (leaving the choice). */
  function startExtra(stones: 0 | 1 | 2): void {
    draft.value = []
    extraStones.value = stones
  }

  /** First the neighbourhood, then the move with its reason. */
  async function askHint(): Promise<void> {
    const level = hint.value ? 2 : 1
    if (hinting.value || !game.value || hint.value?.level === 2) return
    const { ply } = game.value
    hinting.value = true
    refusal.value = null
    try {
      if (level === 1) {
        const { area, reason } = await api.hintArea(openId)
        if (game.value?.ply === ply) hint.value = { level, area: area.map(toCell), move: null, answer: null, reason: reason ?? null }
      } else {
        const answer = await api.hintMove(openId)
        if (game.value?.ply === ply) {
          hint.value = { level, area: hint.value?.area ?? [], move: toCell(answer.move), answer, reason: answer.reason }
        }
      }
    } catch (error) {
      await recover(error)
    } finally {
      hinting.value = false
    }
  }

  function toCell(move: string): number {
    return cellOf(move, size.value)
  }

  /** Shows the position after `ply` stones; the game itself goes on. */
  function view(ply: number): void {
    const last = game.value?.ply ?? 0
    const wanted = Math.max(0, Math.min(last, ply))
    viewPly.value = wanted === last ? null : wanted
    refusal.value = null
  }

  return {
    game, status, link, attempt, busy, hinting, pending, draft, extraStones, viewPly, news, hint, refusal, armed, thinkingSinceMs, stateSinceMs, warning, checking,
    size, shownPly, live, moveCells, actor, mySeat, myColor, draftGoal, draftColors, cells, placing, winrate,
    pick, open, close, refresh, receive, run, undo, choose, startExtra, askHint, view, decide,
    reconnect: () => socket?.reconnectNow(),
  }
})
