import { onUnmounted, ref, watch, type Ref } from 'vue'

const TICK_MS = 200

/** Seconds since `sinceMs` (of `performance.now()`), ticking while `running`. */
export function useElapsed(running: () => boolean, sinceMs: () => number): Ref<number> {
  const seconds = ref(0)
  let timer = 0
  const tick = (): void => {
    seconds.value = Math.max(0, (performance.now() - sinceMs()) / 1000)
  }
  watch(
    [running, sinceMs],
    ([isRunning]) => {
      window.clearInterval(timer)
      if (!isRunning) return
      tick()
      timer = window.setInterval(tick, TICK_MS)
    },
    { immediate: true },
  )
  onUnmounted(() => window.clearInterval(timer))
  return seconds
}
