import type { Color, RuleId, RulesSpec } from './types'

/** The wire types of analysis; names as in KataGo's analysis engine. `winrate` is always Black's. */

export interface PositionRequest {
  size: number
  winLength: number
  rule: RuleId
  moves?: string[]
  /** Set-up stones: size*size of `.`, `B`, `W`, the top row first. */
  cells?: string
  toMove?: Color
}

export interface LimitRequest {
  visits?: number
  time?: number
  nodes?: number
  depth?: number
}

export interface AnalysisRequest {
  position: PositionRequest
  engine: string
  level?: string
  net?: string
  limit: LimitRequest
  multipv: number
  include: ('visits' | 'policy')[]
}

export interface Candidate {
  move: string
  order: number
  visits: number
  winrate: number | null
  prior: number | null
  /** The side to move's expected result, -1 to 1. */
  value: number | null
  score: number | null
  pv: string[]
  winIn: number | null
}

export interface SearchRoot {
  currentPlayer: Color
  visits: number
  winrate: number | null
  nodes: number
  simulations: number
  depth: number
  maxDepth: number
  nps: number
  time: number
}

export interface Report {
  isDuringSearch: boolean
  turnNumber: number
  rootInfo: SearchRoot
  moveInfos: Candidate[]
  visits?: number[] | null
  policy?: (number | null)[] | null
}

export type AnalysisMessage =
  | ({ type: 'info' | 'done'; id: string; seq: number } & Report)
  | { type: 'queued'; id: string; ahead: number }
  | { type: 'error'; id: string | null; code: string; message: string }
  | { type: 'ping' }
  | { type: 'pong' }

export interface Threat {
  kind: string
  color: Color
  stones: string[]
  gains: string[]
}

export interface ForcedWin {
  color: Color
  toMove: boolean
  kind: 'vcf' | 'vct'
  verdict: 'win' | 'none' | 'unknown'
  moves: string[]
}

export interface ScoreReason {
  side: 'attack' | 'defence'
  direction: string
  stones: number
  open_ends: number
  score: number
  cells: string[]
}

export interface TreeRow {
  id: number
  parent: number | null
  move: string | null
  color: Color
  depth: number
  alpha: number | null
  beta: number | null
  value: number | null
  cutoff: boolean
}

export interface NetLayer {
  name: string
  architecture: string
  policy?: number[] | null
  value?: number | null
  winrate?: number | null
  maps: Record<string, number[]>
  gauges: Record<string, number>
}

export interface Layers {
  turnNumber: number
  threats?: { found: Threat[]; lines: ForcedWin[] } | null
  scores?: { attack: number[]; defence: number[]; reasons: Record<string, ScoreReason[]> } | null
  net?: NetLayer | null
  tree?: { depth: number; width: number; rows: TreeRow[]; isCut: boolean; best: string[] } | null
  words?: { move: string; en: string[]; zh: string[] }[] | null
  unsupported: Record<string, string>
}

export type LayerId = 'threats' | 'scores' | 'net' | 'tree' | 'words'

export interface LayersRequest {
  position: PositionRequest
  include: LayerId[]
  net?: string
  depth?: number
  moves?: string[]
}

export interface NetInfo {
  name: string
  architecture: string
  parameters: number
  size: number | null
  rules: RulesSpec
  shipped: boolean
  hasPolicy: boolean
  maps: string[]
}

export interface ParsedRecord {
  format: string
  tree: unknown
  warnings: string[]
}
