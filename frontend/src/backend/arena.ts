import { getJson, postJson, PREFIX, send } from './client'
import type { LocalText, OpeningId, RuleId, RulesSpec } from '@/wire/types'

/** The wire types and requests of arenas and of uploaded results. */

export type ArenaStatus = 'running' | 'stopping' | 'stopped' | 'done' | 'failed' | 'interrupted'
export type Format = 'round-robin' | 'gauntlet' | 'ladder'
export type Openings = 'book' | 'auto' | 'none'
export type Lang = 'en' | 'zh'
export type Kind = 'arenas' | 'results'

export interface Budget {
  timeS?: number | null
  clockS?: number | null
  incrementS?: number
  nodes?: number | null
  depth?: number | null
  visits?: number | null
}

export interface ArenaPlayerRequest {
  spec: string
  label?: string
  limit?: Budget | null
}

export interface NewArenaRequest {
  name?: string
  players: ArenaPlayerRequest[]
  games?: number
  format?: Format
  rules?: { size: number; winLength: number; rule: RuleId; opening: OpeningId }
  openings?: Openings
  limit?: Budget | null
  sprt?: { elo0?: number; elo1?: number } | null
  seed?: number
}

export interface Estimate {
  value: number | null
  low: number | null
  high: number | null
}

export interface Standing {
  label: string
  games: number
  wins: number
  draws: number
  losses: number
  winRate: Estimate
  rating: Estimate | null
}

export interface Pair {
  leader: string
  other: string
  wins: number
  draws: number
  losses: number
  score: Estimate
  elo: Estimate
  los: number
  separable: boolean
  distinct: number | null
  pentanomial: number[]
}

export interface Sprt {
  elo0: number
  elo1: number
  llr: number
  low: number
  high: number
  nelo: number
  decision: 'H0' | 'H1' | ''
}

export interface TextTable {
  title: string
  header: string[]
  rows: string[][]
  names: number
}

export interface Figures {
  games: number
  distinct: number | null
  standings: Standing[]
  pairs: Pair[]
  findings: string[]
  warnings: string[]
  tables: TextTable[]
  methods: string[]
}

export interface LiveBoard {
  gameId: string
  black: string
  white: string
  size: number
  moves: string[]
}

export interface ArenaSummary {
  id: string
  name: string
  status: ArenaStatus
  createdAt: string
  players: string[]
  rules: RulesSpec
  done: number
  total: number
}

export interface Arena extends ArenaSummary {
  seq: number
  message: string
  format: Format
  openings: string
  gamesPerHour: number | null
  etaS: number | null
  sprt: Sprt | null
  figures: Figures | null
}

export interface ArenaPlayer {
  spec: string
  name: LocalText
  limit: Record<string, number>
}

export interface GameRow {
  number: number
  black: string
  white: string
  winner: 'black' | 'white' | 'draw'
  reason: string
  plies: number | null
  durationS: number | null
  size: number | null
  winLength: number | null
  rule: string
  moves: string
}

export interface GameRows {
  total: number
  games: GameRow[]
}

export interface Charts {
  status: 'none' | 'making' | 'ready' | 'failed'
  games: number
  message: string
  charts: { number: number; title: string }[]
}

export interface ResultFile {
  id: string
  name: string
  createdAt: string
  games: number
  players: string[]
}

export type ArenaMessage =
  | { type: 'state'; arena: Arena }
  | { type: 'boards'; boards: LiveBoard[] }
  | { type: 'ping' }
  | { type: 'pong' }

const at = (kind: Kind, id: string, tail = ''): string => `/${kind}/${encodeURIComponent(id)}${tail}`

export const arenaApi = {
  list: () => getJson<ArenaSummary[]>('/arenas'),
  players: () => getJson<ArenaPlayer[]>('/arenas/players'),
  create: (request: NewArenaRequest) => postJson<Arena>('/arenas', request),
  get: (id: string, lang: Lang) => getJson<Arena>(at('arenas', id, `?lang=${lang}`)),
  stop: (id: string, lang: Lang) => postJson<Arena>(at('arenas', id, `/stop?lang=${lang}`)),
  resume: (id: string, lang: Lang) => postJson<Arena>(at('arenas', id, `/resume?lang=${lang}`)),
  results: () => getJson<ResultFile[]>('/results'),
  result: (id: string) => getJson<ResultFile>(at('results', id)),
  figures: (id: string, lang: Lang) => getJson<Figures>(at('results', id, `/figures?lang=${lang}`)),
  upload: async (file: File): Promise<ResultFile> => {
    const form = new FormData()
    form.append('file', file)
    return (await (await send(`/results?name=${encodeURIComponent(file.name.slice(0, 120))}`, { method: 'POST', body: form })).json()) as ResultFile
  },
  remove: async (kind: Kind, id: string): Promise<void> => {
    await send(at(kind, id), { method: 'DELETE' })
  },
  games: (kind: Kind, id: string, after: number, limit = 50) => getJson<GameRows>(at(kind, id, `/games?after=${after}&limit=${limit}`)),
  charts: (kind: Kind, id: string, lang: Lang) => getJson<Charts>(at(kind, id, `/charts?lang=${lang}`)),
  draw: (kind: Kind, id: string, lang: Lang) => postJson<Charts>(at(kind, id, `/charts?lang=${lang}`)),
  chartUrl: (kind: Kind, id: string, number: number, lang: Lang, games: number) =>
    `${PREFIX}${at(kind, id, `/charts/${number}?lang=${lang}&of=${games}`)}`,
  exportUrl: (kind: Kind, id: string, format: 'csv' | 'sgf' | 'html', lang: Lang) =>
    `${PREFIX}${at(kind, id, `/export?format=${format}&lang=${lang}`)}`,
}
