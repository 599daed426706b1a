import type * as analysis from '@/wire/analysisTypes'
import type * as arenas from '@/backend/arena'
import type * as reviews from '@/backend/review'
import type * as ours from '@/wire/types'
import type * as training from '@/backend/training'
import type { components } from '@/wire/schema'

/**
 * Checked by the compiler, not at run time: our hand-written wire types have the fields of the server's
 * schema (`npm run types` fetches it anew). A renamed field fails `npm run build`.
 */

type Server = components['schemas']
type SameKeys<A, B> = [keyof A] extends [keyof B] ? ([keyof B] extends [keyof A] ? true : never) : never
type HasKeys<Ours, Theirs> = [keyof Ours] extends [keyof Theirs] ? true : never

export const sameFields: {
  state: SameKeys<ours.GameState, Server['GameState']>
  summary: SameKeys<ours.GameSummary, Server['GameSummary']>
  rules: SameKeys<ours.RulesSpec, Server['RulesOut']>
  seat: SameKeys<ours.Seat, Server['SeatOut']>
  seatRequest: SameKeys<ours.SeatRequest, Server['SeatIn']>
  outcome: SameKeys<ours.Outcome, Server['OutcomeOut']>
  thinking: SameKeys<ours.Thinking, Server['ThinkingOut']>
  forbidden: SameKeys<ours.ForbiddenPoint, Server['ForbiddenOut']>
  text: SameKeys<ours.LocalText, Server['LocalText']>
  level: SameKeys<ours.EngineLevel, Server['LevelOut']>
  engine: SameKeys<ours.EngineInfo, Server['EngineOut']>
  request: HasKeys<ours.NewGameRequest, Server['NewGame']>
  hint: HasKeys<ours.HintMove, Server['HintOut']>
  position: HasKeys<ours.PositionInfo, Server['PositionOut']>
  version: HasKeys<ours.VersionInfo, Server['Version']>
  health: HasKeys<ours.Health, Server['Health']>
  clock: SameKeys<ours.GameClock, Server['ClockOut']>
  review: SameKeys<reviews.Review, Server['ReviewOut']>
  reviewMove: SameKeys<reviews.ReviewMove, Server['ReviewMove']>
  reviewSide: SameKeys<reviews.ReviewSide, Server['ReviewSide']>
  reviewSummary: SameKeys<reviews.ReviewSummary, Server['ReviewSummary']>
  reviewProgress: SameKeys<reviews.ReviewProgress, Server['ReviewProgress']>
  trial: SameKeys<reviews.Trial, Server['TrialOut']>
  check: SameKeys<reviews.Check, Server['CheckOut']>
  puzzle: SameKeys<reviews.Puzzle, Server['PuzzleOut']>
} = {
  state: true, summary: true, rules: true, seat: true, seatRequest: true, outcome: true, thinking: true, forbidden: true,
  text: true, level: true, engine: true, request: true, hint: true, position: true, version: true, health: true,
  clock: true, review: true, reviewMove: true, reviewSide: true, reviewSummary: true, reviewProgress: true, trial: true, check: true, puzzle: true,
}

export const analysisFields: {
  request: SameKeys<analysis.AnalysisRequest, Server['AnalyzeIn']>
  position: SameKeys<analysis.PositionRequest, Server['PositionIn']>
  limit: SameKeys<analysis.LimitRequest, Server['LimitIn']>
  candidate: SameKeys<analysis.Candidate, Server['MoveInfo']>
  root: SameKeys<analysis.SearchRoot, Server['RootInfo']>
  report: HasKeys<analysis.Report, Server['AnalysisOut']>
  layers: SameKeys<analysis.Layers, Server['LayersOut']>
  forcedWin: SameKeys<analysis.ForcedWin, Server['ForcedWin']>
  reason: SameKeys<analysis.ScoreReason, Server['Reason']>
  tree: SameKeys<analysis.TreeRow, Server['TreeRow']>
  net: SameKeys<analysis.NetInfo, Server['NetOut']>
  netLayer: SameKeys<analysis.NetLayer, Server['NetLayer']>
} = {
  request: true, position: true, limit: true, candidate: true, root: true, report: true, layers: true, forcedWin: true,
  reason: true, tree: true, net: true, netLayer: true,
}

export const trainingFields: {
  info: SameKeys<training.TrainingInfo, Server['TrainingOut']>
  summary: SameKeys<training.RunSummary, Server['RunSummary']>
  run: SameKeys<training.Run, Server['RunOut']>
  work: SameKeys<training.Work, Server['WorkOut']>
  score: SameKeys<training.Score, Server['ScoreOut']>
  finding: SameKeys<training.Finding, Server['FindingOut']>
  metrics: SameKeys<training.Metrics, Server['MetricsOut']>
  game: SameKeys<training.RunGame, Server['RunGameOut']>
  games: SameKeys<training.RunGames, Server['RunGames']>
  net: SameKeys<training.RunNet, Server['RunNetOut']>
  preset: SameKeys<training.Preset, Server['PresetOut']>
  request: SameKeys<training.NewRunRequest, Server['NewRun']>
} = {
  info: true, summary: true, run: true, work: true, score: true, finding: true, metrics: true, game: true, games: true, net: true,
  preset: true, request: true,
}

export const arenaFields: {
  request: HasKeys<arenas.NewArenaRequest, Server['NewArena']>
  player: SameKeys<arenas.ArenaPlayerRequest, Server['ArenaPlayerIn']>
  budget: SameKeys<arenas.Budget, Server['BudgetIn']>
  summary: SameKeys<arenas.ArenaSummary, Server['ArenaSummary']>
  arena: SameKeys<arenas.Arena, Server['ArenaOut']>
  figures: SameKeys<arenas.Figures, Server['FiguresOut']>
  standing: SameKeys<arenas.Standing, Server['StandingOut']>
  pair: SameKeys<arenas.Pair, Server['PairOut']>
  sprt: SameKeys<arenas.Sprt, Server['SprtOut']>
  table: SameKeys<arenas.TextTable, Server['TableOut']>
  offered: SameKeys<arenas.ArenaPlayer, Server['ArenaPlayerOut']>
  game: SameKeys<arenas.GameRow, Server['GameRow']>
  charts: SameKeys<arenas.Charts, Server['ChartsOut']>
  file: SameKeys<arenas.ResultFile, Server['ResultOut']>
} = {
  request: true, player: true, budget: true, summary: true, arena: true, figures: true, standing: true, pair: true, sprt: true,
  table: true, offered: true, game: true, charts: true, file: true,
}
