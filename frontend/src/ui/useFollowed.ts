import { BackendError } from '@/backend'
import { onUnmounted, ref } from 'vue'
import { useNotices } from '@/ui/notices'

/**
 * Something long-running on the server that a page watches, stops and resumes.
 * What arrives after the page has turned to another one is dropped.
 */
export function useFollowed<Found>(id: () => string, get: () => Promise<Found>, take: (found: Found) => void) {
  const notices = useNotices()
  const status = ref<'loading' | 'ready' | 'missing' | 'failed'>('loading')
  const busy = ref(false)
  let gone = false
  onUnmounted(() => (gone = true))

  async function look(): Promise<void> {
    const asked = id()
    const isPast = (): boolean => gone || asked !== id()
    try {
      const found = await get()
      if (isPast()) return
      status.value = 'ready'
      take(found)
    } catch (error) {
      if (!isPast()) status.value = error instanceof BackendError && error.status === 404 ? 'missing' : 'failed'
    }
  }

  async function run(request: () => Promise<Found>): Promise<void> {
    if (busy.value) return
    busy.value = true
    const asked = id()
    try {
      const found = await request()
      if (!gone && asked === id()) take(found)
    } catch (error) {
      notices.failed(error)
    } finally {
      busy.value = false
    }
  }

  return { status, busy, look, run }
}
