import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { backend } from '@/backend'
import { useCatalogue } from '@/backend/catalogue'
import { useSettings } from '@/features/settings/settings'
import { FORBIDDEN_TO } from '@/game/facts'
import { hasRulebook, positionAfter, refusedAt, rulebook } from '@/game/legality'
import { cellOf, formatCell } from '@/game/notation'
import { endedByStone } from '@/game/rules'
import type { Color, ForbiddenName, GameState } from '@/wire'
import { useWinAlarm } from './winAlarm'
import { useBlunderGuard } from './blunderGuard'
import { useCursor } from './cursor'
import { useEvaluation } from './evaluation'
import { useHint } from './hint'
import { useOpeningDraft } from './openingDraft'
import { useOutbox } from './outbox'
import { useSession } from './session'

/** Why a point cannot be played, as a key below `refusal`. */
export type Refusal = 'occupied' | 'notYourTurn' | 'viewing' | 'over' | 'wait' | 'paused' | 'choose' | 'readOnly' | 'theirTurn' | 'watching' | ForbiddenName

/** The game on the screen. The server decides everything; this store shows it and passes wishes on. */
export const useGame = defineStore('game', () => {
  const catalogue = useCatalogue()
  const settings = useSettings()
  const session = useSession()
  const cursor = useCursor(session)
  const opening = useOpeningDraft(session)
  const outbox = useOutbox(session)
  const guard = useBlunderGuard(session)
  const hints = useHint(session)
  /** Whether people want to see what is thought of this game. */
  const isEvaluated = computed(() => {
    const state = session.game.value
    return state !== null && settings.evaluates(state.clocks.some((clock) => clock), state.phase === 'over')
  })
  const evaluation = useEvaluation(session, () => isEvaluated.value)

  const { game } = session
  const { live, shownPly } = cursor
  const refusal = shallowRef<{ cell: number; why: Refusal; nonce: number } | null>(null)
  /** A forbidden point clicked once; a second click plays it and loses. */
  const armed = ref<number | null>(null)

  const size = computed(() => game.value?.rules.size ?? 15)
  const moveCells = computed(() => game.value?.moves.map((move) => cellOf(move, size.value)) ?? [])
  const actor = computed(() => game.value?.seats[game.value.seatToAct])
  /** Of a game between two people who each have a link. */
  const byLink = computed(() => game.value?.byLink ?? null)
  /** Whether somebody at this page is to act. */
  const isMyTurn = computed(() => actor.value?.kind === 'human' && (!byLink.value || byLink.value.seat === game.value?.seatToAct))
  /** The seat of the only person at this page; null when two people (or none) play here. */
  const mySeat = computed(() => {
    if (byLink.value) return byLink.value.seat
    const humans = game.value?.seats.flatMap((seat, i) => (seat.kind === 'human' ? [i] : [])) ?? []
    return humans.length === 1 ? humans[0]! : null
  })
  /** Whether the clocks stand, and with them the game: nobody is to think about it for nothing. */
  const isHeld = computed(() => Boolean(game.value?.paused && game.value.phase !== 'over' && game.value.clocks.some((clock) => clock)))
  const myColor = computed<Color | null>(() => (game.value && mySeat.value !== null ? game.value.seats[mySeat.value]!.color : null))

  /** Whether to say that there is a win. */
  const alarm = useWinAlarm(session, () => isMyTurn.value)

  watch(session.turn, () => (armed.value = null), { flush: 'sync' })
  watch(session.id, () => (refusal.value = null), { flush: 'sync' })

  /** The stones as they are to be drawn: the viewed ply, plus stones on their way to the server. */
  const cells = computed<string[]>(() => {
    if (!game.value) return []
    const shown = game.value.cells.split('')
    for (const cell of moveCells.value.slice(shownPly.value)) shown[cell] = '.'
    if (!live.value) return shown
    opening.draft.value.forEach((cell, i) => (shown[cell] = opening.colors.value[i]!))
    const held = guard.warning.value?.cell ?? guard.checking.value
    if (held !== null && shown[held] === '.') shown[held] = game.value.toMove
    const pending = outbox.pending.value
    if (pending) shown[pending.cell] = pending.color
    return shown
  })

  /** The position after the stone that is on its way, where the page can tell. */
  const ahead = computed(() => {
    const [state, pending] = [game.value, outbox.pending.value]
    return state && pending && live.value ? positionAfter(state.rules, state.cells, pending.color, pending.cell) : null
  })

  /** The colour of the stone that a click would place now, or null when none may be placed. */
  const placing = computed<Color | null>(() => {
    if (!game.value || whyNot() !== null) return null
    return opening.colors.value[opening.goal.value > 1 ? opening.draft.value.length : 0] ?? game.value.toMove
  })

  /** Black's share of a game that a stone has ended. One that was resigned or lost on time has a position to judge. */
  const result = computed<number | null>(() => {
    const outcome = game.value && endedByStone(game.value) ? game.value.outcome : null
    return outcome ? (outcome.winner === null ? 0.5 : Number(outcome.winner === 'B')) : null
  })

  /** Black's chance as best known for the shown position. */
  const winrate = computed<number | null>(() => {
    const state = game.value
    const news = session.news.value
    if (!state) return null
    if (live.value && result.value !== null) return result.value
    if (evaluation.value) return evaluation.value.slice(0, shownPly.value + 1).findLast((value) => value !== null) ?? null
    if (live.value && news?.ply === state.ply && news.root.winrate !== null) return news.root.winrate
    if (live.value && state.winrate !== null) return state.winrate
    return ownRates.value.slice(0, shownPly.value + 1).findLast((value) => value !== null) ?? null
  })

  /** Whether one engine judges all positions. */
  const isJudged = computed(() => evaluation.value !== null)

  /** What the players thought after each move; stones that lay before the moves count as none. */
  const ownRates = computed(() => game.value?.winrates.slice(game.value.ply - game.value.moves.length) ?? [])

  /**
   * Black's chances by move: of one engine for all positions, else as the players have judged them. The position that
   * ended the game has no moves to judge: its chance is the result, where the game has estimates at all.
   */
  const winrates = computed(() => {
    const rates = evaluation.value ?? ownRates.value
    const last = game.value?.moves.length ?? 0
    const isOpen = result.value !== null && (rates[last] ?? null) === null && rates.some((rate) => rate !== null)
    return isOpen ? [...rates.slice(0, last), result.value] : rates
  })

  function whyNot(): Refusal | null {
    const state = game.value
    if (!state) return 'wait'
    if (!live.value) return 'viewing'
    if (state.phase === 'over') return 'over'
    if (!catalogue.can('play')) return 'readOnly'
    if (isHeld.value) return 'paused'
    if (outbox.pending.value || session.busy.value || guard.warning.value || guard.checking.value !== null) return 'wait'
    if (byLink.value && !isMyTurn.value) return byLink.value.seat === null ? 'watching' : 'theirTurn'
    if (actor.value?.kind !== 'human') return state.paused ? 'paused' : 'notYourTurn'
    if (opening.choices.value?.swap && opening.extraStones.value === 0) return 'choose'
    return opening.isFull.value ? 'choose' : null
  }

  function refuse(cell: number, why: Refusal): void {
    refusal.value = { cell, why, nonce: (refusal.value?.nonce ?? 0) + 1 }
  }

  /** A point was picked on the board. */
  async function pick(cell: number): Promise<void> {
    if (!hasRulebook()) await rulebook()
    // The stream may show an undone move before the request for it is answered: the stone then waits for the answer.
    if (session.busy.value) await session.settled()
    const state = game.value
    const why = whyNot() ?? (state && refusedAt(state.rules, cells.value, state.toMove, cell))
    if (!state || why) return refuse(cell, why ?? 'wait')
    if (opening.goal.value > 1) {
      opening.draft.value = [...opening.draft.value, cell]
      return
    }
    const forbidden = FORBIDDEN_TO.includes(state.toMove) && state.forbidden.find((point) => cellOf(point.move, size.value) === cell)
    if (forbidden && armed.value !== cell) {
      armed.value = cell
      return refuse(cell, forbidden.kind)
    }
    refusal.value = null
    const isGuarded = settings.values.blunderWarning && state.phase === 'play' && mySeat.value !== null && !byLink.value
    if (isGuarded && (await guard.holds(state, cell))) return
    if (game.value?.id === state.id && game.value.ply === state.ply) await play(cell)
  }

  async function play(cell: number): Promise<void> {
    const { ply, toMove } = game.value!
    await outbox.send({ cell, ply, color: toMove })
  }

  /** After a warning: play the move all the same, or think again. */
  async function decide(playIt: boolean): Promise<void> {
    const held = guard.warning.value
    guard.warning.value = null
    if (playIt && held && game.value?.ply === held.ply && whyNot() === null) await play(held.cell)
  }

  function run(request: (id: string, state: GameState) => Promise<GameState>): Promise<boolean> {
    refusal.value = null
    return session.run(request)
  }

  function undo(): void {
    const { draft } = opening
    if (draft.value.length) draft.value = draft.value.slice(0, -1)
    else {
      view(Infinity)
      outbox.pending.value = null
      void run((id) => backend.request('play.undo', { id }))
    }
  }

  /** Opening phases: swap, keep, or the stones of the draft. */
  function choose(action: 'swap' | 'keep' | 'place'): Promise<boolean> {
    return run((id, { ply }) => {
      const moves = opening.draft.value.map((cell) => formatCell(cell, size.value))
      return backend.request('play.action', { id, body: { action, ply, ...(action === 'place' ? { moves } : {}) } })
    })
  }

  function askHint(): Promise<void> {
    refusal.value = null
    return hints.ask()
  }

  function view(ply: number): void {
    cursor.view(ply)
    refusal.value = null
  }

  const { status, link, attempt, busy, news, thinkingSinceMs, stateSinceMs } = session
  return {
    game,
    status,
    link,
    attempt,
    busy,
    news,
    thinkingSinceMs,
    stateSinceMs,
    refusal,
    armed,
    alarm,
    hint: hints.hint,
    hinting: hints.hinting,
    pending: outbox.pending,
    warning: guard.warning,
    checking: guard.checking,
    draft: opening.draft,
    extraStones: opening.extraStones,
    choices: opening.choices,
    draftGoal: opening.goal,
    draftColors: opening.colors,
    viewPly: cursor.viewPly,
    shownPly,
    live,
    size,
    moveCells,
    actor,
    byLink,
    isMyTurn,
    mySeat,
    myColor,
    isHeld,
    cells,
    ahead,
    placing,
    winrate,
    winrates,
    isJudged,
    isEvaluated,
    pick,
    run,
    undo,
    choose,
    askHint,
    view,
    decide,
    startExtra: opening.startExtra,
    open: session.open,
    close: session.close,
    refresh: session.refresh,
    receive: session.receive,
    reconnect: session.reconnect,
  }
})
