import { backend } from '@/backend'
import { backoffMs } from '@/backend/remote/socket'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeServer } from './fakeServer'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

function follow() {
  const server = new FakeServer()
  const links: string[] = []
  const messages: string[] = []
  const socket = backend.open(
    'store',
    { kind: 'games', id: 'g/1' },
    {
      onMessage: (message) => messages.push(message.type),
      onLink: (state, attempt) => links.push(`${state}${attempt}`),
    },
  )
  return { server, links, messages, socket }
}

it('waits longer after each failure, up to ten seconds', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7].map((attempt) => backoffMs(attempt, () => 0.5))
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 10000, 10000])
  expect(backoffMs(1, () => 0)).toBeLessThan(backoffMs(1, () => 1))
})

describe('a game socket', () => {
  it('connects, listens and pings', async () => {
    const { server, links, messages, socket } = follow()
    await vi.advanceTimersByTimeAsync(0)
    expect(server.socket!.url).toContain('/ws/v1/store/games/g%2F1')
    server.say({ type: 'ping' })
    server.say({ type: 'engineError', code: 'crash', message: '' })
    await vi.advanceTimersByTimeAsync(21_000)
    expect(links).toEqual(['connecting0', 'online0'])
    expect(messages).toEqual(['engineError'])
    expect(server.socket!.sent).toEqual(['{"type":"ping"}'])
    socket.close()
  })

  it('reconnects after a loss and starts counting anew', async () => {
    const { server, links, socket } = follow()
    await vi.advanceTimersByTimeAsync(0)
    server.offline = true
    server.socket!.fail()
    await vi.advanceTimersByTimeAsync(3000)
    expect(links.slice(2).every((link) => link.startsWith('lost'))).toBe(true)
    server.offline = false
    await vi.advanceTimersByTimeAsync(11_000)
    expect(links[links.length - 1]).toBe('online0')
    socket.close()
  })

  it('is cut when the browser says that it is offline, and is back at once', async () => {
    const { links, socket } = follow()
    await vi.advanceTimersByTimeAsync(0)
    window.dispatchEvent(new Event('offline'))
    expect(links.at(-1)).toBe('lost1')
    window.dispatchEvent(new Event('online'))
    await vi.advanceTimersByTimeAsync(0)
    expect(links.at(-1)).toBe('online0')
    socket.close()
    window.dispatchEvent(new Event('offline'))
    expect(links.at(-1)).toBe('online0')
  })

  it('takes silence for a dead line', async () => {
    const { server, links, socket } = follow()
    await vi.advanceTimersByTimeAsync(46_000)
    expect(links).toContain('lost1')
    await vi.advanceTimersByTimeAsync(1000)
    expect(server.sockets).toHaveLength(2)
    socket.close()
  })

  it('stays closed once closed', async () => {
    const { server, socket } = follow()
    await vi.advanceTimersByTimeAsync(0)
    socket.close()
    window.dispatchEvent(new Event('online'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(server.sockets).toHaveLength(1)
  })
})
