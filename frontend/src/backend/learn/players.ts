/** Threads that play a run's games beside the one that learns, where the browser keeps the page apart and has cores. */

import type { Snapshot } from './net'
import type { Choice } from './recipes'
import type { FinishedGame } from './replay'

/** How many there may be, and how long is waited for a game before others are heard. */
const MOST = 3
const WAIT_MS = 100

export type ToPlayer =
  /** Begins: the first of `count` players has the game of number `first`. */
  | { type: 'begin'; choice: Choice; first: number; count: number }
  /** Plays on, with these weights from now on. */
  | { type: 'play'; net: Snapshot; doublings: number }
  | { type: 'pause' }

export interface FromPlayer {
  ended: FinishedGame[]
  going: number[][]
}

/** Where games come from that are not played in this thread. */
export interface Players {
  /** The moves of the games going on. */
  readonly going: number[][]
  /** Goes on with these weights. */
  play: (net: Snapshot, doublings: number) => void
  /** Games that have ended, which may be waited for a moment. */
  taken: () => Promise<FinishedGame[]>
  pause: () => void
}

/** How many players a run gets here; 0: its games are played by the thread that learns. */
export const playersHere = (): number => (self.crossOriginIsolated ? Math.min(MOST, navigator.hardwareConcurrency - 1) : 0)

export class PlayerThreads implements Players {
  private workers: Worker[] = []
  private readonly shown: number[][][]
  private ended: FinishedGame[] = []
  private heard: (() => void) | null = null

  /** Players of a run whose games before `begun` are over; they begin when they are needed. */
  constructor(
    private readonly choice: Choice,
    private readonly begun: number,
    count: number,
  ) {
    this.shown = Array.from({ length: count }, () => [])
  }

  get going(): number[][] {
    return this.shown.flat().sort((a, b) => b.length - a.length)
  }

  play(net: Snapshot, doublings: number): void {
    if (!this.workers.length) this.workers = this.shown.map((_, i) => this.player(i))
    for (const worker of this.workers) this.tell(worker, { type: 'play', net, doublings })
  }

  async taken(): Promise<FinishedGame[]> {
    if (!this.ended.length) {
      await new Promise<void>((resolve) => {
        this.heard = resolve
        setTimeout(resolve, WAIT_MS)
      })
    }
    return this.ended.splice(0)
  }

  pause(): void {
    for (const worker of this.workers) this.tell(worker, { type: 'pause' })
  }

  /** Ends all of them at once. */
  end(): void {
    for (const worker of this.workers) worker.terminate()
  }

  private player(i: number): Worker {
    const worker = new Worker(new URL('./playWorker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<FromPlayer>) => this.hear(i, data)
    this.tell(worker, { type: 'begin', choice: this.choice, first: this.begun + i, count: this.shown.length })
    return worker
  }

  private tell(worker: Worker, message: ToPlayer): void {
    worker.postMessage(message)
  }

  private hear(player: number, { ended, going }: FromPlayer): void {
    this.shown[player] = going
    this.ended.push(...ended)
    this.heard?.()
  }
}
