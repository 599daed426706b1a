/** What the page asks of itself: games, reviews, searches and files, whoever searches and wherever they are stored. */

import type {
  AnalysisMessage, AnalysisProblem, BookName, ColorLetter as Color, Depth, DifficultyName, EndIn, ExportName, ForbiddenName, Language, LayerName,
  LocalText, MarkName, MoveInfo, Outcome, PhaseName, PingMessage, PositionIn, QueuedMessage, ReviewExportName, RootInfo, Rules, RuleName, RulesIn, StartIn, StatusName, ThemeName, VerdictName,
} from './generated'

export type HintKind = 'wins' | 'blocks_win' | 'open_four' | 'double_threat' | 'stops_open_four' | 'winning_line' | 'best_defence' | 'advantage' | 'difficult' | 'best_found'

/** The moves that come nearest to both sides standing alike, and Black's expected score after them. */
export interface Balance {
  moves: string[]
  winrate: number | null
}

/** Whether a move would be a bad mistake; which move is better is not told. */
export interface Check {
  isBlunder: boolean
  reason: LocalText | null
  loss: number | null
  /** the other side's proved win after it */
  line: string[]
}

/** What the shipped proofs say of a position: Black wins, Black has left them, or they are about another game. */
export interface ProofLook {
  state: 'proved' | 'open' | 'off'
  /** White's replies to Black's first move, up to symmetry. */
  of: number
  /** Black's move by the proof, where it is to move. */
  move: string | null
  /** At most so many plies until Black's row; null where it is not counted. */
  plies: number | null
  /** The win against the longest defence. */
  line: string[]
  /** White's replies to a move of the proof: the plies until Black's row after it, 0 where they are not counted. */
  replies: { move: string; plies: number }[]
}

/** A seat's clock at the moment of the answer. */
export interface Clock {
  leftS: number
  incrementS: number
  /** where each move begins the clock anew */
  moveS: number | null
  running: boolean
}

/** A clock for each seat: seconds for the whole game, and what each action adds; or seconds a move. */
export interface ClockIn {
  seconds: number
  increment?: number
  /** the seconds are those of each move; none are added */
  eachMove?: boolean
}

/** Why the engine to act gave no answer; `POST .../resume` asks it again. */
export interface EngineError {
  code: string
  message: string
  /** The last lines of its process; empty where others can reach the server */
  log: string
}

/** The engine to move gave no answer. */
export interface EngineErrorMessage {
  type: 'engineError'
  code: string
  message: string
}

/** A point that Black may not play in renju, and why. */
export interface Forbidden {
  move: string
  kind: ForbiddenName
}

/** Whether a side that is to move would win by fours (vcf) or by threats (vct), and how. */
export interface ForcedWin {
  color: Color
  toMove: boolean
  kind: 'vcf' | 'vct'
  verdict: 'win' | 'none' | 'unknown'
  moves: string[]
}

/** What there is beside a game between two people who each have a link. */
export interface ByLink {
  /** this page's; null: it only watches */
  seat: 0 | 1 | null
  /** the seats whose pages are open */
  here: number[]
  /** what one side asks the other */
  offer: { kind: 'undo' | 'draw' | 'rematch'; seat: number } | null
  /** the clocks begin when both are here */
  stands: boolean
  /** the game after this one */
  next: string | null
  /** what the other side's page has tried against the rules, and was not let */
  foul: string | null
  /** whether an action of this page is still on its way */
  unsent: boolean
}

/** The links of a game between two people: one for each seat that this browser knows the key of, and one to watch. */
export interface Invitation {
  seats: (string | null)[]
  watch: string
}

/** The state of a game, now and after each change. */
export interface GameMessage {
  type: 'state'
  game: GameState
}

/** Everything a board needs to show; `seq` grows with each change. */
export interface GameState extends GameSummary {
  seq: number
  createdAt: string
  phase: PhaseName
  seatToAct: number
  toMove: Color
  /** stones that the seat to act may put down at once; when it chooses none, the first or all */
  toPlace: Color[]
  moves: string[]
  cells: string
  lastMove: string | null
  winningLines: string[][]
  forbidden: Forbidden[]
  thinking: SearchStatus | null
  paused: boolean
  engineError: EngineError | null
  /** Black's expected score, 0 to 1 */
  winrate: number | null
  winrates: (number | null)[]
  canUndo: boolean
  canRedo: boolean
  positionCode: string
  /** by seat; null where nobody counts the time */
  clocks: (Clock | null)[]
  /** least seconds a move; null where a person plays */
  paceS: number | null
  /** null where all who play sit at this page */
  byLink: ByLink | null
}

/** A game in a list. */
export interface GameSummary {
  id: string
  name: string
  rules: Rules
  seats: [Seat, Seat]
  ply: number
  outcome: Outcome | null
  updatedAt: string
}

/** A hint: at level 1 the area and what kind of move it is, all else at level 2. */
export interface Hint {
  area: string[]
  move: string | null
  kind: HintKind
  reason: LocalText
  winrate: number | null
  lines: Record<string, unknown>[]
}

/** The layers asked for; of those that make no sense here, why. */
export interface Layers {
  turnNumber: number
  threats: ThreatLayer | null
  scores: ScoreLayer | null
  net: NetLayer | null
  tree: TreeLayer | null
  words: MoveWords[] | null
  unsupported: Record<string, string>
}

/** Which layers of a position to make. */
export interface LayersIn {
  position: PositionIn
  include: LayerName[]
  /** for the layer net: a name of /nets */
  net?: string | null
  /** plies of the layer tree */
  depth?: number
  /** for the layer words */
  moves?: string[]
}

/** A move in words. */
export interface MoveWords {
  en: string[]
  zh: string[]
  move: string
}

/** What a net says without search; maps and gauges as far as it has them. */
export interface NetLayer {
  name: string
  architecture: string
  policy: number[] | null
  value: number | null
  winrate: number | null
  maps: Record<string, number[]>
  gauges: Record<string, number>
}

/** A new game; seat 0 acts first (Black, unless the opening lets seats swap). */
export interface NewGame {
  rules?: RulesIn
  seats: [SeatIn, SeatIn]
  /** 'random' shuffles the seats */
  firstSeat?: 'random' | null
  moves?: string[] | null
  setup?: SetupIn | null
  /** without one nobody loses on time */
  clock?: ClockIn | null
  /** extra stones of Black before White's first move */
  handicap?: number
  /** begin with an opening drawn from a book; even: about equal for both sides */
  book?: BookName | null
}

/** A game to review: one of the server's, or the text of a record. */
export interface NewReview {
  gameId?: string | null
  record?: string | null
  depth?: Depth
  /** of the names of engines in a game of the server's */
  lang?: Language
}

/** A position code, checked. */
export interface Position {
  cells: string
  toMove: Color
  ply: number
  legal: number
  forbidden: Forbidden[]
  outcome: Outcome | null
  winningLines: string[][]
  positionCode: string
  /** only if asked for */
  threats: Threat[] | null
}

/** What an engine did when it was tried out on an almost empty board. */
export interface Probe {
  board: Rules
  move: string | null
  seconds: number
  /** simulations, or positions of an alpha-beta search */
  visits: number
  depth: number
  winrate: number | null
}

/** A puzzle. */
export interface Puzzle extends PuzzleSummary {
  moves: string[]
  /** only if asked for */
  solution: string[] | null
}

/** A puzzle in a list. */
export interface PuzzleSummary {
  id: string
  theme: ThemeName
  rules: Rules
  ply: number
  toMove: Color
  /** moves of the solution, both sides' */
  length: number
  difficulty: DifficultyName
}

/** A game given up, or agreed to be a draw, by a side that was not losing. */
export interface Resigned {
  color: Color
  win: Win | null
  /** that side's */
  winrate: number
  text: LocalText
}

/** A review as far as it is done; `seq` grows with each result. */
export interface Review {
  id: string
  seq: number
  status: StatusName
  error: string | null
  errorCode: string | null
  createdAt: string
  players: Record<Color, string>
  date: string
  rules: Rules
  outcome: Outcome | null
  player: string
  /** stones before the first move, as in GameState.cells */
  start: string
  judgedFrom: number
  progress: ReviewProgress
  winrates: (number | null)[]
  moves: ReviewMove[]
  sides: ReviewSide[]
  worst: number[]
  resigned: Resigned | null
}

/** A review, now and after each result. */
export interface ReviewMessage {
  type: 'state'
  review: Review
}

/** What is known of a move; win rates are Black's, losses are points of the mover's win rate. */
export interface ReviewMove {
  ply: number
  color: Color
  move: string
  before: number | null
  after: number | null
  loss: number | null
  accuracy: number | null
  mark: MarkName | null
  best: string[]
  missed: Win | null
  allowed: Win | null
  /** a forced win; whether the move played wins too is open */
  openWin: Win | null
  /** the opponent's forced win after the move */
  loses: Win | null
  defence: string | null
  only: string | null
  forced: boolean
  /** it is proved that the move wins */
  wins: boolean
  /** it is proved that every move loses */
  isLost: boolean
  /** the analyst finds no move that saves the game */
  seemsLost: boolean
  isDeep: boolean
  text: Texts
}

/** How far a review is. */
export interface ReviewProgress {
  stage: 'quick' | 'prove' | 'deep' | 'defend' | 'verify' | 'levels' | null
  done: number
  of: number
  fraction: number
  /** searches of others before the next step */
  ahead: number
}

/** One side's game in numbers. */
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
  /** null where it is not estimated */
  strength: Strength | null
}

/** How strong a side played: an estimate in Elo with its 95 % interval, the nearest level, and the moves it rests on. */
export interface Strength {
  elo: number
  low: number
  high: number
  level: string
  moves: number
}

/** A review in a list. */
export interface ReviewSummary {
  id: string
  status: StatusName
  createdAt: string
  players: Record<Color, string>
  rules: Rules
  ply: number
  fraction: number
}

/** The score table for the side to move, by cell, and the reasons of the best cells. */
export interface ScoreLayer {
  attack: number[]
  defence: number[]
  reasons: Record<string, ScoreReason[]>
}

/** A run that gives a cell its score. */
export interface ScoreReason {
  side: 'attack' | 'defence'
  direction: string
  stones: number
  open_ends: number
  score: number
  cells: string[]
}

/** What the engine to move thinks so far; `seq` grows with each report. */
export interface SearchMessage {
  type: 'info'
  gameId: string
  ply: number
  seq: number
  rootInfo: RootInfo
  moveInfos: MoveInfo[]
}

/** Who sits where, with the colour now. */
export interface Seat {
  kind: 'human' | 'engine'
  engine: string | null
  level: string | null
  name: LocalText
  /** a person who told no name */
  isUnnamed: boolean
  /** an engine that thinks while the person does */
  ponders: boolean
  color: Color
  /** of a game by a link: this page plays it */
  isMe?: boolean
}

/** Who sits down: a human, or an engine of the server's list, or a run's net, at one of its levels. */
export interface SeatIn {
  kind: 'human' | 'engine'
  engine?: string | null
  level?: string | null
  /** think while the person against it does */
  ponders?: boolean
  /** of a person */
  name?: string
}

/** Stones on the board before the first move. */
export interface SetupIn {
  /** size*size characters of '.', 'B', 'W', top row first */
  cells: string
  toMove?: Color | null
}

/** Sentences in both languages. */
export interface Texts {
  en: string[]
  zh: string[]
}

/** A search that runs or waits for a worker. */
export interface SearchStatus {
  seat: number
  startedAt: string
  elapsed: number
  limitS: number | null
  queuedAhead: number
}

/** A threat on the board. */
export interface Threat {
  kind: string
  color: Color
  stones: string[]
  gains: string[]
}

/** What is on the board, and the forced wins of both sides. */
export interface ThreatLayer {
  found: Threat[]
  lines: ForcedWin[]
}

/** What minimax looked at, in order. */
export interface TreeLayer {
  depth: number
  width: number
  rows: TreeRow[]
  isCut: boolean
  best: string[]
}

/** A node of the recorded tree; values are those of the side to move there. */
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

/** What a tried move is worth. */
export interface Trial {
  verdict: VerdictName
  /** whether the verdict is, or only believed */
  proved: boolean
  /** the opponent's answer while a win is not complete */
  reply: string | null
  /** the opponent's forced win, if there is one */
  line: string[]
  loss: number | null
  winrate: number | null
}

/** A forced win that the checker accepted. */
export interface Win {
  kind: 'five' | 'vcf' | 'vct'
  moves: string[]
}

type Id = { id: string }
type Cells = { moves?: string[] }

/** What each operation takes and answers. */
export interface OwnOperations {
  'system.probe': { asks: Id & { level?: string }; answer: Probe }
  'games.create': { asks: { body: NewGame }; answer: GameState }
  'games.recent': { asks: { limit?: number; search?: string }; answer: GameSummary[] }
  'games.look': { asks: Id; answer: GameState }
  /** Whether it may be put back. */
  'games.remove': { asks: Id; answer: boolean }
  'games.restore': { asks: Id; answer: void }
  'games.restart': { asks: Id & { body?: { swapSides?: boolean } }; answer: GameState }
  'play.move': { asks: Id & { body: { move: string; ply?: number | null } }; answer: GameState }
  'play.action': { asks: Id & { body: Cells & { action: 'swap' | 'keep' | 'place'; ply?: number | null } }; answer: GameState }
  'play.undo': { asks: Id & { body?: { plies?: number | null } }; answer: GameState }
  'play.redo': { asks: Id & { body?: { plies?: number | null } }; answer: GameState }
  'play.resign': { asks: Id & { body?: { color?: Color | null } }; answer: GameState }
  'play.draw': { asks: Id; answer: GameState }
  'play.stop': { asks: Id; answer: GameState }
  'play.resume': { asks: Id; answer: GameState }
  'play.pace': { asks: Id & { body: { seconds: number } }; answer: GameState }
  'play.name': { asks: Id & { body: { name: string } }; answer: GameState }
  /** With links for both seats from now on, of which this browser takes one. */
  'games.invite': { asks: Id & { body: { seat: 0 | 1 } }; answer: GameState }
  'games.invitation': { asks: Id; answer: Invitation }
  /** Takes the seat of a link, which ends with this mark. */
  'games.sit': { asks: Id & { body: { mark: string } }; answer: GameState }
  'play.ask': { asks: Id & { body: { kind: 'undo' | 'draw' | 'rematch' } }; answer: GameState }
  'play.reply': { asks: Id & { body: { accepts: boolean } }; answer: GameState }
  'play.call': { asks: Id & { body: { name: string } }; answer: GameState }
  'play.move_now': { asks: Id; answer: GameState }
  'play.hint': { asks: Id & { body?: { level?: 1 | 2 } }; answer: Hint }
  'play.check': { asks: Id & { body: { ply: number; move: string } }; answer: Check }
  'records.import_game': { asks: { charset?: string; rule?: RuleName; body: string | File }; answer: GameState }
  'records.export': { asks: Id & { format?: ExportName; lang?: Language }; answer: Blob }
  /** All games of a file, and why others of it cannot be read. */
  'records.collection': { asks: { body: string | File }; answer: { records: Record<string, unknown>[]; problems: string[] } }
  'positions.look': { asks: { code: string; size?: number; winLength?: number; rule?: RuleName; threats?: boolean }; answer: Position }
  'positions.look_at': { asks: { threats?: boolean; body: PositionIn }; answer: Position }
  'proofs.look': { asks: { body: PositionIn }; answer: ProofLook }
  /** A proved win of the side to move, and who has won already. */
  'proofs.refute': { asks: { body: PositionIn }; answer: { win: Win | null; winner: Color | null } }
  'analysis.balance': { asks: { body: { position: PositionIn; count?: 1 | 2 } }; answer: Balance }
  'analysis.layers': { asks: { body: LayersIn }; answer: Layers }
  'reviews.create': { asks: { body: NewReview }; answer: Review }
  'reviews.recent': { asks: { limit?: number }; answer: ReviewSummary[] }
  'reviews.look': { asks: Id; answer: Review }
  'reviews.remove': { asks: Id; answer: void }
  'reviews.restore': { asks: Id; answer: void }
  'reviews.stop': { asks: Id; answer: Review }
  'reviews.resume': { asks: Id; answer: Review }
  'reviews.attempt': { asks: Id & { body: { ply: number; move: string } }; answer: Trial }
  'reviews.export': { asks: Id & { format?: ReviewExportName; lang?: Language; side?: Color }; answer: Blob }
  'puzzles.puzzles': { asks: { theme?: ThemeName; limit?: number }; answer: PuzzleSummary[] }
  'puzzles.look': { asks: Id & { solution?: boolean }; answer: Puzzle }
  'puzzles.attempt': { asks: Id & { body: { moves: string[] } }; answer: Trial }
}

/** What can be followed. */
export interface OwnTopics {
  games: { asks: Id; says: GameMessage | SearchMessage | EngineErrorMessage; hears: PingMessage }
  reviews: { asks: Id; says: ReviewMessage; hears: PingMessage }
  analysis: { asks: object; says: AnalysisMessage | QueuedMessage | AnalysisProblem; hears: StartIn | EndIn }
}
