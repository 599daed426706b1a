import { backend, type Stream } from '@/backend'
import type { Review } from '@/wire'
import { computed, onUnmounted, ref, shallowRef, watch } from 'vue'
import { useFollowed } from '@/ui/useFollowed'

/** A review that is followed while it runs; after a lost connection the server sends all of it anew. */
export function useReview(id: () => string) {
  const review = shallowRef<Review | null>(null)
  const offline = ref(false)
  let stream: Stream<'reviews'> | null = null
  const { status, busy, look, run } = useFollowed<Review>(id, () => backend.request('reviews.look', { id: id() }), take)

  function take(found: Review): void {
    if (review.value?.id === found.id && found.seq < review.value.seq) return
    review.value = found
    if (found.status === 'running') follow()
    else leave()
  }

  function follow(): void {
    stream ??= backend.open(
      'reviews',
      { id: id() },
      {
        onMessage: (message) => {
          if (message.type !== 'state') return
          take(message.review)
        },
        onLink: (state) => (offline.value = state === 'lost'),
      },
    )
  }

  function leave(): void {
    stream?.close()
    stream = null
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
    stop: () => run(() => backend.request('reviews.stop', { id: id() })),
    resume: () => run(() => backend.request('reviews.resume', { id: id() })),
  }
}
