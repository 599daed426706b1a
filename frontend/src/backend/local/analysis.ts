/** Live analysis without a server: one search at a time, told as the server's socket tells it. */

import { BackendError, type Said, type Stream, type StreamHandlers } from '@/backend'
import { gameData, type Thought } from '@/backend/engine/asks'
import type { EndIn, PingMessage, StartIn } from '@/wire'
import { REPORT_MS, type Running } from './lanes'
import type { LocalDesk } from './local'
import { gameOf } from './positions'
import { API } from '@/wasm/generated'
import { RuleError } from '@/wasm/rulebook'

export function analysisStream(desk: LocalDesk, handlers: StreamHandlers<Said<'analysis'>>): Stream<'analysis'> {
  let running: { id: string; task: Running<'think'> } | null = null
  let isOpen = true
  queueMicrotask(() => handlers.onLink?.('online', 0))

  function end(): void {
    running?.task.cancel()
    running = null
  }

  function start(asked: StartIn): void {
    end()
    const { id } = asked
    let seq = 0
    const fail = (code: string, message: string): void => handlers.onMessage({ type: 'error', id, code, message })
    try {
      const game = gameOf(asked.position)
      if (game.end) return fail('game_over', 'the game is over')
      const { spec, limit } = desk.player(asked.engine, asked.level, asked.limit)
      const tell = (type: 'info' | 'done', { rootInfo, moveInfos }: Thought): void => {
        if (!isOpen || running?.id !== id) return
        seq += 1
        handlers.onMessage({ type, id, seq, isDuringSearch: type === 'info', turnNumber: game.ply, rootInfo, moveInfos, visits: null, policy: null, madeRoom: false })
      }
      const options = { onInfo: (info: Thought) => tell('info', info), reportMs: asked.reportEvery === undefined ? REPORT_MS : 1000 * asked.reportEvery }
      const task = desk.lanes.analysis.ask('think', { game: gameData(game), spec, seed: 0, limit, multipv: asked.multipv ?? API.MULTIPV }, options)
      running = { id, task }
      task.answer
        .then((found) => tell('done', found))
        .catch((error: unknown) => {
          if (error instanceof BackendError && error.code === 'cancelled') return
          if (isOpen && running?.id === id) fail(error instanceof BackendError ? error.code : 'engine_failed', error instanceof Error ? error.message : String(error))
        })
    } catch (error) {
      fail(error instanceof RuleError ? error.code : 'engine_failed', error instanceof Error ? error.message : String(error))
    }
  }

  function send(message: StartIn | EndIn | PingMessage): boolean {
    if (message.type === 'start' || 'position' in message) start(message as StartIn)
    else if (running && 'id' in message && message.id === running.id) {
      if (message.type === 'stop') running.task.stop()
      else end()
    }
    return true
  }

  return {
    send,
    reconnectNow: () => undefined,
    close: () => {
      isOpen = false
      end()
    },
  }
}
