import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Backend, StreamHandlers } from '@/backend'
import { beside, type Beside } from '@/backend/beside'

const { desk } = vi.hoisted(() => ({ desk: { current: null as unknown } }))
vi.mock('@/backend/local/local', () => ({ openLocal: async () => desk.current }))

/** A backend that answers with its name, and the streams that are open there. */
function named(name: string) {
  const asked: string[] = []
  const open = new Set<string>()
  const answers: Record<string, unknown> = { 'games.recent': [{ id: name, updatedAt: name === 'server' ? '2026-01-01T00:00:00Z' : '2026-01-02T00:00:00Z' }] }
  const backend = {
    isReachable: { value: true },
    request: async (operation: string) => {
      asked.push(operation)
      return answers[operation] ?? name
    },
    open: (topic: string, _: object, handlers: StreamHandlers<never>) => {
      open.add(topic)
      handlers.onLink?.('online', 0)
      return { send: () => true, reconnectNow: () => undefined, close: () => open.delete(topic) }
    },
    download: (operation: string) => `${name} ${operation}`,
    formats: () => ({ records: [name], reviews: [] }),
    keep: async () => undefined,
    isKept: async () => name === 'server',
  }
  return { asked, open, answers, backend: backend as unknown as Backend }
}

let server: ReturnType<typeof named>
let here: ReturnType<typeof named>
let both: Beside

beforeEach(() => {
  localStorage.clear()
  server = named('server')
  here = named('here')
  desk.current = here.backend
  both = beside(server.backend)
})

const create = () => both.request('games.create', { body: { rules: {}, seats: [{ kind: 'human' }, { kind: 'human' }] } as never })

describe('beside a server', () => {
  it('engines are asked in the browser until the server has its own', async () => {
    expect(await create()).toBe('server')
    await both.playHere()
    expect([await create(), await both.request('system.engines'), await both.request('system.version')]).toEqual(['here', 'here', 'server'])
    expect(await both.request('puzzles.attempt', { id: 'p1', body: { moves: [] } })).toBe('here')
    await both.handOver()
    expect([await create(), await both.request('system.engines')]).toEqual(['server', 'server'])
  })

  it('a server without engines yet leaves everything as it is', async () => {
    await both.playHere()
    server.backend.request = (async () => Promise.reject(new Error('busy'))) as never
    await expect(both.handOver()).rejects.toThrow('busy')
    expect(await create()).toBe('here')
  })

  it('a game of the browser stays there for ever, one of the server is never asked here', async () => {
    const look = (id: string) => both.request('games.look', { id })
    expect([await look('here.abc'), await look('abc')]).toEqual(['here', 'server'])
    await both.playHere()
    expect([await look('here.abc'), await look('abc')]).toEqual(['here', 'server'])
    expect(await both.request('reviews.create', { body: { gameId: 'here.abc' } as never })).toBe('here')
    expect(await both.request('reviews.create', { body: { gameId: 'abc' } as never })).toBe('server')
    await both.handOver()
    expect(await look('here.abc')).toBe('here')
    expect([both.formats('here.abc').records, both.formats('abc').records]).toEqual([['here'], ['server']])
    expect(both.download('records.export', { id: 'here.abc' } as never)).toBe('here records.export')
    expect([await both.isKept('games.look', { id: 'here.abc' }), await both.isKept('games.look', { id: 'abc' })]).toEqual([true, true])
  })

  it('lists have the games of both, newest first, once there is one in the browser', async () => {
    const ids = async () => (await both.request('games.recent', { limit: 10 })).map(({ id }) => id)
    expect(await ids()).toEqual(['server'])
    await both.playHere()
    await create()
    await both.handOver()
    expect(await ids()).toEqual(['here', 'server'])
    expect((await both.request('games.recent', { limit: 1 })).map(({ id }) => id)).toEqual(['here'])
  })

  it('an analysis that is open is asked of the server from then on', async () => {
    await both.playHere()
    const links: string[] = []
    const stream = both.open('analysis', {}, { onMessage: () => undefined, onLink: (state) => links.push(state) })
    await vi.waitFor(() => expect([...here.open]).toEqual(['analysis']))
    await both.handOver()
    expect([[...here.open], [...server.open], links]).toEqual([[], ['analysis'], ['online', 'lost', 'online']])
    stream.close()
    expect([...server.open]).toEqual([])
  })
})
