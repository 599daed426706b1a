import { computed, onUnmounted, ref, shallowRef, watch } from 'vue'
import { type Arena, arenaApi, type ArenaMessage, type Lang, type LiveBoard } from '@/api/arena'
import { ApiError } from '@/api/client'
import { type LinkState, LiveSocket } from '@/api/socket'
import { useNotices } from '@/stores/notices'

/** An arena that is followed: its state and the boards come by themselves, also after a lost connection. */
export function useArena(id: () => string, lang: () => Lang) {
  const notices = useNotices()
  const arena = shallowRef<Arena | null>(null)
  const boards = shallowRef<LiveBoard[]>([])
  const status = ref<'loading' | 'ready' | 'missing' | 'failed'>('loading')
  const link = ref<LinkState>('connecting')
  const attempt = ref(0)
  const busy = ref(false)
  let socket: LiveSocket<ArenaMessage> | null = null

  function take(found: Arena): void {
    arena.value = found
    status.value = 'ready'
  }

  function follow(): void {
    socket?.close()
    socket = new LiveSocket<ArenaMessage>(`/ws/v1/arenas/${encodeURIComponent(id())}?lang=${lang()}`, {
      onMessage: (message) => {
        if (message.type === 'state') take(message.arena)
        else if (message.type === 'boards') boards.value = message.boards
      },
      onLink: (state, tries) => {
        link.value = state
        attempt.value = tries
      },
    })
  }

  async function look(): Promise<void> {
    const asked = id()
    try {
      const found = await arenaApi.get(asked, lang())
      if (asked !== id()) return
      take(found)
      follow()
    } catch (error) {
      status.value = error instanceof ApiError && error.status === 404 ? 'missing' : 'failed'
    }
  }

  async function run(request: () => Promise<Arena>): Promise<void> {
    if (busy.value) return
    busy.value = true
    try {
      take(await request())
    } catch (error) {
      notices.failed(error)
    } finally {
      busy.value = false
    }
  }

  watch(
    [id, lang],
    ([now], [before]) => {
      if (now !== before) {
        arena.value = null
        boards.value = []
        status.value = 'loading'
      }
      void look()
    },
    { immediate: true },
  )
  onUnmounted(() => socket?.close())

  return {
    arena,
    boards,
    status,
    busy,
    attempt,
    isLost: computed(() => link.value === 'lost'),
    stop: () => run(() => arenaApi.stop(id(), lang())),
    resume: () => run(() => arenaApi.resume(id(), lang())),
    reconnect: () => socket?.reconnectNow(),
  }
}
