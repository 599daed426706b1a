import { backend, type LinkState, type Stream } from '@/backend'
import type { Arena, Board, Language } from '@/wire'
import { computed, onUnmounted, ref, shallowRef, watch } from 'vue'
import { useFollowed } from '@/ui/useFollowed'

/** An arena that is followed: its state and the boards come by themselves, also after a lost connection. */
export function useArena(id: () => string, lang: () => Language) {
  const arena = shallowRef<Arena | null>(null)
  const boards = shallowRef<(Board & { sinceMs: number })[]>([])
  const link = ref<LinkState>('connecting')
  const attempt = ref(0)
  let stream: Stream<'arenas'> | null = null
  const { status, busy, look, run } = useFollowed<Arena>(id, () => backend.request('arenas.look', { id: id(), lang: lang() }), take)

  function take(found: Arena): void {
    arena.value = found
    stream ??= backend.open(
      'arenas',
      { id: id(), lang: lang() },
      {
        onMessage: (message) => {
          if (message.type === 'state') arena.value = message.arena
          // Between two games of a running tournament the last one stays in sight.
          else if (message.boards.length || arena.value?.status !== 'running') boards.value = message.boards.map((one) => ({ ...one, sinceMs: since(one, message.sentAt) }))
        },
        onLink: (state, tries) => {
          link.value = state
          attempt.value = tries
        },
      },
    )
  }

  /** When the side to move was asked, by this browser's clock. */
  const since = ({ askedAt }: Board, sentAt: number): number => performance.now() - 1000 * Math.max(0, sentAt - (askedAt ?? sentAt))

  function leave(): void {
    stream?.close()
    stream = null
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
    stop: () => run(() => backend.request('arenas.stop', { id: id(), lang: lang() })),
    resume: () => run(() => backend.request('arenas.resume', { id: id(), lang: lang() })),
    reconnect: () => stream?.reconnectNow(),
  }
}
