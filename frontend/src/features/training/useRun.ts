import { backend, type LinkState, type Stream } from '@/backend'
import type { MetricsRow, Run, RunGames, RunMessage, RunNet, RunSummary, Score } from '@/wire'
import { useFollowed } from '@/ui/useFollowed'
import { computed, onUnmounted, ref, shallowRef, watch } from 'vue'

const POINTS = 500
/** Rows are thinned out again when there are so many times more than asked for. */
const MOST = 2 * POINTS
const RETRY_MS = 3000

/** A training run that is followed: everything at first, then what is new as it is written. */
export function useRun(id: () => string) {
  const run = shallowRef<Run | null>(null)
  const rows = shallowRef<MetricsRow[]>([])
  const scores = shallowRef<Score[]>([])
  const nets = shallowRef<RunNet[] | null>(null)
  const games = shallowRef<RunGames | null>(null)
  const link = ref<LinkState>('connecting')
  const attempt = ref(0)
  let stream: Stream<'runs'> | null = null
  let version = 0
  let count = 0
  let fetching = false
  let timer = 0
  let gone = false
  /** The latest games are shown, not earlier ones: they are followed. */
  let isLatest = true

  /** Fetches all figures anew; what comes over the stream continues from there. */
  async function fetchRows(): Promise<void> {
    if (fetching) return
    fetching = true
    const asked = id()
    try {
      const found = await backend.request('runs.metrics', { id: asked, points: POINTS })
      if (asked !== id()) return
      rows.value = found.rows
      ;[version, count] = [found.version, found.count]
    } catch {
      // The next message says again that something is missing.
    } finally {
      fetching = false
    }
  }

  async function fetchRest(): Promise<void> {
    const asked = id()
    const [newScores, newNets] = await Promise.all([
      backend.request('runs.evaluations', { id: asked }),
      backend.request('runs.nets', { id: asked }),
    ]).catch(() => [null, null])
    if (asked !== id()) return
    if (newScores) scores.value = newScores
    if (newNets) nets.value = newNets
  }

  /** Games of self-play: from a number on, or the latest. */
  async function fetchGames(first?: number): Promise<void> {
    isLatest = first === undefined
    const asked = id()
    const found = await backend.request('runs.games', { id: asked, first, limit: 12 })
    if (asked === id()) games.value = found
  }

  function take(message: RunMessage): void {
    if (!run.value) return
    run.value = { ...run.value, ...message.run }
    if (message.version === version && message.first <= count && message.count > count) {
      rows.value = [...rows.value, ...message.rows.slice(count - message.first)]
      count = message.count
      void fetchRest()
      if (isLatest) void fetchGames().catch(() => undefined)
      if (rows.value.length > MOST) void fetchRows()
    } else if (message.version !== version || message.count !== count) {
      void fetchRows().then(fetchRest)
    }
  }

  async function fetchAll(): Promise<Run> {
    const asked = id()
    const found = await backend.request('runs.look', { id: asked })
    if (asked === id()) run.value = found
    await Promise.all([fetchRows(), fetchRest(), fetchGames().catch(() => undefined)])
    return found
  }

  const { status, look } = useFollowed(id, fetchAll, () => {
    const onLink = (state: LinkState, tries: number): void => {
      link.value = state
      attempt.value = tries
    }
    stream ??= backend.open('runs', { id: id() }, { onMessage: take, onLink })
  })

  /** Looks, and again a little later where that fails. */
  async function load(): Promise<void> {
    window.clearTimeout(timer)
    await look()
    if (status.value === 'failed' && !gone) timer = window.setTimeout(() => void load(), RETRY_MS)
  }

  function leave(): void {
    window.clearTimeout(timer)
    stream?.close()
    stream = null
  }

  watch(
    id,
    () => {
      leave()
      status.value = 'loading'
      run.value = null
      rows.value = []
      scores.value = []
      nets.value = games.value = null
      ;[version, count] = [0, 0]
      void load()
    },
    { immediate: true },
  )
  onUnmounted(() => {
    gone = true
    leave()
  })

  return {
    run,
    rows,
    scores,
    nets,
    games,
    status,
    isLost: computed(() => link.value === 'lost'),
    attempt,
    load,
    fetchGames,
    reconnect: () => stream?.reconnectNow(),
    take: (summary: RunSummary) => {
      if (run.value) run.value = { ...run.value, ...summary }
    },
  }
}
