import { computed, onUnmounted, ref, shallowRef, watch } from 'vue'
import { ApiError } from '@/api/client'
import { type Review, type ReviewMessage, reviewApi } from '@/api/review'
import { LiveSocket } from '@/api/socket'
import { useNotices } from '@/stores/notices'

/** A review that is followed while it runs; after a lost connection the server sends all of it anew. */
export function useReview(id: () => string) {
  const notices = useNotices()
  const review = shallowRef<Review | null>(null)
  const status = ref<'loading' | 'ready' | 'missing' | 'failed'>('loading')
  const offline = ref(false)
  const busy = ref(false)
  let socket: LiveSocket<ReviewMessage> | null = null
  let gone = false

  async function look(): Promise<void> {
    const asked = id()
    try {
      const found = await reviewApi.get(asked)
      if (!gone && asked === id()) take(found)
    } catch (error) {
      if (gone || asked !== id()) return
      status.value = error instanceof ApiError && error.status === 404 ? 'missing' : 'failed'
    }
  }

  function take(found: Review): void {
    status.value = 'ready'
    if (review.value?.id === found.id && found.seq < review.value.seq) return
    review.value = found
    if (found.status === 'running') follow()
    else leave()
  }

  function follow(): void {
    socket ??= new LiveSocket<ReviewMessage>(`/ws/v1/reviews/${encodeURIComponent(id())}`, {
      onMessage: (message) => {
        if (message.type !== 'state') return
        void reviewApi.keepReview(message.review)
        take(message.review)
      },
      onLink: (state) => (offline.value = state === 'lost'),
    })
  }

  function leave(): void {
    socket?.close()
    socket = null
    offline.value = false
  }

  async function run(request: () => Promise<Review>): Promise<void> {
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
    id,
    () => {
      leave()
      review.value = null
      status.value = 'loading'
      void look()
    },
    { immediate: true },
  )
  onUnmounted(() => {
    gone = true
    leave()
  })

  return {
    review,
    status,
    offline,
    busy,
    isRunning: computed(() => review.value?.status === 'running'),
    look,
    stop: () => run(() => reviewApi.stop(id())),
    resume: () => run(() => reviewApi.resume(id())),
  }
}
