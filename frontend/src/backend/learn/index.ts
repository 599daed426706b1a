/** The page's way to the thread that learns. */

import { BackendError } from '@/backend'
import type { Ask, FromLearner, Report, SavedNet, Speed, ToLearner } from './messages'
import type { Choice } from './recipes'
import type { Look } from './run'

export type { Choice, Look, Report, SavedNet, Speed }
export type { At, Curves, ScorePoint } from './run'

export interface Heard {
  onReport: (report: Report | null) => void
  /** A net's files were not taken, by a code that the page has words for. */
  onRefused: (code: string) => void
  onFailed: (message: string) => void
}

export class LearnerThread {
  private readonly worker = new Worker(new URL('./learnWorker.ts', import.meta.url), { type: 'module' })
  private readonly waiting = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>()
  private count = 0

  constructor(private readonly heard: Heard) {
    this.worker.onmessage = ({ data }: MessageEvent<FromLearner>) => this.hear(data)
    this.worker.onerror = (event) => heard.onFailed(event.message)
  }

  /** Loads the run that was kept. */
  open(): void {
    this.tell({ type: 'open' })
  }

  begin(choice: Choice): void {
    this.tell({ type: 'begin', choice })
  }

  /** Begins with the net of two files. */
  beginFrom(weights: Uint8Array<ArrayBuffer>, card: string, choice: Pick<Choice, 'simulations' | 'seed'>): void {
    this.tell({ type: 'from', weights, card, choice })
  }

  go(speed: Speed): void {
    this.tell({ type: 'go', speed })
  }

  pause(): void {
    this.tell({ type: 'pause' })
  }

  ask(ask: Extract<Ask, { kind: 'save' }>): Promise<SavedNet>
  ask(ask: Extract<Ask, { kind: 'look' | 'search' }>): Promise<Look>
  ask(ask: Ask): Promise<Look | SavedNet> {
    const id = this.count++
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject })
      this.tell({ type: 'ask', id, ask })
    })
  }

  /** Ends the thread at once; what was kept stays. */
  end(): void {
    this.worker.terminate()
  }

  private tell(message: ToLearner): void {
    this.worker.postMessage(message)
  }

  private hear(message: FromLearner): void {
    switch (message.type) {
      case 'none':
        return this.heard.onReport(null)
      case 'report':
        return this.heard.onReport(message.report)
      case 'refused':
        return this.heard.onRefused(message.code)
      case 'answer':
        return this.answer(message.id)?.resolve(message.answer as never)
      case 'failed': {
        if (message.id === null) return this.heard.onFailed(message.message)
        return this.answer(message.id)?.reject(new BackendError('engine_failed', 0, message.message))
      }
    }
  }

  private answer(id: number) {
    const found = this.waiting.get(id)
    this.waiting.delete(id)
    return found
  }
}
