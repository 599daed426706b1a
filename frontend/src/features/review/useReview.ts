import { computed, onUnmounted, ref, shallowRef, watch } from 'vue'
import { type Review, type ReviewMessage, reviewApi } from '@/backend/review'
import { LiveSocket } from '@/backend/socket'
import { useFollowed } from '@/backend/useFollowed'

/** A review that is followed while it runs; after a lost connection the server sends all of it anew. */
export function useReview(id: () => string) {
  const review = shallowRef<Review | null>(null)
  const offline = ref(false)
  let socket: LiveSocket<ReviewMessage> | null = null
  const { status, busy, look, run } = useFollowed<Review>(id, () => reviewApi.get(id()), take)

  function take(found: Review): void {
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
  onUnmounted(leave)

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
