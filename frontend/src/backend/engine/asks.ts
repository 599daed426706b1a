/** What the page asks the engine's worker, and what it answers. */

import { Position, type Side } from '@/wasm/rulebook'
import type { Balance, Layers, LayersIn, MapName, MoveInfo, ProofLook, RootInfo } from '@/wire'
import { type Action, Game, type GameRules } from './game'
import type { DataFiles } from './data'
import type { Words } from './explain'
import type { AllScores } from './runs'
import type { Budget } from './info'
import type { ProofFacts } from './proofs'

/** What a site's facts tell a worker. */
export interface EngineFacts {
  data: DataFiles
  levels: Record<string, LevelFacts>
  scores: AllScores
  words: Words
  proofs: ProofFacts
}

/** What a level may see and search, see `wuzi.players.levels`. */
export interface LevelFacts {
  haste: number
  sight: number
  spread: number
  nodes: number | null
  depth: number
  vcf_nodes: number
  temperature: number
}

/** A game as it travels to a worker and into the store. */
export interface GameData {
  rules: GameRules
  start: { cells: number[]; toMove: Side } | null
  actions: Action[]
}

/** How a game began; null for the empty board. */
export function startData({ cells, toMove, key }: Position): GameData['start'] {
  return key ? { cells: [...cells], toMove } : null
}

export function gameData({ rules, start, actions }: Game): GameData {
  return { rules, start: startData(start), actions: [...actions] }
}

export function gameFrom({ rules, start, actions }: GameData): Game {
  const first = start ? Position.of(rules, Int8Array.from(start.cells), start.toMove) : undefined
  return actions.reduce((game, action) => game.act(action), Game.begin(rules, first))
}

/** A search's report; at its end with what to do. */
export interface Thought {
  rootInfo: RootInfo
  moveInfos: MoveInfo[]
  action: Action | null
  /** What only a server's players do and know. */
  resigned?: boolean
  visits?: number[] | null
  policy?: (number | null)[] | null
  madeRoom?: boolean
}

export interface SeatClock {
  leftS: number
  incrementS: number
  /** Seconds of a clock that begins anew with each action, in place of one for the whole game. */
  moveS?: number | null
  /** Increments of actions that were taken back when they were used up already: the next ones pay for them. */
  owedS?: number
}

/** A player as the page names it. */
export interface PlayerName {
  engine: string
  level?: string | null | undefined
  net?: string | null | undefined
}

export interface ThinkAsk {
  game: GameData
  /** The player's spec, for a worker; empty where only a server has that player. */
  spec: string
  /** The same player, for a server. */
  player?: PlayerName
  seed: number
  limit: Budget
  multipv: number
  /** It is a move of a game: on a server it has the level's own budget and what the clock leaves, and goes before analyses. */
  turn?: { clock: SeatClock | null }
  include?: MapName[]
}

/** The worker decides who gives a hint and in which time, unless the request says so. */
export interface HintAsk {
  game: GameData
  /** Who gives it on a server. */
  analyst?: 'engine' | 'minimax-s1'
  spec?: string
  limit?: Budget
}

export interface HintAnswer {
  move: number
  area: number[]
  /** A key of the words. */
  reason: string
  winrate: number | null
  lines: MoveInfo[]
}

/** Budgets of a review. */
export interface ReviewOptions {
  player: string
  quickNodes: number
  deepNodes: number
  /** Of the search at what a proof leaves open. */
  verifyNodes: number
  multipv: number
  proofNodes: number
  /** Stones at the beginning that nobody chose; they are not judged. */
  book?: number
  /** Whether the strength of both sides is estimated. */
  strength?: boolean
}

export type Goal = 'win' | 'defend' | 'best'
export interface JudgeAsk {
  game: GameData
  move: number
  goal: Goal
  options: ReviewOptions
}

export interface Judged {
  verdict: 'solved' | 'continues' | 'close' | 'fails' | 'lost'
  /** Whether the verdict is proved, or only what the analyst believes. */
  proved: boolean
  reply: number | null
  line: number[]
  loss: number | null
  winrate: number | null
}

export interface WinFound {
  kind: 'five' | 'vcf' | 'vct'
  moves: number[]
}
export interface Said {
  said: string
  cells: number[]
  plies: number
}
export interface SeenLine {
  move: number
  winrate: number
  winIn: number | null
  pv: number[]
}

/** What the tasks of a review find, as `wuzi.analysis.review.results` has it. */
export interface Look {
  winrate: number
  nodes: number
  lines: SeenLine[]
  said: Said[] | null
}
export interface Proof {
  win: WinFound | null
  /** The other side wins by threats whatever is played here. */
  lost: boolean
  threat: WinFound | null
  only: number | null
  forced: boolean
  said: Said[] | null
}
export interface Defence {
  move: number | null
  tried: number
  /** Every legal move is proved to lose. */
  proved: boolean
  said: Said[]
}

/** How likely each level that searches less plays the move played, weakest first, and the policy alone. */
export interface LevelFit {
  likelihoods: number[]
  policy: number
}
export type TaskResult = Look | Proof | Defence | LevelFit

export type TaskKind = 'quick' | 'prove' | 'deep' | 'defend' | 'verify' | 'levels'
export interface TaskAsk {
  game: GameData
  kind: TaskKind
  ply: number
  moves: number[]
  options: ReviewOptions
}

/** Each question that a server's engines answer, too. */
export interface ServedAsks {
  think: { asks: ThinkAsk; answer: Thought }
  hint: { asks: HintAsk; answer: HintAnswer }
  balance: { asks: { game: GameData; count: number }; answer: Balance }
  layers: { asks: { game: GameData; body: Omit<LayersIn, 'position'> }; answer: Layers }
  judge: { asks: JudgeAsk; answer: Judged }
  review: { asks: TaskAsk; answer: TaskResult }
}
export type ServedName = keyof ServedAsks

/** Each question with its answer. */
export interface Asks extends ServedAsks {
  /** What the shipped proofs say. */
  proof: { asks: { game: GameData }; answer: ProofLook }
  /** A proved win of the side to move, as far as so many positions show one. */
  refute: { asks: { game: GameData; nodes: number }; answer: WinFound | null }
}
export type AskName = keyof Asks

export interface Begin {
  type: 'begin'
  /** Where data files lie. */
  base: string
  facts: EngineFacts
  /** Two to this power entries of 16 bytes hold what was searched. */
  tableBits: number
}
export interface Question {
  type: 'ask'
  id: number
  name: AskName
  asks: Asks[AskName]['asks']
  /** Least milliseconds between two reports, or null for none. */
  reportMs: number | null
  /** How much of the time it works, up to 1. */
  share: number
}
export interface EndQuestion {
  type: 'end'
  id: number
}
export type ToWorker = Begin | Question | EndQuestion

export type FromWorker =
  | { type: 'info'; id: number; info: Thought }
  | { type: 'done'; id: number; answer: Asks[AskName]['answer'] }
  | { type: 'failed'; id: number; code: string; message: string }
