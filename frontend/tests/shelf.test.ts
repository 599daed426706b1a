import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ref } from 'vue'
import { ServerKeeper } from '@/backend/remote/shelf'
import type { Backend, StreamHandlers } from '@/backend/backend'

const AHEAD = 90_000

/** A keeper whose server's clock is so far ahead, with the line's delay for what is asked. */
function follow() {
  const isReachable = ref(true)
  let say: (now: number) => void = () => undefined
  const stored = (now: number) => ({ id: 'g', version: 1, createdAt: 0, updatedAt: 0, now, data: {} })
  const server = {
    isReachable,
    request: async () => {
      const now = Date.now() + AHEAD
      if (isReachable.value) await new Promise((go) => setTimeout(go, 100))
      return stored(isReachable.value ? now : 0)
    },
    open: (_topic: string, _asks: object, { onMessage }: StreamHandlers<{ type: string }>) => {
      say = (now) => onMessage({ type: 'stored', value: stored(now) } as never)
      return { send: () => true, close: () => undefined }
    },
  } as unknown as Backend
  const keeper = new ServerKeeper(server, 'games')
  keeper.watch('g', { onStored: () => undefined, onWatch: () => undefined, onSaid: () => undefined, onLink: () => undefined })
  const error = (): number => keeper.now() - Date.now() - AHEAD
  return { keeper, isReachable, error, say: (lateMs: number) => say(Date.now() + AHEAD - lateMs) }
}

describe("the server's clock", () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())

  it('is ours until something is heard', () => {
    expect(follow().keeper.now()).toBe(Date.now())
  })

  it('does not go back with a message that a lost line has held for seconds', () => {
    const { error, say } = follow()
    say(40)
    expect(error()).toBe(-40)
    say(8_000)
    expect(error()).toBe(-40)
    say(10)
    expect(error()).toBe(-10)
  })

  it('is set by what is asked for after our clock was changed, and not by what was kept here', async () => {
    const { keeper, isReachable, error, say } = follow()
    say(0)
    vi.setSystemTime(Date.now() + 3_600_000)
    say(3_600_000)
    const asked = keeper.get('g')
    await vi.advanceTimersByTimeAsync(100)
    await asked
    expect(Math.abs(error())).toBeLessThanOrEqual(100)
    isReachable.value = false
    await keeper.get('g')
    expect(Math.abs(error())).toBeLessThanOrEqual(100)
  })
})
