/** What the page and the thread that learns say to each other. */

import type { Choice } from './recipes'
import type { Curves, Look } from './run'

/** How much of the time is worked. */
export type Speed = 'full' | 'half'

export type ToLearner =
  /** Loads the run that was kept, if there is one. */
  | { type: 'open' }
  /** Begins another run, from a net's two files if they are given. */
  | { type: 'begin'; choice: Choice }
  | { type: 'from'; weights: Uint8Array<ArrayBuffer>; card: string; choice: Pick<Choice, 'simulations' | 'seed'> }
  | { type: 'go'; speed: Speed }
  | { type: 'pause' }
  | { type: 'ask'; id: number; ask: Ask }

/** Questions about a net of the run, by its number; the last one where there is none. */
export type Ask =
  | { kind: 'look'; moves: readonly number[]; net: number | null }
  | { kind: 'search'; moves: readonly number[]; net: number | null; simulations: number }
  | { kind: 'save'; net: number | null }

export interface SavedNet {
  name: string
  weights: Uint8Array<ArrayBuffer>
  card: string
}

/** How a run is, told some times a second. */
export interface Report {
  choice: Choice
  state: 'going' | 'paused' | 'over'
  phase: 'play' | 'learn' | 'score'
  iteration: number
  iterations: number
  seconds: number
  games: number
  /** Trainings that learned nothing before this one. */
  givenUp: number
  curves: Curves
  /** The seconds of the run's nets; the first has learned nothing. */
  nets: number[]
  /** The longest games going on, and the one that ended last with the row that won it. */
  going: number[][]
  last: { moves: number[]; line: number[]; result: number } | null
}

export type FromLearner =
  | { type: 'none' }
  | { type: 'report'; report: Report }
  | { type: 'answer'; id: number; answer: Look | SavedNet }
  | { type: 'refused'; code: string }
  | { type: 'failed'; id: number | null; message: string }
