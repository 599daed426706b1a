/** Live analysis: one search at a time. */

import { BackendError, type Said, type Stream, type StreamHandlers } from '@/backend'
import type { Thought } from '@/backend/engine/asks'
import type { EndIn, PingMessage, StartIn } from '@/wire'
import { REPORT_MS, type Running } from './lanes'
import type { LocalDesk } from './local'
import { gameOf } from './positions'
import { RuleError } from '@/wasm/rulebook'

export function analysisStream(desk: LocalDesk, handlers: StreamHandlers<Said<'analysis'>>): Stream<'analysis'> {
  let running: { asked: StartIn; task: Running<'think'> } | null = null
  let isOpen = true
  queueMicrotask(() => handlers.onLink?.('online', 0))
  // Another engine begins again with what this one was asked.
  const renew = (): void => {
    if (running) start(running.asked)
  }
  desk.handedOver.add(renew)

  function end(): void {
    running?.task.cancel()
    running = null
  }

  function start(asked: StartIn): void {
    end()
    const { id } = asked
    let seq = 0
    const fail = (code: string, message: string): void => handlers.onMessage({ type: 'error', id, code, message, log: '' })
    try {
      const game = gameOf(asked.position)
      if (game.end) return fail('game_over', 'the game is over')
      const tell = (type: 'info' | 'done', { rootInfo, moveInfos, visits = null, policy = null, madeRoom = false }: Thought): void => {
        if (!isOpen || running?.asked.id !== id) return
        seq += 1
        handlers.onMessage({ type, id, seq, isDuringSearch: type === 'info', turnNumber: game.ply, rootInfo, moveInfos, visits, policy, madeRoom, action: null, resigned: false })
      }
      const options = {
        onInfo: (info: Thought) => tell('info', info),
        reportMs: asked.reportEvery === undefined ? REPORT_MS : 1000 * asked.reportEvery,
        onLink: handlers.onLink,
        onTurn: (ahead: number) => handlers.onMessage({ type: 'queued' as const, id, ahead, begun: false }),
      }
      const task = desk.lanes.analysis.ask('think', desk.thinkAsk(game, asked), options)
      running = { asked, task }
      task.answer
        .then((found) => tell('done', found))
        .catch((error: unknown) => {
          if (error instanceof BackendError && error.code === 'cancelled') return
          if (isOpen && running?.asked.id === id) fail(error instanceof BackendError ? error.code : 'engine_failed', error instanceof Error ? error.message : String(error))
        })
    } catch (error) {
      fail(error instanceof RuleError ? error.code : 'engine_failed', error instanceof Error ? error.message : String(error))
    }
  }

  function send(message: StartIn | EndIn | PingMessage): boolean {
    if (message.type === 'start' || 'position' in message) start(message as StartIn)
    else if (running && 'id' in message && message.id === running.asked.id) {
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
      desk.handedOver.delete(renew)
      end()
    },
  }
}
