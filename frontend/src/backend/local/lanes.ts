/**
 * Who answers questions about positions. Everything that searches asks a `Lane`: a worker of the page with its own
 * engine, or the engines of a server (`remote/lane.ts`).
 */

import { effort } from '../effort'
import { BackendError, type StreamHandlers } from '@/backend'
import { fileUrl } from '@/host'
import type { AskName, Asks, Begin, EngineFacts, FromWorker, ServedName, Thought, ToWorker } from '@/backend/engine/asks'

/** How long a search may run after it was told to end, before its worker is ended. */
const PATIENCE_MS = 300
/** Least time between two reports of a search, where nobody asked for another. */
export const REPORT_MS = 250
/** Memory of what was searched: 64 MB where there is plenty, 16 MB on phones. */
const TABLE_BITS = ((navigator as { deviceMemory?: number }).deviceMemory ?? 4) >= 8 ? 22 : 20

/** The answer of a question, and ways to end it. */
export interface Running<A extends AskName> {
  answer: Promise<Asks[A]['answer']>
  /** Ends a search with its best so far; fails where there is nothing yet. */
  stop: () => void
  /** The answer is no longer wanted: it fails with the code `cancelled`. */
  cancel: () => void
}

/** Answers questions. */
export interface Lane {
  ask: <A extends ServedName>(name: A, asks: Asks[A]['asks'], options?: AskOptions) => Running<A>
}

interface Job {
  id: number
  name: AskName
  asks: unknown
  reportMs: number | null
  onInfo: ((info: Thought) => void) | undefined
  last: Thought | null
  resolve: (answer: never) => void
  reject: (error: Error) => void
  onTurn: ((ahead: number) => void) | undefined
}

export interface AskOptions {
  /** Hears of a search, at most so often. */
  onInfo?: (info: Thought) => void
  reportMs?: number
  /** Hears how many questions come before. */
  onTurn?: (ahead: number) => void
  /** Hears when the search begins, where that is not at once. */
  onBegun?: () => void
  /** Hears of the line to who answers, where there is one. */
  onLink?: StreamHandlers<never>['onLink']
}

let count = 0

/** One worker and its line: one question at a time, stopped by its word or by its end. */
export class WorkerLane implements Lane {
  private worker: Worker | null = null
  private line: Job[] = []
  private running: Job | null = null

  constructor(private readonly facts: EngineFacts) {}

  ask<A extends AskName>(name: A, asks: Asks[A]['asks'], options: AskOptions = {}): Running<A> {
    const id = ++count
    const job = { id, name, asks, reportMs: options.onInfo ? (options.reportMs ?? 0) : null, onInfo: options.onInfo, last: null, onTurn: options.onTurn } as Job
    const answer = new Promise<Asks[A]['answer']>((resolve, reject) => Object.assign(job, { resolve, reject }))
    answer.catch(() => undefined)
    this.line.push(job)
    this.next()
    return { answer, stop: () => this.end(job, true), cancel: () => this.end(job, false) }
  }

  private next(): void {
    if (!this.running && this.line.length) {
      const job = (this.running = this.line.shift()!)
      this.tell({ type: 'ask', id: job.id, name: job.name, asks: job.asks as never, reportMs: job.reportMs, share: effort.share })
    }
    this.line.forEach((job, i) => job.onTurn?.(i + 1))
  }

  private tell(message: ToWorker): void {
    this.worker ??= this.hire()
    this.worker.postMessage(message)
  }

  private hire(): Worker {
    const worker = new Worker(new URL('../engine/worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.hear(data)
    worker.onerror = (event) => this.lose(event.message || 'the engine could not be started')
    const begin: Begin = { type: 'begin', base: new URL(fileUrl(''), location.href).href, facts: this.facts, tableBits: TABLE_BITS }
    worker.postMessage(begin)
    return worker
  }

  private hear(message: FromWorker): void {
    const job = this.running
    if (!job || message.id !== job.id) return
    if (message.type === 'info') {
      job.last = message.info
      job.onInfo?.(message.info)
      return
    }
    this.running = null
    if (message.type === 'done') job.resolve(message.answer as never)
    else job.reject(new BackendError(message.code, message.code === 'engine_failed' ? 503 : 422, message.message))
    this.next()
  }

  private lose(message: string): void {
    const job = this.running
    this.fire()
    job?.reject(new BackendError('engine_failed', 503, message))
    this.next()
  }

  /** Ends the worker; the next question gets a fresh one. */
  private fire(): void {
    this.worker?.terminate()
    this.worker = null
    this.running = null
  }

  private end(job: Job, wantsAnswer: boolean): void {
    if (this.line.includes(job)) {
      this.line = this.line.filter((one) => one !== job)
      job.reject(cancelled())
      this.next()
    } else if (this.running === job) {
      if (!wantsAnswer) job.reject(cancelled())
      this.tell({ type: 'end', id: job.id })
      window.setTimeout(() => this.insist(job), PATIENCE_MS)
    }
  }

  /** A search that has not ended by itself: its last report is its answer. */
  private insist(job: Job): void {
    if (this.running !== job) return
    this.fire()
    if (job.last?.moveInfos.length) job.resolve(job.last as never)
    else job.reject(cancelled())
    this.next()
  }
}

export const cancelled = (): BackendError => new BackendError('cancelled', 0, 'not wanted any more')

/** Who does what: moves of games never wait for an analysis, nor an analysis for the facts about a position. */
export interface Lanes {
  moves: Lane
  analysis: Lane
  looks: Lane
}

export const newLanes = (facts: EngineFacts): Lanes => ({ moves: new WorkerLane(facts), analysis: new WorkerLane(facts), looks: new WorkerLane(facts) })
