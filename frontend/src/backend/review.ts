import { getJson, postJson, PREFIX, send } from './client'
import { forget, keep } from './kept'
import type { Color, LocalText, Outcome, RulesSpec } from '@/wire/types'

/** The wire types and requests of reviews, puzzles and the look at a move before it is played. */

export type Mark = 'good' | 'inaccuracy' | 'mistake' | 'blunder'
export type Depth = 'quick' | 'normal' | 'deep'
export type ReviewStatus = 'running' | 'stopped' | 'done' | 'failed'
export type Verdict = 'solved' | 'continues' | 'close' | 'fails'
export type Theme = 'vcf' | 'vct' | 'defence'

export interface ProvedWin {
  kind: 'five' | 'vcf' | 'vct'
  moves: string[]
}

export interface ReviewMove {
  ply: number
  color: Color
  move: string
  before: number | null
  after: number | null
  loss: number | null
  accuracy: number | null
  mark: Mark | null
  best: string[]
  missed: ProvedWin | null
  allowed: ProvedWin | null
  defence: string | null
  only: string | null
  forced: boolean
  isLost: boolean
  isDeep: boolean
  text: { en: string[]; zh: string[] }
}

export interface ReviewSide {
  color: Color
  moves: number
  accuracy: number | null
  meanLoss: number | null
  agreement: number | null
  inaccuracies: number
  mistakes: number
  blunders: number
  missedWins: number
  allowedWins: number
  onlyFound: number
  onlyMissed: number
}

export interface ReviewProgress {
  stage: 'quick' | 'prove' | 'deep' | 'defend' | null
  done: number
  of: number
  fraction: number
  ahead: number
}

export interface ReviewSummary {
  id: string
  status: ReviewStatus
  createdAt: string
  players: Record<Color, string>
  rules: RulesSpec
  ply: number
  fraction: number
}

export interface Review extends Omit<ReviewSummary, 'ply' | 'fraction'> {
  seq: number
  error: string | null
  errorCode: string | null
  date: string
  outcome: Outcome | null
  player: string
  start: string
  judgedFrom: number
  progress: ReviewProgress
  winrates: (number | null)[]
  moves: ReviewMove[]
  sides: ReviewSide[]
  worst: number[]
}

/** What the stream of a review sends. */
export type ReviewMessage = { type: 'state'; review: Review } | { type: 'ping' | 'pong' }

export interface Trial {
  verdict: Verdict
  reply: string | null
  line: string[]
  loss: number | null
  winrate: number | null
}

export interface Check {
  isBlunder: boolean
  reason: LocalText | null
  loss: number | null
}

export interface PuzzleSummary {
  id: string
  theme: Theme
  rules: RulesSpec
  ply: number
  toMove: Color
  length: number
}

export interface Puzzle extends PuzzleSummary {
  moves: string[]
  solution: string[] | null
}

export type ReviewFormat = 'sgf' | 'html' | 'csv' | 'json'

const at = (id: string, tail = ''): string => `/reviews/${encodeURIComponent(id)}${tail}`

export const reviewApi = {
  list: () => getJson<ReviewSummary[]>('/reviews?limit=30'),
  ofGame: (gameId: string, depth: Depth) => postJson<Review>('/reviews', { gameId, depth }),
  ofRecord: (record: string, depth: Depth) => postJson<Review>('/reviews', { record, depth }),
  get: (id: string) => getJson<Review>(at(id)),
  /** A state that came by the stream, for the time without the server. */
  keepReview: (review: Review) => keep(at(review.id), review),
  stop: (id: string) => postJson<Review>(at(id, '/stop')),
  resume: (id: string) => postJson<Review>(at(id, '/resume')),
  remove: async (id: string): Promise<void> => {
    await send(at(id), { method: 'DELETE' })
    void forget(at(id))
  },
  tryMove: (id: string, ply: number, move: string) => postJson<Trial>(at(id, '/try'), { ply, move }),
  exportUrl: (id: string, format: ReviewFormat, lang: 'en' | 'zh') => `${PREFIX}${at(id, `/export?format=${format}&lang=${lang}`)}`,
  check: (gameId: string, move: string, ply: number) => postJson<Check>(`/games/${encodeURIComponent(gameId)}/check`, { move, ply }),
}

export const puzzleApi = {
  list: (theme: Theme) => getJson<PuzzleSummary[]>(`/puzzles?theme=${theme}`),
  get: (id: string) => getJson<Puzzle>(`/puzzles/${encodeURIComponent(id)}`),
  solution: (id: string) => getJson<Puzzle>(`/puzzles/${encodeURIComponent(id)}?solution=true`),
  tryMoves: (id: string, moves: string[]) => postJson<Trial>(`/puzzles/${encodeURIComponent(id)}/try`, { moves }),
}
