import { computed, onUnmounted, ref, shallowRef, watch } from 'vue'
import { type Arena, arenaApi, type ArenaMessage, type Lang, type LiveBoard } from '@/backend/arena'
import { type LinkState, LiveSocket } from '@/backend/socket'
import { useFollowed } from '@/backend/useFollowed'

/** An arena that is followed: its state and the boards come by themselves, also after a lost connection. */
export function useArena(id: () => string, lang: () => Lang) {
  const arena = shallowRef<Arena | null>(null)
  const boards = shallowRef<LiveBoard[]>([])
  const link = ref<LinkState>('connecting')
  const attempt = ref(0)
  let socket: LiveSocket<ArenaMessage> | null = null
  const { status, busy, look, run } = useFollowed<Arena>(id, () => arenaApi.get(id(), lang()), take)

  function take(found: Arena): void {
    arena.value = found
    socket ??= new LiveSocket<ArenaMessage>(`/ws/v1/arenas/${encodeURIComponent(id())}?lang=${lang()}`, {
      onMessage: (message) => {
        if (message.type === 'state') arena.value = message.arena
        else if (message.type === 'boards') boards.value = message.boards
      },
      onLink: (state, tries) => {
        link.value = state
        attempt.value = tries
      },
    })
  }

  function leave(): void {
    socket?.close()
    socket = null
  }

  watch(
    [id, lang],
    ([now], [before]) => {
      leave()
      if (now !== before) {
        arena.value = null
        boards.value = []
        status.value = 'loading'
      }
      void look()
    },
    { immediate: true },
  )
  onUnmounted(leave)

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
