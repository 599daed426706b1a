import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { backend } from '@/backend'
import { FakeServer } from './fakeServer'

const src = join(import.meta.dirname, '../src')
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(ts|vue)$/.test(name))
  .map((name) => ({ name: name.replaceAll('\\', '/'), text: readFileSync(join(src, name), 'utf8') }))

describe('the one way to the server', () => {
  // What other programs get contains the engine and is no part of the page.
  const away = files.filter(({ name }) => !/^(backend|wire|package)\//.test(name))

  it.each([/\bfetch\(/, /\bWebSocket\b/, /\bXMLHttpRequest\b|\bEventSource\b/, /\/api\/v1|\/ws\/v1/, /@\/backend\/(?!(catalogue|learn)')/])(
    '%s is nowhere else',
    (pattern) => {
      expect(away.length).toBeGreaterThan(100)
      expect(away.filter(({ text }) => pattern.test(text)).map(({ name }) => name)).toEqual([])
    },
  )

  it('does not know the screens', () => {
    const here = files.filter(({ name }) => name.startsWith('backend/'))
    expect(here.filter(({ text }) => /@\/(features|app|ui|board)\//.test(text)).map(({ name }) => name)).toEqual([])
  })
})

describe('a request', () => {
  let server: FakeServer
  beforeEach(() => {
    localStorage.clear()
    server = new FakeServer()
  })

  it('fills in its address and leaves out what is not asked for', async () => {
    await backend.request('arenas.look', { id: 'a/b' }).catch(() => undefined)
    await backend.request('games.recent', { limit: 3 }).catch(() => undefined)
    expect(server.calls.map((call) => call.path)).toEqual(['/arenas/a%2Fb', '/version', '/store/games?limit=3&ids=game1'])
    expect(backend.download('arenas.export', { id: 'g', format: 'sgf' })).toBe('/api/v1/arenas/g/export?format=sgf')
  })

  it('that gets no answer is an outage', async () => {
    server.offline = true
    await expect(backend.request('store.look', { kind: 'games', id: 'g' })).rejects.toMatchObject({ code: 'network', isNetwork: true })
    expect(backend.isReachable.value).toBe(false)
    server.offline = false
    await backend.request('system.health')
    expect(backend.isReachable.value).toBe(true)
  })

  it('that searches for long is none', async () => {
    vi.useFakeTimers()
    vi.stubGlobal(
      'fetch',
      (_: string, { signal }: RequestInit) =>
        new Promise((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason as Error))),
    )
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const control = new AbortController()
      setTimeout(() => control.abort(new DOMException('too long', 'TimeoutError')), ms)
      return control.signal
    })
    const ended = vi.fn()
    const asked = backend.request('records.parse', { body: 'h8' }).catch(ended)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(300_000)
    await asked
    expect(ended.mock.calls[0]![0]).toMatchObject({ code: 'timeout', isNetwork: false })
    expect(backend.isReachable.value).toBe(true)
    vi.useRealTimers()
  })
})
