/** The engine's thread: answers one question at a time, and hears between two steps of a search that it may end. */

import { loadRules, RuleError } from '@/wasm/rulebook'
import { fetchModule } from '../module'
import type { FromWorker, Question, ToWorker } from './asks'
import { Toolbox } from './toolbox'
import { restAfter } from '../effort'
import { yieldToEvents } from '../yieldToEvents'

let toolbox: Promise<Toolbox> | null = null
let running: number | null = null
const ended = new Set<number>()
let turn: Promise<void> = Promise.resolve()

const tell = (message: FromWorker): void => self.postMessage(message)

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === 'begin') {
    toolbox = loadRules(fetchModule).then((kernels) => new Toolbox(kernels, data))
  } else if (data.type === 'end') {
    if (running === data.id) ended.add(data.id)
  } else turn = turn.then(() => answer(data))
}

const LOOK_MS = 50

/** Rests, and hears meanwhile whether it may end. */
async function rest(ms: number, id: number): Promise<void> {
  const until = performance.now() + ms
  while (performance.now() < until && !ended.has(id)) await new Promise((go) => setTimeout(go, Math.min(LOOK_MS, until - performance.now())))
}

async function answer({ id, name, asks, reportMs, share }: Question): Promise<void> {
  running = id
  let last = -Infinity
  let begun = performance.now()
  try {
    const tools = await toolbox!
    const found = await tools.answer(name, asks as never, async (info) => {
      if (reportMs !== null && performance.now() - last >= reportMs) {
        last = performance.now()
        tell({ type: 'info', id, info: info() })
      }
      const idleMs = restAfter(performance.now() - begun, share)
      await (idleMs > 1 ? rest(idleMs, id) : yieldToEvents())
      begun = performance.now()
      return ended.has(id)
    })
    tell({ type: 'done', id, answer: found })
  } catch (error) {
    const code = error instanceof RuleError ? error.code : 'engine_failed'
    tell({ type: 'failed', id, code, message: error instanceof Error ? error.message : String(error) })
  }
  ended.delete(id)
  running = null
}
