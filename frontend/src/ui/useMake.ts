import { ref } from 'vue'
import { useRouter } from 'vue-router'
import { useNotices } from './notices'

/** Makes something that has a page of its own, one thing at a time, and goes there; tells what went wrong. Its id, or null. */
export function useMake() {
  const router = useRouter()
  const notices = useNotices()
  const busy = ref(false)

  async function make(
    page: 'play' | 'review' | 'arena' | 'results' | 'trainingRun',
    request: () => Promise<{ id: string }>,
    hash = '',
  ): Promise<string | null> {
    if (busy.value) return null
    busy.value = true
    try {
      const { id } = await request()
      await router.push({ name: page, params: { id }, ...(hash && { hash }) })
      return id
    } catch (error) {
      notices.failed(error)
      return null
    } finally {
      busy.value = false
    }
  }

  return { busy, make }
}
