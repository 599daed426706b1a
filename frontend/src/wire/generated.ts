/* Made by scripts/wire_types.py from the server's models. Do not edit. */

export type ColorLetter = 'B' | 'W'

export type RuleName = 'freestyle' | 'standard' | 'renju' | 'caro' | 'caro_overline'

export type OpeningName = 'free' | 'swap1' | 'swap2'

export type PhaseName = 'play' | 'place_three' | 'choose' | 'choose_after_five' | 'over'

export type ReasonName = 'line' | 'draw_full' | 'forbidden' | 'resignation' | 'agreement' | 'time' | 'crash' | 'illegal' | 'adjudication'

export type ForbiddenName = 'overline' | 'double_four' | 'double_three'

export type ExportName = 'sgf' | 'psq' | 'rec' | 'pos' | 'json' | 'svg' | 'txt'

export type AbilityName = 'play' | 'analyse' | 'review' | 'solve' | 'compete' | 'manage' | 'ponder'

export type BookName = 'even' | 'renju26'

export type HintKind = 'wins' | 'blocks_win' | 'open_four' | 'double_threat' | 'stops_open_four' | 'winning_line' | 'best_defence' | 'advantage' | 'difficult' | 'best_found'

export type Language = 'en' | 'zh'

export type MapName = 'visits' | 'policy'

export type LayerName = 'threats' | 'scores' | 'net' | 'tree' | 'words'

export type ReviewExportName = 'sgf' | 'html' | 'csv' | 'json'

export type Depth = 'quick' | 'normal' | 'deep'

export type MarkName = 'good' | 'inaccuracy' | 'mistake' | 'blunder'

export type StatusName = 'running' | 'stopped' | 'done' | 'failed'

export type ThemeName = 'vcf' | 'vct' | 'defence'

export type DifficultyName = 'easy' | 'medium' | 'hard'

export type VerdictName = 'solved' | 'continues' | 'close' | 'fails' | 'lost'

export type ArenaStatus = 'running' | 'stopping' | 'stopped' | 'done' | 'failed' | 'interrupted'

export type FormatName = 'round-robin' | 'gauntlet' | 'ladder'

export type OpeningsName = 'book' | 'auto' | 'none'

export type StateName = 'starting' | 'running' | 'finished' | 'stopped' | 'failed' | 'crashed'

export type StageName = 'selfplay' | 'learn' | 'judge'

/** What a seat does in an opening phase. */
export interface ActionIn {
  action: 'swap' | 'keep' | 'place'
  moves?: string[]
  ply?: number | null
}

/** A report of a search. */
export interface Analysis {
  id: string
  isDuringSearch: boolean
  turnNumber: number
  rootInfo: RootInfo
  moveInfos: MoveInfo[]
  /** by cell, if asked for and known */
  visits: number[] | null
  /** prior by cell, likewise */
  policy: (number | null)[] | null
}

/** A report of a search; `done` is the last one. */
export interface AnalysisMessage {
  type: 'info' | 'done'
  id: string
  isDuringSearch: boolean
  turnNumber: number
  rootInfo: RootInfo
  moveInfos: MoveInfo[]
  /** by cell, if asked for and known */
  visits: number[] | null
  /** prior by cell, likewise */
  policy: (number | null)[] | null
  seq: number
  /** it ended before its limit, as others waited */
  madeRoom: boolean
}

/** A search that cannot be made or has failed; no id where the request had none. */
export interface AnalysisProblem {
  type: 'error'
  id: string | null
  code: string
  message: string
}

/** A position to be analysed by an engine of the server's list, or by a net with or without search. */
export interface AnalyzeIn {
  position: PositionIn
  /** of /engines, or a run's; with a net az or policy */
  engine?: string
  level?: string | null
  /** a name of /nets */
  net?: string | null
  limit?: LimitIn
  /** how many candidates */
  multipv?: number
  /** maps over the board */
  include?: MapName[]
}

/** An arena as it stands. */
export interface Arena {
  id: string
  name: string
  status: ArenaStatus
  createdAt: string
  players: string[]
  rules: Rules
  done: number
  total: number
  /** grows with every change */
  seq: number
  /** why it failed; English, as the command said it */
  message: string
  format: FormatName
  openings: string
  gamesPerHour: number | null
  etaS: number | null
  sprt: Sprt | null
  /** null before the first game is over */
  figures: Figures | null
}

/** An arena, now and whenever it changes. */
export interface ArenaMessage {
  type: 'state'
  arena: Arena
}

/** A player that forms can offer. */
export interface ArenaPlayer {
  spec: string
  name: LocalText
  limit: Record<string, number>
}

/** A player: a spec string as `wuzi players` shows them, without commands or paths. */
export interface ArenaPlayerIn {
  spec: string
  /** its name in the results; the spec by default */
  label?: string
  /** its own instead of the arena's */
  limit?: BudgetIn | null
}

/** An arena in a list. */
export interface ArenaSummary {
  id: string
  name: string
  status: ArenaStatus
  createdAt: string
  players: string[]
  rules: Rules
  done: number
  total: number
}

/** The moves that come nearest to both sides standing alike, and Black's expected score after them. */
export interface Balance {
  moves: string[]
  winrate: number | null
}

/** A position to even out by one or two moves. */
export interface BalanceIn {
  position: PositionIn
  count?: 1 | 2
}

/** A game that is being played. */
export interface Board {
  gameId: string
  black: string
  white: string
  size: number
  moves: string[]
}

/** The games in progress. */
export interface BoardsMessage {
  type: 'boards'
  boards: Board[]
}

/** Games that may begin from a book: the smallest and largest board and row. */
export interface Book {
  id: BookName
  /** null: any */
  rule: RuleName | null
  minSize: number
  maxSize: number
  minWinLength: number
  maxWinLength: number
}

/** What an answer, or a game, may cost; by default what the player itself uses. */
export interface BudgetIn {
  /** seconds a move */
  timeS?: number | null
  /** seconds a game */
  clockS?: number | null
  /** seconds added after each move */
  incrementS?: number
  nodes?: number | null
  depth?: number | null
  /** simulations of a tree search */
  visits?: number | null
}

/** What an engine can play. */
export interface Capabilities {
  rules: RuleName[]
  minSize: number
  maxSize: number
  winLengths: number[] | null
  openings: OpeningName[]
  deterministic: boolean
}

/** A picture of a report. */
export interface Chart {
  number: number
  title: string
}

/** Whether the charts of a report are drawn. */
export interface Charts {
  status: 'none' | 'making' | 'ready' | 'failed'
  /** games that the charts show */
  games: number
  message: string
  charts: Chart[]
}

/** Whether a move would be a bad mistake; which move is better is not told. */
export interface Check {
  isBlunder: boolean
  reason: LocalText | null
  loss: number | null
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

/** Engines to offer first, by id. */
export interface Defaults {
  opponent: string
  /** the best one that knows the rules analyses */
  analysts: string[]
  /** players of the analysis that take any net of /nets */
  netPlayers: string[]
}

/** Ends the search of that id: `stop` with its best answer so far, `cancel` without one. */
export interface EndIn {
  type: 'stop' | 'cancel'
  id: string
}

/** An opponent of the server's list. */
export interface Engine {
  id: string
  name: LocalText
  description: LocalText
  spec: string
  /** the name in /nets of the net that it plays with */
  net: string | null
  defaultLevel: string
  levels: Level[]
  capabilities: Capabilities
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

/** A number with its 95 % interval. */
export interface Estimate {
  /** null where the data set no bound */
  value: number | null
  /** null where the data set no bound */
  low: number | null
  /** null where the data set no bound */
  high: number | null
}

/** What games say: numbers for pictures, and a report's sentences and tables in one language. */
export interface Figures {
  games: number
  distinct: number | null
  standings: Standing[]
  pairs: Pair[]
  findings: string[]
  warnings: string[]
  tables: Table[]
  methods: string[]
}

/** Something that is wrong with a run; `other` only has the run's own words. */
export interface Finding {
  code: string
  text: string
  figures: Record<string, number | string>
}

/** A point that Black may not play in renju, and why. */
export interface Forbidden {
  move: string
  kind: ForbiddenName
}

/** Whether a side that is to move would win by fours (vcf) or by threats (vct), and how. */
export interface ForcedWin {
  color: ColorLetter
  toMove: boolean
  kind: 'vcf' | 'vct'
  verdict: 'win' | 'none' | 'unknown'
  moves: string[]
}

/** The state of a game, now and after each change. */
export interface GameMessage {
  type: 'state'
  game: GameState
}

/** A finished game. */
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
  /** position code; empty where the file holds no moves */
  moves: string
}

/** Some of the games, and how many there are. */
export interface GameRows {
  total: number
  games: GameRow[]
}

/** Everything a board needs to show; `seq` grows with each change. */
export interface GameState {
  id: string
  name: string
  rules: Rules
  seats: [Seat, Seat]
  ply: number
  outcome: Outcome | null
  updatedAt: string
  seq: number
  createdAt: string
  phase: PhaseName
  seatToAct: number
  toMove: ColorLetter
  /** stones that the seat to act may put down at once; when it chooses none, the first or all */
  toPlace: ColorLetter[]
  moves: string[]
  cells: string
  lastMove: string | null
  winningLines: string[][]
  forbidden: Forbidden[]
  thinking: Thinking | null
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

/** How long to continue, and to which iteration. */
export interface GoOn {
  /** in all; left out: as before */
  iterations?: number | null
  maxMinutes?: number | null
}

/** Whether the server is ready. */
export interface Health {
  status: 'ok'
  version: string
  commit: string | null
  kernels: 'warm' | 'cold' | 'compiling'
  /** kernels that are ready */
  compiled: number
  /** kernels that there are */
  toCompile: number
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

/** How much to tell: 1 only where to look, 2 the move and why. */
export interface HintIn {
  level?: 1 | 2
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

/** A level of an engine. */
export interface Level {
  id: string
  name: LocalText
  limit: Record<string, number>
  rating: Rating | null
}

/** The budget; whatever comes first ends the search, and the server's own limits always hold. */
export interface LimitIn {
  visits?: number | null
  /** seconds */
  time?: number | null
  nodes?: number | null
  depth?: number | null
}

/** The server's hard limits. */
export interface Limits {
  maxBody: number
  maxGames: number
  maxSockets: number
  maxMoveS: number
  maxArenas: number
  workers: number
}

/** A text in both languages. */
export interface LocalText {
  en: string
  zh: string
}

/** Figures by iteration. Each of `rows` has the latest value of every figure among `stride` iterations. `count` counts all there are, and `version` grows when the run has dropped some and computes them again. */
export interface Metrics {
  version: number
  count: number
  stride: number
  rows: (Record<string, number | null>)[]
}

/** The answer of `?wait=true`. */
export interface MoveAndReply {
  game: GameState
  reply: Reply | null
}

/** One stone. */
export interface MoveIn {
  /** A cell: h8, or 7,7 (column,row). */
  move: string
  ply?: number | null
}

/** A candidate. `winrate` is Black's, `value` the side to move's; `winIn` plies are proven. */
export interface MoveInfo {
  move: string
  order: number
  visits: number
  winrate: number | null
  prior: number | null
  value: number | null
  score: number | null
  pv: string[]
  winIn: number | null
}

/** A move in words. */
export interface MoveWords {
  en: string[]
  zh: string[]
  move: string
}

/** What a game is called; nothing for no name. */
export interface NameIn {
  name: string
}

/** A net at hand; parameters are counted, not claimed. */
export interface Net {
  name: string
  architecture: string
  parameters: number
  size: number | null
  rules: Rules
  shipped: boolean
  hasPolicy: boolean
  maps: string[]
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

/** Games between players of the server. */
export interface NewArena {
  name?: string
  players: ArenaPlayerIn[]
  /** games of each pairing */
  games?: number
  format?: FormatName
  rules?: RulesIn
  /** book: the even openings of the rule and board, else auto (random ones) */
  openings?: OpeningsName
  limit?: BudgetIn | null
  sprt?: SprtIn | null
  seed?: number
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

/** A run to begin. */
export interface NewRun {
  preset: string
  size?: number | null
  winLength?: number | null
  iterations?: number | null
  /** games an iteration */
  samples?: number | null
  /** a move */
  simulations?: number | null
  /** processes; 0 as many as cores */
  workers?: number | null
  seed?: number | null
  name: string
  maxMinutes?: number | null
}

/** How a game ended; no winner is a draw. */
export interface Outcome {
  winner: ColorLetter | null
  reason: ReasonName
  forbiddenKind: ForbiddenName | null
}

/** Least seconds of a move where engines play each other. */
export interface PaceIn {
  seconds: number
}

/** Two players against each other, as the one ahead sees it. */
export interface Pair {
  leader: string
  other: string
  wins: number
  draws: number
  losses: number
  score: Estimate
  elo: Estimate
  /** likelihood that the leader is the stronger one */
  los: number
  separable: boolean
  distinct: number | null
  /** pairs of games by score, 0 to 2 in halves; empty: no pairs */
  pentanomial: number[]
}

/** What a game file holds. */
export interface ParsedRecord {
  format: string
  rules: Rules
  moves: string[]
  players: Record<string, string>
  result: Outcome | null
  tree: Record<string, unknown> | null
  warnings: string[]
}

/** A heartbeat; each side sends them, and the other answers with `pong`. */
export interface PingMessage {
  type: 'ping' | 'pong'
}

/** A position code, checked. */
export interface Position {
  cells: string
  toMove: ColorLetter
  ply: number
  legal: number
  forbidden: Forbidden[]
  outcome: Outcome | null
  winningLines: string[][]
  positionCode: string
  /** only if asked for */
  threats: Threat[] | null
}

/** Stones on a board: moves from the empty board or from a set-up one, colours in turn. */
export interface PositionIn {
  size?: number
  winLength?: number
  rule?: RuleName
  moves?: string[]
  /** set-up: as in SetupIn */
  cells?: string | null
  /** who moves first on the set-up board */
  toMove?: ColorLetter | null
}

/** A named set of parameters to begin with. */
export interface Preset {
  name: string
  method: string
  summary: string
  size: number
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

/** An error, as RFC 9457 says; `code` is stable and meant for programs. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  errors?: Record<string, string>[] | null
}

/** A puzzle. */
export interface Puzzle {
  id: string
  theme: ThemeName
  rules: Rules
  ply: number
  toMove: ColorLetter
  /** moves of the solution, both sides' */
  length: number
  difficulty: DifficultyName
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
  toMove: ColorLetter
  /** moves of the solution, both sides' */
  length: number
  difficulty: DifficultyName
}

/** A move in a puzzle. */
export interface PuzzleTryIn {
  /** both sides', from its position */
  moves: string[]
}

/** A search waits for a worker. */
export interface QueuedMessage {
  type: 'queued'
  id: string
  ahead: number
}

/** How strong a level was measured to be, on wuzi's own scale, with its 95 % interval. */
export interface Rating {
  elo: number
  low: number
  high: number
  games: number
  /** of the board that it was measured on */
  size: number
}

/** What an engine answered. */
export interface Reply {
  move: string | null
  action: Record<string, unknown>
  resigned: boolean
  winrate: number | null
  moveInfos: Record<string, unknown>[]
}

/** Which side gives up; by default the person's. */
export interface ResignIn {
  color?: ColorLetter | null
}

/** A game given up, or agreed to be a draw, by a side that was not losing. */
export interface Resigned {
  color: ColorLetter
  win: Win | null
  /** that side's */
  winrate: number
  text: LocalText
}

/** How a game is begun anew. */
export interface RestartIn {
  /** exchange the seats */
  swapSides?: boolean
}

/** An uploaded file of results. */
export interface Result {
  id: string
  name: string
  createdAt: string
  games: number
  players: string[]
}

/** A review as far as it is done; `seq` grows with each result. */
export interface Review {
  id: string
  seq: number
  status: StatusName
  error: string | null
  errorCode: string | null
  createdAt: string
  players: Record<ColorLetter, string>
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
  color: ColorLetter
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
  /** the enemy's forced win after the move */
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
  stage: 'quick' | 'prove' | 'deep' | 'defend' | 'verify' | null
  done: number
  of: number
  fraction: number
  /** searches of others before the next step */
  ahead: number
}

/** One side's game in numbers. */
export interface ReviewSide {
  color: ColorLetter
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

/** A review in a list. */
export interface ReviewSummary {
  id: string
  status: StatusName
  createdAt: string
  players: Record<ColorLetter, string>
  rules: Rules
  ply: number
  fraction: number
}

/** The search as a whole. */
export interface RootInfo {
  currentPlayer: ColorLetter
  visits: number
  winrate: number | null
  nodes: number
  simulations: number
  depth: number
  maxDepth: number
  nps: number
  time: number
}

/** A rule, and the board it needs. */
export interface Rule {
  id: RuleName
  /** null: any */
  winLengths: number[] | null
}

/** The rules of a game. */
export interface Rules {
  size: number
  winLength: number
  rule: RuleName
  opening: OpeningName
}

/** The rules of a new game. */
export interface RulesIn {
  size?: number
  winLength?: number
  rule?: RuleName
  opening?: OpeningName
}

/** One run: what does not change as well. */
export interface Run {
  id: string
  method: string
  preset: string
  rules: Rules
  /** the architecture */
  net: string
  state: StateName
  /** why it ended, in the run's own words; may be empty */
  reason: string
  /** whether this server trains here and was not told to stop */
  canStop: boolean
  iteration: number
  iterations: number | null
  games: number | null
  seconds: number
  begunAt: string
  updatedAt: string
  elo: number | null
  /** the latest evaluation */
  score: Score | null
  work: Work | null
  findings: Finding[]
  /** as they are now */
  parameters: Record<string, Record<string, string | number | boolean | null>>
  changes: RunChange[]
  environment: Record<string, string | number | null>
  /** of wuzi, that began it */
  version: string
}

/** A parameter that was changed when the run was resumed. */
export interface RunChange {
  /** after which it holds */
  iteration: number
  /** section.key */
  name: string
  before: string | number | boolean | null
  after: string | number | boolean | null
}

/** What a run would do; what is left out is as the preset says. */
export interface RunChoice {
  preset: string
  size?: number | null
  winLength?: number | null
  iterations?: number | null
  /** games an iteration */
  samples?: number | null
  /** a move */
  simulations?: number | null
  /** processes; 0 as many as cores */
  workers?: number | null
  seed?: number | null
}

/** A game of self-play. */
export interface RunGame {
  number: number
  /** the iteration of the net that began it */
  net: number
  /** a position code */
  moves: string
  ply: number
  /** how many of the moves were drawn at random */
  opening: number
  winner: ColorLetter | null
  reason: ReasonName
}

/** Games in the order they ended. */
export interface RunGames {
  total: number
  first: number
  rules: Rules
  games: RunGame[]
}

/** How a training run stands, and its rows of figures from number `first` on. `version` and `count` are those of the metrics. A client that has fewer than `first` rows, or those of another version, asks for all figures again. */
export interface RunMessage {
  type: 'run'
  run: RunSummary
  version: number
  count: number
  first: number
  rows: (Record<string, number | null>)[]
}

/** A net that a run has saved. */
export interface RunNet {
  name: string
  /** the id to play or analyse with; null where it cannot be opened */
  engine: string | null
  iteration: number | null
  games: number | null
  parameters: number
  bytes: number
  current: boolean
  best: boolean
}

/** A run in a list, and what changes from moment to moment. */
export interface RunSummary {
  id: string
  method: string
  preset: string
  rules: Rules
  /** the architecture */
  net: string
  state: StateName
  /** why it ended, in the run's own words; may be empty */
  reason: string
  /** whether this server trains here and was not told to stop */
  canStop: boolean
  iteration: number
  iterations: number | null
  games: number | null
  seconds: number
  begunAt: string
  updatedAt: string
  elo: number | null
  /** the latest evaluation */
  score: Score | null
  work: Work | null
  findings: Finding[]
}

/** How long a run would take, measured with fresh weights for some seconds. */
export interface RunTime {
  /** right to a factor of about two */
  seconds: number
}

/** The result of an evaluation, with the 95 % interval of its score. */
export interface Score {
  iteration: number
  /** against pure MCTS, or the best net before it */
  kind: 'mcts' | 'best'
  /** of pure MCTS */
  playouts: number | null
  wins: number
  losses: number
  draws: number
  rate: number
  low: number
  high: number
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
  color: ColorLetter
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
  toMove?: ColorLetter | null
}

/** Where a sequential test stands. */
export interface Sprt {
  elo0: number
  elo1: number
  llr: number
  low: number
  high: number
  nelo: number
  decision: 'H0' | 'H1' | ''
}

/** A test that ends the games as soon as it is decided, in normalised Elo; for two players. */
export interface SprtIn {
  elo0?: number
  elo1?: number
}

/** A player of a tournament; the strongest comes first. */
export interface Standing {
  label: string
  games: number
  wins: number
  draws: number
  losses: number
  winRate: Estimate
  /** Elo points; the mean of all players is 0 */
  rating: Estimate | null
}

/** Begins a search in place of the one that runs. */
export interface StartIn {
  position: PositionIn
  /** of /engines, or a run's; with a net az or policy */
  engine?: string
  level?: string | null
  /** a name of /nets */
  net?: string | null
  limit?: LimitIn
  /** how many candidates */
  multipv?: number
  /** maps over the board */
  include?: MapName[]
  type?: 'start'
  /** comes back with every report */
  id: string
  /** least seconds between two reports */
  reportEvery?: number
}

/** A titled table of text. */
export interface Table {
  title: string
  header: string[]
  rows: string[][]
  names: number
}

/** Sentences in both languages. */
export interface Texts {
  en: string[]
  zh: string[]
}

/** A search that runs or waits for a worker. */
export interface Thinking {
  seat: number
  startedAt: string
  elapsed: number
  limitS: number | null
  queuedAhead: number
}

/** A threat on the board. */
export interface Threat {
  kind: string
  color: ColorLetter
  stones: string[]
  gains: string[]
}

/** What is on the board, and the forced wins of both sides. */
export interface ThreatLayer {
  found: Threat[]
  lines: ForcedWin[]
}

/** What this server has and allows of training. */
export interface Training {
  /** whether there is a folder of runs */
  hasRuns: boolean
  /** whether runs may be begun here, with the token */
  canStart: boolean
  /** the command that installs PyTorch where it is not; else null */
  missing: string | null
  presets: Preset[]
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
  color: ColorLetter
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
  /** the enemy's answer while a win is not complete */
  reply: string | null
  /** the enemy's forced win, if there is one */
  line: string[]
  loss: number | null
  winrate: number | null
}

/** A move in place of one of the game's, or of one that is not played yet. */
export interface TryIn {
  /** moves played before it */
  ply: number
  /** A cell: h8, or 7,7 (column,row). */
  move: string
}

/** How far to go back or forward; by default to the person's previous turn. */
export interface UndoIn {
  plies?: number | null
}

/** What this server can do. */
export interface Version {
  version: string
  commit: string | null
  rules: Rule[]
  openings: OpeningName[]
  minSize: number
  maxSize: number
  minWinLength: number
  /** of the board, for any other opening than free */
  minOpeningSize: number
  books: Book[]
  defaults: Defaults
  limits: Limits
  readOnly: boolean
  /** play, analyse, review, solve puzzles, begin tournaments, remove and upload results */
  can: AbilityName[]
}

/** A forced win that the checker accepted. */
export interface Win {
  kind: 'five' | 'vcf' | 'vct'
  moves: string[]
}

/** What a run is doing at the moment. */
export interface Work {
  stage: StageName
  iteration: number
  done: number
  of: number
  /** positions evaluated a second */
  speed: number | null
}

/** What each operation takes and answers. */
export interface Operations {
  'system.health': { asks: object; answer: Health }
  'system.version': { asks: object; answer: Version }
  'system.engines': { asks: object; answer: Engine[] }
  'system.probe': { asks: { id: string; level?: string }; answer: Probe }
  'games.create': { asks: { body: NewGame }; answer: GameState }
  'games.recent': { asks: { limit?: number; search?: string }; answer: GameSummary[] }
  'games.look': { asks: { id: string }; answer: GameState }
  'games.remove': { asks: { id: string }; answer: void }
  'games.restart': { asks: { id: string; body?: RestartIn }; answer: GameState }
  'play.move': { asks: { id: string; wait?: boolean; timeout?: number; body: MoveIn }; answer: GameState }
  'play.action': { asks: { id: string; body: ActionIn }; answer: GameState }
  'play.undo': { asks: { id: string; body?: UndoIn }; answer: GameState }
  'play.redo': { asks: { id: string; body?: UndoIn }; answer: GameState }
  'play.resign': { asks: { id: string; body?: ResignIn }; answer: GameState }
  'play.draw': { asks: { id: string }; answer: GameState }
  'play.stop': { asks: { id: string }; answer: GameState }
  'play.resume': { asks: { id: string }; answer: GameState }
  'play.pace': { asks: { id: string; body: PaceIn }; answer: GameState }
  'play.name': { asks: { id: string; body: NameIn }; answer: GameState }
  'play.move_now': { asks: { id: string }; answer: GameState }
  'play.hint': { asks: { id: string; body?: HintIn }; answer: Hint }
  'play.check': { asks: { id: string; body: TryIn }; answer: Check }
  'records.parse': { asks: { tree?: boolean; charset?: string; rule?: RuleName; body: string | File }; answer: ParsedRecord }
  'records.convert': { asks: { format?: ExportName; body: string | File }; answer: Blob }
  'records.import_game': { asks: { charset?: string; rule?: RuleName; body: string | File }; answer: GameState }
  'records.export': { asks: { id: string; format?: ExportName; lang?: Language }; answer: Blob }
  'positions.look': { asks: { code: string; size?: number; winLength?: number; rule?: RuleName; threats?: boolean }; answer: Position }
  'positions.look_at': { asks: { threats?: boolean; body: PositionIn }; answer: Position }
  'analysis.analyze': { asks: { body: AnalyzeIn }; answer: Analysis }
  'analysis.balance': { asks: { body: BalanceIn }; answer: Balance }
  'analysis.layers': { asks: { body: LayersIn }; answer: Layers }
  'analysis.tables': { asks: { rule?: RuleName; winLength?: number }; answer: Blob }
  'analysis.data': { asks: { name: string }; answer: Blob }
  'analysis.nets': { asks: object; answer: Net[] }
  'reviews.create': { asks: { body: NewReview }; answer: Review }
  'reviews.recent': { asks: { limit?: number }; answer: ReviewSummary[] }
  'reviews.look': { asks: { id: string }; answer: Review }
  'reviews.remove': { asks: { id: string }; answer: void }
  'reviews.stop': { asks: { id: string }; answer: Review }
  'reviews.resume': { asks: { id: string }; answer: Review }
  'reviews.attempt': { asks: { id: string; body: TryIn }; answer: Trial }
  'reviews.export': { asks: { id: string; format?: ReviewExportName; lang?: Language; side?: ColorLetter }; answer: Blob }
  'puzzles.puzzles': { asks: { theme?: ThemeName; limit?: number }; answer: PuzzleSummary[] }
  'puzzles.look': { asks: { id: string; solution?: boolean }; answer: Puzzle }
  'puzzles.attempt': { asks: { id: string; body: PuzzleTryIn }; answer: Trial }
  'runs.training': { asks: object; answer: Training }
  'runs.recent': { asks: object; answer: RunSummary[] }
  'runs.begin': { asks: { token: string; body: NewRun }; answer: RunSummary }
  'runs.look': { asks: { id: string }; answer: Run }
  'runs.metrics': { asks: { id: string; points?: number }; answer: Metrics }
  'runs.evaluations': { asks: { id: string }; answer: Score[] }
  'runs.games': { asks: { id: string; first?: number; limit?: number }; answer: RunGames }
  'runs.nets': { asks: { id: string }; answer: RunNet[] }
  'runs.estimate': { asks: { token: string; body: RunChoice }; answer: RunTime }
  'runs.stop': { asks: { id: string; token: string }; answer: RunSummary }
  'runs.resume': { asks: { id: string; token: string; body: GoOn }; answer: RunSummary }
  'arenas.create': { asks: { body: NewArena }; answer: Arena }
  'arenas.recent': { asks: { limit?: number }; answer: ArenaSummary[] }
  'arenas.players': { asks: object; answer: ArenaPlayer[] }
  'arenas.look': { asks: { id: string; lang?: Language }; answer: Arena }
  'arenas.remove': { asks: { id: string }; answer: void }
  'arenas.stop': { asks: { id: string; lang?: Language }; answer: Arena }
  'arenas.resume': { asks: { id: string; lang?: Language }; answer: Arena }
  'arenas.figures': { asks: { id: string; lang?: Language }; answer: Figures }
  'arenas.games': { asks: { id: string; after?: number; limit?: number }; answer: GameRows }
  'arenas.charts': { asks: { id: string; lang?: Language }; answer: Charts }
  'arenas.draw': { asks: { id: string; lang?: Language }; answer: Charts }
  'arenas.chart': { asks: { number: number; id: string; lang?: Language }; answer: Blob }
  'arenas.export': { asks: { id: string; format?: 'csv' | 'sgf' | 'html'; lang?: Language }; answer: Blob }
  'results.upload': { asks: { name?: string; body: string | File }; answer: Result }
  'results.recent': { asks: object; answer: Result[] }
  'results.look': { asks: { id: string }; answer: Result }
  'results.remove': { asks: { id: string }; answer: void }
  'results.figures': { asks: { id: string; lang?: Language }; answer: Figures }
  'results.games': { asks: { id: string; after?: number; limit?: number }; answer: GameRows }
  'results.charts': { asks: { id: string; lang?: Language }; answer: Charts }
  'results.draw': { asks: { id: string; lang?: Language }; answer: Charts }
  'results.chart': { asks: { number: number; id: string; lang?: Language }; answer: Blob }
  'results.export': { asks: { id: string; format?: 'csv' | 'sgf' | 'html'; lang?: Language }; answer: Blob }
}

/** Method, path and query of each operation. */
export const ROUTES = {
  'system.health': 'GET /health',
  'system.version': 'GET /version',
  'system.engines': 'GET /engines',
  'system.probe': 'POST /engines/{id}/probe?level',
  'games.create': 'POST /games',
  'games.recent': 'GET /games?limit&search',
  'games.look': 'GET /games/{id}',
  'games.remove': 'DELETE /games/{id}',
  'games.restart': 'POST /games/{id}/restart',
  'play.move': 'POST /games/{id}/moves?wait&timeout',
  'play.action': 'POST /games/{id}/actions',
  'play.undo': 'POST /games/{id}/undo',
  'play.redo': 'POST /games/{id}/redo',
  'play.resign': 'POST /games/{id}/resign',
  'play.draw': 'POST /games/{id}/draw',
  'play.stop': 'POST /games/{id}/stop',
  'play.resume': 'POST /games/{id}/resume',
  'play.pace': 'POST /games/{id}/pace',
  'play.name': 'POST /games/{id}/name',
  'play.move_now': 'POST /games/{id}/move-now',
  'play.hint': 'POST /games/{id}/hint',
  'play.check': 'POST /games/{id}/check',
  'records.parse': 'POST /records/parse?tree&charset&rule',
  'records.convert': 'POST /records/convert?format',
  'records.import_game': 'POST /games/import?charset&rule',
  'records.export': 'GET /games/{id}/export?format&lang',
  'positions.look': 'GET /positions/{code}?size&winLength&rule&threats',
  'positions.look_at': 'POST /positions?threats',
  'analysis.analyze': 'POST /analyze',
  'analysis.balance': 'POST /balance',
  'analysis.layers': 'POST /layers',
  'analysis.tables': 'GET /tables?rule&winLength',
  'analysis.data': 'GET /data/{name}',
  'analysis.nets': 'GET /nets',
  'reviews.create': 'POST /reviews',
  'reviews.recent': 'GET /reviews?limit',
  'reviews.look': 'GET /reviews/{id}',
  'reviews.remove': 'DELETE /reviews/{id}',
  'reviews.stop': 'POST /reviews/{id}/stop',
  'reviews.resume': 'POST /reviews/{id}/resume',
  'reviews.attempt': 'POST /reviews/{id}/try',
  'reviews.export': 'GET /reviews/{id}/export?format&lang&side',
  'puzzles.puzzles': 'GET /puzzles?theme&limit',
  'puzzles.look': 'GET /puzzles/{id}?solution',
  'puzzles.attempt': 'POST /puzzles/{id}/try',
  'runs.training': 'GET /training',
  'runs.recent': 'GET /runs',
  'runs.begin': 'POST /runs',
  'runs.look': 'GET /runs/{id}',
  'runs.metrics': 'GET /runs/{id}/metrics?points',
  'runs.evaluations': 'GET /runs/{id}/evaluations',
  'runs.games': 'GET /runs/{id}/games?first&limit',
  'runs.nets': 'GET /runs/{id}/nets',
  'runs.estimate': 'POST /runs/estimate',
  'runs.stop': 'POST /runs/{id}/stop',
  'runs.resume': 'POST /runs/{id}/resume',
  'arenas.create': 'POST /arenas',
  'arenas.recent': 'GET /arenas?limit',
  'arenas.players': 'GET /arenas/players',
  'arenas.look': 'GET /arenas/{id}?lang',
  'arenas.remove': 'DELETE /arenas/{id}',
  'arenas.stop': 'POST /arenas/{id}/stop?lang',
  'arenas.resume': 'POST /arenas/{id}/resume?lang',
  'arenas.figures': 'GET /arenas/{id}/figures?lang',
  'arenas.games': 'GET /arenas/{id}/games?after&limit',
  'arenas.charts': 'GET /arenas/{id}/charts?lang',
  'arenas.draw': 'POST /arenas/{id}/charts?lang',
  'arenas.chart': 'GET /arenas/{id}/charts/{number}?lang',
  'arenas.export': 'GET /arenas/{id}/export?format&lang',
  'results.upload': 'POST /results?name',
  'results.recent': 'GET /results',
  'results.look': 'GET /results/{id}',
  'results.remove': 'DELETE /results/{id}',
  'results.figures': 'GET /results/{id}/figures?lang',
  'results.games': 'GET /results/{id}/games?after&limit',
  'results.charts': 'GET /results/{id}/charts?lang',
  'results.draw': 'POST /results/{id}/charts?lang',
  'results.chart': 'GET /results/{id}/charts/{number}?lang',
  'results.export': 'GET /results/{id}/export?format&lang',
} as const satisfies Record<keyof Operations, string>

/** Sockets: what one opens them with, what the server says on them, and what it hears. */
export interface Topics {
  games: { asks: { id: string }; says: GameMessage | SearchMessage | EngineErrorMessage | PingMessage; hears: PingMessage }
  reviews: { asks: { id: string }; says: ReviewMessage | PingMessage; hears: PingMessage }
  arenas: { asks: { id: string; lang: Language }; says: ArenaMessage | BoardsMessage | PingMessage; hears: PingMessage }
  runs: { asks: { id: string }; says: RunMessage | PingMessage; hears: PingMessage }
  analysis: { asks: object; says: AnalysisMessage | QueuedMessage | AnalysisProblem | PingMessage; hears: StartIn | EndIn | PingMessage }
}

export const SOCKETS = {
  games: '/ws/v1/games/{id}',
  reviews: '/ws/v1/reviews/{id}',
  arenas: '/ws/v1/arenas/{id}?lang',
  runs: '/ws/v1/runs/{id}',
  analysis: '/ws/v1/analysis',
} as const satisfies Record<keyof Topics, string>
