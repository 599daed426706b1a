import { backend } from '@/backend'
import type { Training } from '@/wire'
import { defineStore } from 'pinia'
import { ref, shallowRef, watch } from 'vue'

const KEY = 'wuzi.trainingToken'

/** What the server allows of training, and the token with which it does. */
export const useTraining = defineStore('training', () => {
  const info = shallowRef<Training | null>(null)
  const token = ref(readToken())

  watch(token, (value) => {
    try {
      sessionStorage.setItem(KEY, value)
    } catch {
      // Storage may be switched off: the token is then forgotten with the page.
    }
  })

  async function load(): Promise<void> {
    info.value ??= await backend.request('runs.training')
  }

  return { info, token, load }
})

function readToken(): string {
  try {
    return sessionStorage.getItem(KEY) ?? ''
  } catch {
    return ''
  }
}
