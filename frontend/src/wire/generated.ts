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

export type StoreName = 'games' | 'reviews'

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

export type Language = 'en' | 'zh'

export type StateName = 'starting' | 'running' | 'finished' | 'stopped' | 'failed' | 'crashed'

export type StageName = 'selfplay' | 'learn' | 'judge'

/** What a seat did. */
export interface ActionIn {
  type: 'place' | 'swap' | 'keep'
  moves?: string[]
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

/** A report of a search; `done` is the last one, with what the player does. */
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
  action: Record<string, unknown> | null
  resigned: boolean
}

/** A question that cannot be answered; no id where the request had none. */
export interface AnalysisProblem {
  type: 'error'
  id: string | null
  code: string
  message: string
  /** last lines of the process, where nobody else reaches the server */
  log: string
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

/** A player: a spec string as `wuzi players` shows them, without commands or paths. */
export interface ArenaPlayerIn {
  spec: string
  /** its name in the results; the spec by default */
  label?: string
  /** its own instead of the arena's */
  limit?: BudgetIn | null
}

/** A player that forms can offer. */
export interface ArenaPlayerOption {
  spec: string
  name: LocalText
  limit: Record<string, number>
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

/** A game that is being played, or has just ended. */
export interface Board {
  gameId: string
  black: BoardSide
  white: BoardSide
  size: number
  moves: string[]
  toMove: ColorLetter
  /** since when that side thinks: Unix time of the server */
  askedAt: number | null
  winner: 'black' | 'white' | 'draw' | null
  reason: ReasonName | null
}

/** A side of a game that is being played. */
export interface BoardSide {
  name: string
  /** seconds taken so far */
  timeS: number
  /** seconds left; null without a clock */
  clockS: number | null
  /** Black's expected score by this side's last answer; null where it gave none */
  winrate: number | null
}

/** The games in progress, and when this was sent (Unix time of the server). */
export interface BoardsMessage {
  type: 'boards'
  boards: Board[]
  sentAt: number
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

/** Engines to offer first, by id. */
export interface Defaults {
  opponent: string
  /** the best one that knows the rules analyses */
  analysts: string[]
  /** players of the analysis that take any net of /nets */
  netPlayers: string[]
}

/** Ends the question of that id: `stop` with its best answer so far, `cancel` without one. */
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

/** A position with its opening: by the actions of its seats. */
export interface GameIn {
  size?: number
  winLength?: number
  rule?: RuleName
  moves?: string[]
  /** set-up: size*size characters of '.', 'B', 'W', top row first */
  cells?: string | null
  /** who moves first on the set-up board */
  toMove?: ColorLetter | null
  opening?: OpeningName
  /** in place of moves */
  actions?: ActionIn[] | null
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

/** Which layers of a position to make. */
export interface LookIn {
  position: GameIn
  include: LayerName[]
  /** for the layer net: a name of /nets */
  net?: string | null
  /** plies of the layer tree */
  depth?: number
  /** for the layer words */
  moves?: string[]
  type: 'layers'
  /** comes back with every answer */
  id: string
}

/** Figures by iteration. Each of `rows` has the latest value of every figure among `stride` iterations. `count` counts all there are, and `version` grows when the run has dropped some and computes them again. */
export interface Metrics {
  version: number
  count: number
  stride: number
  rows: (Record<string, number | null>)[]
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

/** A budget with what is left on the clock of a game. */
export interface MoveLimitIn {
  visits?: number | null
  /** seconds */
  time?: number | null
  nodes?: number | null
  depth?: number | null
  clock?: number | null
  increment?: number | null
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
  /** options and results that the file holds */
  review: Record<string, unknown> | null
}

/** A heartbeat; each side sends them, and the other answers with `pong`. */
export interface PingMessage {
  type: 'ping' | 'pong'
}

/** Stones on a board: moves from the empty board or from a set-up one, colours in turn. */
export interface PositionIn {
  size?: number
  winLength?: number
  rule?: RuleName
  moves?: string[]
  /** set-up: size*size characters of '.', 'B', 'W', top row first */
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

/** An error, as RFC 9457 says; `code` is stable and meant for programs. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  errors?: Record<string, string>[] | null
}

/** A new value of a stored game or review: what lists show, and all of it as its page has it. */
export interface PutIn {
  /** the version that it was made from; 0 for a new one */
  version: number
  summary: Record<string, unknown>
  data: Record<string, unknown>
  /** of the seat that writes, where there are seats */
  key?: string
  /** from now on only who names one of these two writes */
  keys?: [string, string] | null
  /** the game whose seats a new one has, too */
  like?: string
  /** those seats in turned order */
  swapped?: boolean
}

/** A question waits for a worker, or with `begun` has one now. */
export interface QueuedMessage {
  type: 'queued'
  id: string
  ahead: number
  begun: boolean
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

/** An uploaded file of results. */
export interface Result {
  id: string
  name: string
  createdAt: string
  games: number
  players: string[]
}

/** The result of a task, or the layers of a position. */
export interface ResultMessage {
  type: 'result'
  id: string
  result: Record<string, unknown>
}

/** A review to be written as a file: a record as JSON, and what was found as `wuzi review` saves it. */
export interface ReviewFileIn {
  record: string
  options: Record<string, unknown>
  results: Record<string, Record<string, unknown>>
  format?: 'sgf' | 'html'
  lang?: Language
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

/** The rules of a game. */
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

/** What another page that looks at it has said. */
export interface SaidMessage {
  type: 'said'
  said: unknown
}

/** Something for all other pages that look at it. */
export interface SayIn {
  type: 'say'
  said: unknown
}

/** The result of an evaluation, with the 95 % interval of its score. */
export interface Score {
  iteration: number
  /** against pure MCTS, the best net before it, or, without search, the score table */
  kind: 'mcts' | 'best' | 'table'
  /** of pure MCTS */
  playouts: number | null
  wins: number
  losses: number
  draws: number
  rate: number
  low: number
  high: number
}

/** This page has the key of a seat: the others see that it is here. */
export interface SitIn {
  type: 'sit'
  key: string
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

/** Begins a search; searches of other ids go on. */
export interface StartIn {
  position: GameIn
  /** of /engines, or a run's; with a net az or policy */
  engine?: string
  level?: string | null
  /** a name of /nets */
  net?: string | null
  limit?: MoveLimitIn
  /** how many candidates */
  multipv?: number
  /** maps over the board */
  include?: MapName[]
  type?: 'start'
  /** comes back with every answer */
  id: string
  /** least seconds between two reports */
  reportEvery?: number
  /** of what a level decides by chance */
  seed?: number | null
  /** of a game: with the level's own budget, before analyses */
  isMove?: boolean
}

/** A stored game or review; times are milliseconds since 1970, `now` is the server's. */
export interface Stored {
  id: string
  version: number
  createdAt: number
  updatedAt: number
  now: number
  data: Record<string, unknown>
  /** only who has the link of a seat writes */
  seated: boolean
  /** the seat that wrote this version */
  writer: number | null
}

/** A stored game or review, now and after each change. */
export interface StoredMessage {
  type: 'stored'
  value: Stored
}

/** A titled table of text. */
export interface Table {
  title: string
  header: string[]
  rows: string[][]
  names: number
}

/** A piece of work that is more than one search: `wuzi.analysis.review.trial` does it. */
export interface TaskIn {
  type: 'task'
  /** comes back with every answer */
  id: string
  task: 'review' | 'judge' | 'balance' | 'hint'
  position: GameIn
  analyst?: 'engine' | 'minimax-s1'
  arguments?: Record<string, unknown>
}

/** What this server has and allows of training. */
export interface Training {
  /** whether there is a folder of runs */
  hasRuns: boolean
  /** whether runs may be begun here, with the token */
  canStart: boolean
  /** what installs PyTorch, for more presets, where it is not; else null */
  missing: string | null
  presets: Preset[]
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

/** How many pages look at it, whether this one leads (it lets the engines think), and who sits here. */
export interface WatchMessage {
  type: 'watch'
  leads: boolean
  watchers: number
  here: number[]
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
  'store.recent': { asks: { kind: StoreName; limit?: number; search?: string; ids?: string }; answer: Record<string, unknown>[] }
  'store.look': { asks: { kind: StoreName; id: string }; answer: Stored }
  'store.put': { asks: { kind: StoreName; id: string; body: PutIn }; answer: Stored }
  'store.remove': { asks: { kind: StoreName; id: string }; answer: void }
  'records.parse': { asks: { tree?: boolean; charset?: string; rule?: RuleName; body: string | File }; answer: ParsedRecord }
  'records.convert': { asks: { format?: ExportName; body: string | File }; answer: Blob }
  'records.review': { asks: { body: ReviewFileIn }; answer: Blob }
  'analysis.analyze': { asks: { body: AnalyzeIn }; answer: Analysis }
  'analysis.tables': { asks: { rule?: RuleName; winLength?: number }; answer: Blob }
  'analysis.data': { asks: { name: string }; answer: Blob }
  'analysis.nets': { asks: object; answer: Net[] }
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
  'arenas.players': { asks: object; answer: ArenaPlayerOption[] }
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
  'store.recent': 'GET /store/{kind}?limit&search&ids',
  'store.look': 'GET /store/{kind}/{id}',
  'store.put': 'PUT /store/{kind}/{id}',
  'store.remove': 'DELETE /store/{kind}/{id}',
  'records.parse': 'POST /records/parse?tree&charset&rule',
  'records.convert': 'POST /records/convert?format',
  'records.review': 'POST /records/review',
  'analysis.analyze': 'POST /analyze',
  'analysis.tables': 'GET /tables?rule&winLength',
  'analysis.data': 'GET /data/{name}',
  'analysis.nets': 'GET /nets',
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
  store: { asks: { kind: string; id: string }; says: StoredMessage | WatchMessage | SaidMessage | PingMessage; hears: SayIn | SitIn | PingMessage }
  arenas: { asks: { id: string; lang: Language }; says: ArenaMessage | BoardsMessage | PingMessage; hears: PingMessage }
  runs: { asks: { id: string }; says: RunMessage | PingMessage; hears: PingMessage }
  analysis: { asks: object; says: AnalysisMessage | QueuedMessage | ResultMessage | AnalysisProblem | PingMessage; hears: StartIn | TaskIn | LookIn | EndIn | PingMessage }
}

export const SOCKETS = {
  store: '/ws/v1/store/{kind}/{id}',
  arenas: '/ws/v1/arenas/{id}?lang',
  runs: '/ws/v1/runs/{id}',
  analysis: '/ws/v1/analysis',
} as const satisfies Record<keyof Topics, string>
