/** The players that need no server, by their specs: the named levels, the engine, minimax, the score table, chance. */

import { BALANCE, CONSTANTS, MINIMAX, PLAYERS } from '@/wasm/generated'
import type { WasmArray, WasmRecord } from '@/wasm/kernels'
import { loadState, type Position, RuleError } from '@/wasm/rulebook'
import type { LevelFacts } from './asks'
import type { Toolbox } from './toolbox'
import type { EngineData } from './data'
import type { Action, Game } from './game'
import type { Budget, Info, Line, Progress } from './info'
import { type Board, newBoard } from './records'
import type { MinimaxOptions } from './runs'
import { EngineSearch, type SearchOptions } from './search'

const { LEVEL_CANDIDATES, LEVEL_TABLE_MB, LOGIT, MATE_BOUND, NUM_OPENINGS, NUM_SYMMETRIES, UNSCORED } = CONSTANTS
const { CHOICE_NODES, CHOICE_SHARE, MINIMAX_DEPTH, OPENINGS_KEPT } = PLAYERS
const { GLANCE_NODES, LEAST_S, STUDY_NODES } = BALANCE

export interface Answer {
  action: Action
  info: Info
}

/** A spec such as `minimax:preset=s1,depth=2`. */
function parsed(spec: string): { name: string; options: Record<string, string> } {
  const [name = '', rest = ''] = spec.split(':')
  return { name, options: Object.fromEntries(rest.split(',').filter(Boolean).map((part) => part.split('=') as [string, string])) }
}

/** Who thinks, as what, within what. */
interface Thinker {
  game: Game
  name: string
  options: Record<string, string>
  level: LevelFacts | null
  seed: number
  budget: Budget
}

/** What the levels decide by chance. */
interface Chance {
  level: WasmRecord<'LEVEL'>
  glance: WasmRecord<'GLANCE'>
  board: Board
  scores: WasmArray
  stones: WasmArray
}

export class Players {
  private search: EngineSearch | null = null
  private table: WasmArray | null = null
  private made: Chance | null = null

  constructor(private readonly toolbox: Toolbox) {}

  /** What a player does; in an opening phase it chooses. */
  async think(game: Game, spec: string, seed: number, limit: Budget, multipv: number, progress?: Progress): Promise<Answer> {
    if (game.end) throw new RuleError('game_over', 'the game is over')
    const { name, options } = parsed(spec)
    const level = name === 'level' ? this.toolbox.given.facts.levels[options.name ?? '']! : null
    const thinker = { game, name, options, level, seed, budget: level ? withinLevel(level, limit) : limit }
    if (game.phase !== 'play') return { action: await this.open(thinker), info: nothing(game) }
    const info = await this.moves(thinker, multipv, progress)
    return { action: { type: 'place', moves: [info.lines[0]!.move] }, info }
  }

  /** The candidates of a player, the one to play first. */
  private async moves(thinker: Thinker, multipv: number, progress?: Progress): Promise<Info> {
    const { game, name, options, level, budget } = thinker
    const { position } = game
    if (name === 'weight') return this.toolbox.runs.rank(position, multipv)
    if (name === 'random') return this.atRandom(thinker, multipv)
    const proved = name === 'proof' ? await this.toolbox.proofs.answer(game) : null
    if (proved !== null) return { ...nothing(game), lines: [{ move: proved, pv: [proved], value: 1, score: null, winIn: null }] }
    if (level && level.nodes !== null) return this.level(thinker, level, multipv, progress)
    if (this.isEngine(thinker)) return this.engine(position, budget, multipv, searchOptions(options), progress)
    if (name !== 'minimax' && !level) throw new RuleError('unsupported_rule', `${name} does not play ${position.rules.rule} with ${position.rules.winLength} in a row`)
    return this.toolbox.runs.minimax(position, this.minimaxOptions(thinker), budget, multipv, progress)
  }

  /** Whether the engine thinks for this player; where it does not know the rules, minimax does for the levels. */
  private isEngine({ game, name, level }: Thinker): boolean {
    return (['engine', 'proof'].includes(name) || level !== null) && this.toolbox.shelf.hasNet(game.rules)
  }

  private async engine(position: Position, budget: Budget, multipv: number, options: SearchOptions, progress?: Progress): Promise<Info> {
    const data = await this.toolbox.shelf.get(position.rules)
    return this.searchWith(options.tableMb).run(position, data, budget, multipv, options, progress)
  }

  /** What the engine thinks of a position, for its side to move. */
  async engineValue(position: Position, budget: Budget, options: SearchOptions = {}): Promise<number | null> {
    return (await this.engine(position, budget, 1, options)).lines[0]!.value
  }

  /** All searches share the records and the memory: those that begin with an empty table may use a part of it. */
  private searchWith(tableMb?: number): EngineSearch {
    const { kernels, given } = this.toolbox
    this.table ??= kernels.array('uint64', 1 << given.tableBits, 2)
    this.search ??= new EngineSearch(kernels, this.table)
    const bits = tableMb && Math.floor(Math.log2((tableMb << 20) / 16))
    return bits && bits < given.tableBits ? this.search.withTable(kernels.arrayPart(this.table, 1 << bits, 2)) : this.search
  }

  /** The records of chance, begun for a position: draws depend on nothing but the seed and what is on the board. */
  private chance({ game, seed }: Pick<Thinker, 'game' | 'seed'>, level?: LevelFacts): Chance {
    const { kernels } = this.toolbox
    this.made ??= {
      level: kernels.record('LEVEL'),
      glance: kernels.record('GLANCE'),
      board: newBoard(kernels),
      scores: kernels.array('int64', LEVEL_CANDIDATES),
      stones: kernels.array('int64', 3),
    }
    const { level: record } = this.made
    kernels.call('level_seed', record, BigInt(seed), game.position.key, game.actions.length)
    if (level) {
      for (const name of ['haste', 'sight', 'spread', 'temperature', 'depth', 'vcf_nodes'] as const) record.set(name, level[name])
      record.set('nodes', level.nodes ?? 0)
    }
    return this.made
  }

  private draw(chance: Chance, count: number): number {
    return this.toolbox.kernels.call('level_draw', chance.level, count)
  }

  /** How likely a level below the whole engine plays a move, over all its seeds, where the engine knows the rules. */
  async likelihood(game: Game, name: string, move: number): Promise<number> {
    const { kernels, shelf, given } = this.toolbox
    const { position } = game
    const level = given.facts.levels[name]!
    const data = await shelf.get(position.rules)
    const { level: record, scores } = this.chance({ game, seed: 0 }, level)
    const glanced = level.haste ? this.glanceLikelihood(position, data, move) : 0
    if (level.haste >= 1) return glanced
    const { lines } = await this.engine(position, withinLevel(level, {}), level.temperature ? LEVEL_CANDIDATES : 1, levelOptions(level))
    lines.forEach(({ score }, i) => scores.set(i, score ?? UNSCORED))
    const place = lines.findIndex((line) => line.move === move)
    const chosen = place < 0 ? 0 : kernels.call('choice_likelihood', record, scores, lines.length, LOGIT, MATE_BOUND, place)
    return level.haste * glanced + (1 - level.haste) * chosen
  }

  /** How likely a glance that overlooks nothing plays a move: the engine's policy alone. */
  async policyLikelihood(game: Game, move: number): Promise<number> {
    const { level } = this.chance({ game, seed: 0 })
    for (const name of ['sight', 'spread'] as const) level.set(name, 1)
    return this.glanceLikelihood(game.position, await this.toolbox.shelf.get(game.rules), move)
  }

  private glanceLikelihood(position: Position, data: EngineData, move: number): number {
    const { level, glance, board } = this.made!
    loadState(board.state, position)
    return this.toolbox.kernels.call('glance_likelihood', board.state, board.patterns, data.tables, data.net, level, glance, move)
  }

  /** A level below the whole engine: now and then at a glance, else a small search and a choice among the best. */
  private async level(thinker: Thinker, level: LevelFacts, multipv: number, progress?: Progress): Promise<Info> {
    const { kernels, shelf, runs } = this.toolbox
    const { position } = thinker.game
    const isEngine = this.isEngine(thinker)
    const data = isEngine ? await shelf.get(position.rules) : null
    const { level: record, glance, board, scores } = this.chance(thinker, level)
    if (data && kernels.call('level_hastes', record)) {
      loadState(board.state, position)
      const move = kernels.call('glance_move', board.state, board.patterns, data.tables, data.net, record, glance)
      return { ...nothing(thinker.game), lines: [{ move, pv: [move], value: null, score: null, winIn: null }] }
    }
    const count = Math.max(multipv, level.temperature ? LEVEL_CANDIDATES : 1)
    const info = await (isEngine
      ? this.engine(position, thinker.budget, count, levelOptions(level), progress)
      : runs.minimax(position, this.minimaxOptions(thinker), thinker.budget, count, progress))
    const { lines } = info
    const shown = lines.slice(0, LEVEL_CANDIDATES)
    shown.forEach(({ score }, i) => scores.set(i, score ?? UNSCORED))
    const [logit, proven] = isEngine ? [LOGIT, MATE_BOUND] : [runs.logit('minimax_s1'), MINIMAX.PROVEN]
    const chosen = lines[kernels.call('level_choice', record, scores, shown.length, logit, proven)]!
    return { ...info, lines: [chosen, ...lines.filter((line) => line !== chosen)] }
  }

  private atRandom(thinker: Thinker, multipv: number): Info {
    const { position } = thinker.game
    const chance = this.chance(thinker)
    const moves = position.legalMoves
    const lines: Line[] = []
    while (lines.length < multipv && moves.length) {
      const [move] = moves.splice(this.draw(chance, moves.length), 1)
      lines.push({ move: move!, pv: [move!], value: null, score: null, winIn: null })
    }
    return { side: position.toMove, lines, nodes: 0, depth: 0, maxDepth: 0, timeS: 0 }
  }

  private minimaxOptions(thinker: Thinker): MinimaxOptions {
    const { options, level } = thinker
    const preset = MINIMAX.PRESETS[options.preset === 's0' ? 's0' : 's1']
    const isDrawn = 'min_depth' in preset && options.depth === undefined
    const usual = isDrawn ? preset.min_depth + this.draw(this.chance(thinker), preset.depth - preset.min_depth + 1) : preset.depth
    const depth = level ? Math.min(level.depth, MINIMAX_DEPTH) : Number(options.depth ?? usual)
    return { scores: `minimax_${preset.evaluation}`, depth, width: 0, trace: false }
  }

  /** Three stones that are hard to choose a side in, or the side that stands better. */
  private async open(thinker: Thinker): Promise<Action> {
    const { game, budget } = thinker
    const isEngine = this.isEngine(thinker)
    const time = budget.time && isEngine ? budget.time * CHOICE_SHARE : budget.time
    const within = { ...budget, time }
    if (game.phase === 'place_three') return { type: 'place', moves: await this.threeStones(thinker, within) }
    const value = await this.value(game.position, thinker, isEngine ? { ...within, nodes: budget.nodes ?? (time ? undefined : CHOICE_NODES) } : within)
    return { type: value !== null && value < 0 ? 'swap' : 'keep' }
  }

  private async threeStones(thinker: Thinker, budget: Budget): Promise<number[]> {
    const chance = this.chance(thinker)
    const { size } = thinker.game.rules
    const stones = (choice: number): number[] => {
      this.toolbox.kernels.call('opening_stones', size, choice, chance.stones)
      return [0, 1, 2].map((i) => chance.stones.get(i))
    }
    if (!this.isEngine(thinker)) return stones(this.draw(chance, NUM_OPENINGS))
    const count = NUM_OPENINGS / NUM_SYMMETRIES
    const symmetry = this.draw(chance, NUM_SYMMETRIES) * count
    const kept = this.draw(chance, OPENINGS_KEPT)
    const choices = Array.from({ length: count }, (_, i) => stones(symmetry + i))
    return (await this.mostBalanced(thinker, choices, budget))[kept]!
  }

  /** The choices, those nearest to balance first: a glance at each, then a study of each in that order. */
  private async mostBalanced(thinker: Thinker, choices: number[][], { nodes, time, depth }: Budget): Promise<number[][]> {
    const begun = performance.now()
    const after = choices.map((moves) => moves.reduce((now, move) => now.play(move), thinker.game.position))
    const known: number[] = []
    for (const position of after) known.push(Math.abs((await this.value(position, thinker, { nodes: GLANCE_NODES })) ?? 0))
    const order = (): number[] => [...known.keys()].sort((a, b) => known[a]! - known[b]! || a - b)
    for (const [rank, i] of order().entries()) {
      const left = time && Math.max(LEAST_S, (time - (performance.now() - begun) / 1000) / (choices.length - rank))
      const part = left ? { nodes, time: left, depth } : { nodes: nodes ?? STUDY_NODES, depth }
      known[i] = Math.abs((await this.value(after[i]!, thinker, part)) ?? 0)
    }
    return order().map((i) => choices[i]!)
  }

  /** What a player thinks of a position, for its side to move; null without an opinion. */
  private async value(position: Position, thinker: Thinker, budget: Budget): Promise<number | null> {
    const { name, options, level } = thinker
    if (name === 'weight' || name === 'random') return null
    if (this.isEngine(thinker)) {
      const limited = level && level.nodes !== null ? levelOptions(level) : searchOptions(options)
      return this.engineValue(position, budget, limited)
    }
    const chosen = { ...this.minimaxOptions(thinker), depth: MINIMAX.VALUE_DEPTH }
    return (await this.toolbox.runs.minimax(position, chosen, budget, 1)).lines[0]!.value
  }
}

/** A level's own budget, within the one that is given. */
function withinLevel({ nodes, depth }: LevelFacts, limit: Budget): Budget {
  if (nodes === null) return limit
  return { ...limit, nodes: Math.min(limit.nodes ?? nodes, nodes), depth: Math.min(limit.depth ?? depth, depth) }
}

const levelOptions = (level: LevelFacts): SearchOptions => ({ fresh: true, vcfNodes: level.vcf_nodes, tableMb: LEVEL_TABLE_MB })

const searchOptions = ({ fresh, table_mb: tableMb }: Record<string, string>): SearchOptions => ({ fresh: fresh === 'true', tableMb: tableMb ? Number(tableMb) : undefined })

const nothing = ({ toMove }: Game): Info => ({ side: toMove, lines: [], nodes: 0, depth: 0, maxDepth: 0, timeS: 0 })
