import { getJson, send } from './client'
import { type LinkState, LiveSocket, type SocketHandlers } from './socket'
import type { Color, EndReason, RulesSpec } from '@/wire/types'

/** The wire types and requests of training runs. */

export type RunState = 'starting' | 'running' | 'finished' | 'stopped' | 'failed' | 'crashed'

export interface Work {
  stage: 'selfplay' | 'learn' | 'judge'
  iteration: number
  done: number
  of: number
  speed: number | null
}

export interface Score {
  iteration: number
  kind: 'mcts' | 'best'
  playouts: number | null
  wins: number
  losses: number
  draws: number
  rate: number
  low: number
  high: number
}

export interface Finding {
  code: string
  text: string
  figures: Record<string, number | string>
}

export interface RunSummary {
  id: string
  method: string
  preset: string
  rules: RulesSpec
  net: string
  state: RunState
  reason: string
  canStop: boolean
  iteration: number
  iterations: number | null
  games: number | null
  seconds: number
  begunAt: string
  updatedAt: string
  elo: number | null
  score: Score | null
  work: Work | null
  findings: Finding[]
}

export type Parameter = string | number | boolean | null

export interface Run extends RunSummary {
  parameters: Record<string, Record<string, Parameter>>
  environment: Record<string, string | number | null>
  version: string
}

/** Figures of an iteration by name; its number is `iteration`. */
export type MetricsRow = Record<string, number | null>

export interface Metrics {
  version: number
  count: number
  stride: number
  rows: MetricsRow[]
}

export interface RunGame {
  number: number
  net: number
  moves: string
  ply: number
  opening: number
  winner: Color | null
  reason: EndReason
}

export interface RunGames {
  total: number
  first: number
  rules: RulesSpec
  games: RunGame[]
}

export interface RunNet {
  name: string
  engine: string | null
  iteration: number | null
  games: number | null
  parameters: number
  bytes: number
  current: boolean
  best: boolean
}

export interface Preset {
  name: string
  method: string
  summary: string
  size: number
}

export interface TrainingInfo {
  hasRuns: boolean
  canStart: boolean
  presets: Preset[]
}

export interface NewRunRequest {
  name: string
  preset: string
  size?: number
  winLength?: number
  iterations?: number
  samples?: number
  simulations?: number
  workers?: number
  seed?: number
  maxMinutes?: number
}

/** What the stream of a run says: how it stands, and its rows from number `first` on. */
export interface RunMessage {
  type: 'run' | 'ping' | 'pong'
  run: RunSummary
  version: number
  count: number
  first: number
  rows: MetricsRow[]
}

const at = (id: string, tail = ''): string => `/runs/${encodeURIComponent(id)}${tail}`

async function change(path: string, token: string, body: unknown): Promise<RunSummary> {
  const headers = { 'Content-Type': 'application/json', 'X-Wuzi-Token': token }
  return (await (await send(path, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as RunSummary
}

export const trainingApi = {
  info: () => getJson<TrainingInfo>('/training'),
  list: () => getJson<RunSummary[]>('/runs'),
  get: (id: string) => getJson<Run>(at(id)),
  metrics: (id: string, points = 500) => getJson<Metrics>(at(id, `/metrics?points=${points}`)),
  evaluations: (id: string) => getJson<Score[]>(at(id, '/evaluations')),
  games: (id: string, first?: number, limit = 12) => getJson<RunGames>(at(id, `/games?limit=${limit}${first === undefined ? '' : `&first=${first}`}`)),
  nets: (id: string) => getJson<RunNet[]>(at(id, '/nets')),
  start: (request: NewRunRequest, token: string) => change('/runs', token, request),
  stop: (id: string, token: string) => change(at(id, '/stop'), token, {}),
  resume: (id: string, token: string, maxMinutes?: number) => change(at(id, '/resume'), token, maxMinutes ? { maxMinutes } : {}),
}

/** The one-way stream of a run. */
export class RunSocket extends LiveSocket<RunMessage> {
  constructor(id: string, handlers: SocketHandlers<RunMessage>) {
    super(`/ws/v1/runs/${encodeURIComponent(id)}`, handlers)
  }
}

export type { LinkState }
