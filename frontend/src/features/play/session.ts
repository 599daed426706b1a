import { computed, ref, shallowRef, watch } from 'vue'
import { backend, BackendError, type LinkState, type Said, type Stream } from '@/backend'
import { useCatalogue } from '@/backend/catalogue'
import { useNotices } from '@/ui/notices'
import type { GameState, MoveInfo, RootInfo } from '@/wire'

export interface SearchNews {
  ply: number
  root: RootInfo
  moves: MoveInfo[]
}

/** The open game as the server tells it: fetched, followed, and changed by one request at a time. */
export function useSession() {
  const notices = useNotices()
  const catalogue = useCatalogue()

  const id = ref('')
  const game = shallowRef<GameState | null>(null)
  const status = ref<'loading' | 'ready' | 'missing' | 'failed'>('loading')
  const link = ref<LinkState>('connecting')
  const attempt = ref(0)
  const busy = ref(false)
  const news = shallowRef<SearchNews | null>(null)
  const thinkingSinceMs = ref(0)
  /** When the newest state came: running clocks count from there. */
  const stateSinceMs = ref(0)
  let stream: Stream<'games'> | null = null
  let newsSeq = -1
  let running: Promise<boolean> = Promise.resolve(true)

  /** Another one for each position and phase; null without a game. What belongs to a turn goes with it. */
  const turn = computed(() => game.value && `${game.value.id} ${game.value.ply} ${game.value.phase}`)
  watch(
    turn,
    () => {
      news.value = null
      newsSeq = -1
    },
    { flush: 'sync' },
  )

  /** Takes over a newer state of the open game; older ones (late answers) are dropped. */
  function apply(state: GameState): void {
    const before = game.value
    if (state.id !== id.value || (before?.id === id.value && state.seq < before.seq)) return
    status.value = 'ready'
    stateSinceMs.value = performance.now()
    if (state.thinking) thinkingSinceMs.value = performance.now() - state.thinking.elapsed * 1000
    game.value = state
  }

  function receive(message: Said<'games'>): void {
    if (message.type === 'state') apply(message.game)
    else if (message.type === 'engineError') void refresh()
    else if (message.gameId === id.value && message.ply === game.value?.ply && message.seq >= newsSeq) {
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
  async function open(wanted: string): Promise<void> {
    close()
    id.value = wanted
    status.value = 'loading'
    const exists = await refresh()
    if (id.value === wanted && exists) stream = backend.open('games', { id: wanted }, { onMessage: receive, onLink })
  }

  /** Fetches the game as it is now; false when the server says that there is no such game. */
  async function refresh(): Promise<boolean> {
    const asked = id.value
    try {
      const state = await backend.request('games.look', { id: asked }, { fresh: game.value !== null })
      if (id.value === asked) apply(state)
    } catch (error) {
      if (id.value !== asked) return true
      if (error instanceof BackendError && error.status === 404) {
        status.value = 'missing'
        stream?.close()
        return false
      }
      if (!game.value) status.value = 'failed'
    }
    return true
  }

  function close(): void {
    stream?.close()
    stream = null
    id.value = ''
    game.value = null
    link.value = 'connecting'
  }

  async function recover(error: unknown): Promise<void> {
    // Another click or another window was faster: simply show what is true now.
    if (!(error instanceof BackendError && error.code === 'ply_mismatch')) notices.failed(error)
    if (error instanceof BackendError && !error.isNetwork) await refresh()
  }

  /** Runs one request at a time; false when it failed (people have been told). */
  function run(request: (id: string, state: GameState) => Promise<GameState>): Promise<boolean> {
    if (busy.value || !game.value) return Promise.resolve(false)
    running = change(request, game.value)
    return running
  }

  async function change(request: (id: string, state: GameState) => Promise<GameState>, state: GameState): Promise<boolean> {
    busy.value = true
    try {
      apply(await request(id.value, state))
      return true
    } catch (error) {
      await recover(error)
      return false
    } finally {
      busy.value = false
    }
  }

  /** Ends with the latest request. */
  const settled = (): Promise<boolean> => running
  const reconnect = (): void => stream?.reconnectNow()

  return {
    id,
    game,
    turn,
    status,
    link,
    attempt,
    busy,
    news,
    thinkingSinceMs,
    stateSinceMs,
    apply,
    receive,
    open,
    refresh,
    close,
    recover,
    run,
    settled,
    reconnect,
  }
}

export type Session = ReturnType<typeof useSession>
