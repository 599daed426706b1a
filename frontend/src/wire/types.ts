/** The wire types of `/api/v1`. Cells are renju text ("h8"), times seconds, win rates Black's 0..1. */

export type Color = 'B' | 'W'
export type RuleId = 'freestyle' | 'standard' | 'renju' | 'caro' | 'caro_overline'
export type OpeningId = 'free' | 'swap1' | 'swap2'
export type Phase = 'play' | 'place_three' | 'choose' | 'choose_after_five' | 'over'
export type ForbiddenKind = 'overline' | 'double_four' | 'double_three'
export type EndReason =
  | 'line'
  | 'draw_full'
  | 'forbidden'
  | 'resignation'
  | 'agreement'
  | 'time'
  | 'crash'
  | 'illegal'
  | 'adjudication'

export interface LocalText {
  en: string
  zh: string
}

export interface RulesSpec {
  size: number
  winLength: number
  rule: RuleId
  opening: OpeningId
}

export interface SeatRequest {
  kind: 'human' | 'engine'
  engine?: string
  level?: string
}

export interface Seat extends SeatRequest {
  name: LocalText
  color: Color
}

export interface ForbiddenPoint {
  move: string
  kind: ForbiddenKind
}

export interface Outcome {
  winner: Color | null
  reason: EndReason
  forbiddenKind?: ForbiddenKind | null
}

export interface Thinking {
  seat: number
  startedAt: string
  elapsed: number
  limitS: number | null
  queuedAhead: number
}

export interface GameState {
  id: string
  seq: number
  createdAt: string
  updatedAt: string
  rules: RulesSpec
  seats: [Seat, Seat]
  phase: Phase
  seatToAct: number
  toMove: Color
  ply: number
  moves: string[]
  /** size*size characters of `.`, `B`, `W`; the top row first. */
  cells: string
  lastMove: string | null
  winningLines: string[][]
  forbidden: ForbiddenPoint[]
  outcome: Outcome | null
  thinking: Thinking | null
  paused: boolean
  engineError: { code: string; message: string; log: string } | null
  winrate: number | null
  /** One entry per ply, 0..ply. */
  winrates: (number | null)[]
  canUndo: boolean
  canRedo: boolean
  positionCode: string
  /** By seat; null where nobody counts the time. */
  clocks: (GameClock | null)[]
}

export interface GameClock {
  leftS: number
  incrementS: number
  running: boolean
}

export interface GameSummary {
  id: string
  rules: RulesSpec
  seats: [Seat, Seat]
  ply: number
  outcome: Outcome | null
  updatedAt: string
}

/** A measured strength with its 95 % interval. */
export interface Rating {
  elo: number
  low: number
  high: number
  games: number
  /** Of the board that it was measured on. */
  size: number
}

export interface EngineLevel {
  id: string
  name: LocalText
  limit?: unknown
  rating?: Rating | null
}

export interface EngineInfo {
  id: string
  name: LocalText
  spec?: string
  description?: LocalText
  defaultLevel?: string
  levels: EngineLevel[]
  capabilities: {
    rules: string[]
    minSize: number
    maxSize: number
    winLengths: number[] | null
    openings: string[]
  }
}

export interface VersionInfo {
  version: string
  rules: { id: RuleId }[]
  minSize: number
  maxSize: number
  readOnly: boolean
  limits?: { maxMoveS: number; maxArenas: number }
}

export interface Health {
  status: string
  version: string
  kernels?: 'warm' | 'cold' | 'compiling'
}

export interface NewGameRequest {
  rules: RulesSpec
  seats: [SeatRequest, SeatRequest]
  firstSeat?: 'random'
  moves?: string[]
  clock?: { seconds: number; increment: number }
  book?: BookId
}

export type BookId = 'even' | 'renju26'

export interface HintArea {
  area: string[]
  reason?: LocalText | null
}

export interface HintMove {
  move: string
  reason: LocalText
  winrate: number | null
  lines?: unknown[]
}

export interface PositionInfo {
  cells: string
  toMove: Color
  forbidden?: ForbiddenPoint[]
  outcome?: Outcome | null
  winningLines?: string[][]
}

export interface MoveInfo {
  move: string
  order: number
  visits: number
  winrate: number | null
  prior?: number | null
  pv?: string[]
}

export interface RootInfo {
  visits: number | null
  winrate: number | null
  time?: number
  nodes?: number | null
  depth?: number | null
}

export type ServerMessage =
  | { type: 'state'; game: GameState }
  | { type: 'info'; gameId: string; ply: number; seq: number; rootInfo: RootInfo; moveInfos: MoveInfo[] }
  | { type: 'engineError'; message: string; code: string }
  | { type: 'ping' }
  | { type: 'pong' }

export interface Problem {
  type?: string
  title?: string
  status?: number
  detail?: string
  code?: string
}

export type ExportFormat = 'sgf' | 'psq' | 'rec' | 'pos' | 'json' | 'svg' | 'txt'
