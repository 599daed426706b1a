/** The players that need no server, by their specs: the named levels, the engine, minimax, the score table, chance. */

import { Position, RuleError } from '@/wasm/rulebook'
import type { WasmArray, WasmRecord } from '@/wasm/kernels'
import type { LevelFacts } from './asks'
import type { Bench } from './bench'
import type { Action, Game } from './game'
import type { Budget, Info, Line, Progress } from './info'
import type { MinimaxOptions } from './runs'
import { EngineSearch } from './search'

const LEVEL_TABLE_BITS = 17
const CANDIDATES = 4
const [LOGIT, PROVEN] = [200, 990_000]
const MINIMAX_DEPTH = 4
const CHOICE_NODES = 100_000
const CHOICE_SHARE = 0.4
const OPENINGS_KEPT = 3
const GLANCE_NODES = 400
const STUDY_NODES = 20_000

export interface Answer {
  action: Action
  info: Info
}

/** A spec such as `minimax:preset=s1,depth=2`. */
function parsed(spec: string): { name: string; options: Record<string, string> } {
  const [name = '', rest = ''] = spec.split(':')
  return { name, options: Object.fromEntries(rest.split(',').filter(Boolean).map((part) => part.split('=') as [string, string])) }
}

export class Players {
  private search: { engine: EngineSearch; level: EngineSearch } | null = null
  private chance: { level: WasmRecord<'LEVEL'>; glance: WasmRecord<'GLANCE'>; state: WasmRecord<'STATE'>; patterns: WasmRecord<'PATTERNS'>; scores: WasmArray } | null = null

  constructor(private readonly bench: Bench) {}

  /** What a player does; in an opening phase it chooses. */
  async think(game: Game, spec: string, seed: number, limit: Budget, multipv: number, progress?: Progress): Promise<Answer> {
    if (game.end) throw new RuleError('game_over', 'the game is over')
    const { name, options } = parsed(spec)
    const level = name === 'level' ? this.bench.given.facts.levels[options.name ?? '']! : null
    const budget = level ? withinLevel(level, limit) : limit
    if (game.phase !== 'play') return { action: await this.open(game, name, budget, seed), info: nothing(game) }
    const info = await this.moves(game, name, options, level, seed, budget, multipv, progress)
    return { action: { type: 'place', moves: [info.lines[0]!.move] }, info }
  }

  /** The candidates of a player, the one to play first. */
  private moves(game: Game, name: string, options: Record<string, string>, level: LevelFacts | null, seed: number, budget: Budget, multipv: number, progress?: Progress): Promise<Info> | Info {
    const { position } = game
    const knows = this.bench.shelf.hasNet(position.rules)
    if (name === 'weight') return this.bench.runs.rank(position, multipv)
    if (name === 'random') return this.atRandom(position, multipv)
    const fresh = options.fresh === 'true'
    if (knows && level && level.nodes !== null) return this.level(game, level, seed, budget, multipv, progress)
    if (knows && (level || name === 'engine')) return this.engine(position, budget, multipv, fresh, progress)
    if (name !== 'minimax' && !level) throw new RuleError('unsupported_rule', `${name} does not play ${position.rules.rule} with ${position.rules.winLength} in a row`)
    return this.bench.runs.minimax(position, minimaxOptions(options, level), budget, multipv, progress)
  }

  private async engine(position: Position, budget: Budget, multipv: number, fresh: boolean, progress?: Progress): Promise<Info> {
    const data = await this.bench.shelf.get(position.rules)
    return this.searches().engine.run(position, data, budget, multipv, { fresh }, progress)
  }

  private searches(): { engine: EngineSearch; level: EngineSearch } {
    const { kernels, given } = this.bench
    // Both kinds of search share the records and the memory: a level's begins with an empty table, and uses less of it.
    this.search ??= (() => {
      const table = kernels.array('uint64', 1 << given.tableBits, 2)
      const engine = new EngineSearch(kernels, table)
      return { engine, level: engine.withTable(kernels.arrayPart(table, 1 << LEVEL_TABLE_BITS, 2)) }
    })()
    return this.search
  }

  /** A level below the whole engine: now and then at a glance, else a small search and a choice among the best. */
  private async level(game: Game, level: LevelFacts, seed: number, budget: Budget, multipv: number, progress?: Progress): Promise<Info> {
    const { kernels, shelf, tools } = this.bench
    const { position } = game
    const data = await shelf.get(position.rules)
    this.chance ??= {
      level: kernels.record('LEVEL'),
      glance: kernels.record('GLANCE'),
      state: tools.finder.shapes.state,
      patterns: tools.finder.shapes.patterns,
      scores: kernels.array('int64', CANDIDATES),
    }
    const { level: record, glance, state, patterns, scores } = this.chance
    for (const name of ['haste', 'sight', 'spread', 'temperature', 'depth', 'vcf_nodes'] as const) record.set(name, level[name])
    record.set('nodes', level.nodes ?? 0)
    kernels.call('level_seed', record, BigInt(seed), position.key, game.actions.length)
    if (kernels.call('level_hastes', record)) {
      tools.finder.shapes.load(position, data)
      const move = kernels.call('glance_move', state, patterns, data.tables, data.net, record, glance)
      return { ...nothing(game), lines: [{ move, pv: [move], value: null, score: null, winIn: null }] }
    }
    const count = Math.max(multipv, level.temperature ? CANDIDATES : 1)
    const options = { fresh: true, vcfNodes: level.vcf_nodes }
    const info = await this.searches().level.run(position, data, budget, count, options, progress)
    const { lines } = info
    if (!level.temperature || lines.some(({ score }) => score === null)) return info
    const shown = lines.slice(0, CANDIDATES)
    shown.forEach(({ score }, i) => scores.set(i, score!))
    const chosen = lines[kernels.call('level_choice', record, scores, shown.length, LOGIT, PROVEN)]!
    return { ...info, lines: [chosen, ...lines.filter((line) => line !== chosen)] }
  }

  private atRandom(position: Position, multipv: number): Info {
    const moves = position.legalMoves
    const lines: Line[] = []
    while (lines.length < multipv && moves.length) {
      const [move] = moves.splice(Math.floor(Math.random() * moves.length), 1)
      lines.push({ move: move!, pv: [move!], value: null, score: null, winIn: null })
    }
    return { side: position.toMove, lines, nodes: 0, depth: 0, maxDepth: 0, timeS: 0 }
  }

  /** Three stones that are hard to choose a side in, or the side that stands better. */
  private async open(game: Game, name: string, budget: Budget, seed: number): Promise<Action> {
    if (game.phase === 'place_three') return { type: 'place', moves: await this.threeStones(game, name, budget, seed) }
    const nodes = budget.nodes ?? (budget.time ? undefined : CHOICE_NODES)
    const value = await this.value(game.position, name, { ...budget, nodes, time: budget.time ? budget.time * CHOICE_SHARE : undefined })
    return { type: value !== null && value < 0 ? 'swap' : 'keep' }
  }

  private async threeStones(game: Game, name: string, budget: Budget, seed: number): Promise<number[]> {
    const { balanced } = this.bench.given.facts
    const { size } = game.rules
    const symmetry = (seed + Math.floor(Math.random() * 8)) % 8
    const choices = balanced.map((opening) => opening.map(([dx, dy]) => turnedCell(dx, dy, symmetry, size)))
    if (name !== 'level' && name !== 'engine') return choices[Math.floor(Math.random() * choices.length)]!
    const known: { moves: number[]; distance: number }[] = []
    for (const moves of choices) {
      const position = moves.reduce((now, move) => now.play(move), game.position)
      const nodes = Math.min(budget.nodes ?? STUDY_NODES, STUDY_NODES)
      const value = (await this.value(position, name, { nodes: Math.max(GLANCE_NODES, nodes) })) ?? 0
      known.push({ moves, distance: Math.abs(value) })
    }
    known.sort((a, b) => a.distance - b.distance)
    return known[Math.floor(Math.random() * OPENINGS_KEPT)]!.moves
  }

  /** What a player thinks of a position, for its side to move; null without an opinion. */
  async value(position: Position, name: string, budget: Budget): Promise<number | null> {
    const isEngine = (name === 'engine' || name === 'level') && this.bench.shelf.hasNet(position.rules)
    if (isEngine) return (await this.engine(position, budget, 1, false)).lines[0]!.value
    if (name === 'weight' || name === 'random') return null
    return (await this.bench.runs.minimax(position, { scores: 'minimax_s1', depth: 2, width: 0, trace: false }, {}, 1)).lines[0]!.value
  }
}

/** A level's own budget, within the one that is given. */
function withinLevel({ nodes, depth }: LevelFacts, limit: Budget): Budget {
  if (nodes === null) return limit
  return { ...limit, nodes: Math.min(limit.nodes ?? nodes, nodes), depth: Math.min(limit.depth ?? depth, depth) }
}

function minimaxOptions(options: Record<string, string>, level: LevelFacts | null): MinimaxOptions {
  const isFirst = options.preset === 's0'
  const usual = isFirst ? 2 + Math.floor(Math.random() * 2) : 4
  const depth = level ? Math.min(level.depth, MINIMAX_DEPTH) : Number(options.depth ?? usual)
  return { scores: isFirst ? 'minimax_s0' : 'minimax_s1', depth, width: 0, trace: false }
}

const nothing = ({ toMove }: Game): Info => ({ side: toMove, lines: [], nodes: 0, depth: 0, maxDepth: 0, timeS: 0 })

function turnedCell(dx: number, dy: number, symmetry: number, size: number): number {
  let [x, y] = [symmetry & 1 ? -dx : dx, symmetry & 2 ? -dy : dy]
  if (symmetry & 4) [x, y] = [y, x]
  const middle = Math.floor(size / 2)
  return (middle + y) * size + middle + x
}
