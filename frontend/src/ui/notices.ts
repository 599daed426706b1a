import { BackendError } from '@/backend'
import { defineStore } from 'pinia'
import { ref } from 'vue'

export interface Notice {
  id: number
  kind: 'info' | 'note' | 'error'
  /** A key of the catalogue. */
  key: string
  params: Record<string, string>
  action?: { key: string; run: () => void }
}

const SHOWN_MS = 6000
/** How long something that was just done can be taken back. */
export const OFFERED_MS = 20_000
const MOST = 4

/** Short messages that come and go without stopping anybody. */
export const useNotices = defineStore('notices', () => {
  const list = ref<Notice[]>([])
  let next = 1

  function push(notice: Omit<Notice, 'id'>, shownMs: number): void {
    const id = next++
    const same = list.value.filter((other) => other.key !== notice.key)
    list.value = [...same, { ...notice, id }].slice(-MOST)
    if (shownMs < Infinity) window.setTimeout(() => dismiss(id), shownMs)
  }

  function dismiss(id: number): void {
    list.value = list.value.filter((notice) => notice.id !== id)
  }

  function info(key: string, params: Record<string, string> = {}): void {
    push({ kind: 'info', key, params }, SHOWN_MS)
  }

  /** What was asked for has been done, and the answer is not the hoped one. */
  function note(key: string, params: Record<string, string> = {}): void {
    push({ kind: 'note', key, params }, SHOWN_MS)
  }

  /** A message that can be acted upon; it stays until that, or until it is closed, where no time is given. */
  function offer(key: string, actionKey: string, run: () => void, shownMs = Infinity): void {
    push({ kind: 'info', key, params: {}, action: { key: actionKey, run } }, shownMs)
  }

  /** Shows what went wrong: by its code where we know it, else with the server's own words. */
  function failed(error: unknown): void {
    const code = error instanceof BackendError ? error.code : 'unknown'
    const detail = error instanceof Error ? error.message : String(error)
    push({ kind: 'error', key: `errors.${code}`, params: { detail } }, SHOWN_MS * 1.5)
  }

  return { list, info, note, offer, failed, dismiss }
})
