/** What the worker has at hand to answer with; tools are made when first needed. */

import { formatCell } from '@/game/notation'
import { GAME, HINT, LAYERS, REVIEW } from '@/wasm/generated'
import { opponentOf, letterOf, type Position, RuleError } from '@/wasm/rulebook'
import type { Kernels } from '@/wasm/kernels'
import type { Layers, LayersIn, ThreatLayer } from '@/wire'
import type { AskName, Asks, Begin, HintAnswer, Thought } from './asks'
import { gameFrom } from './asks'
import { balanced } from './balance'
import { DataShelf, type EngineData } from './data'
import { Explainer, hintArea, remarkText } from './explain'
import type { Game } from './game'
import { blackRate, type Budget, type Info, reportOf } from './info'
import { Examiner } from './examiner'
import { Players } from './players'
import { ProofShelf } from './proofs'
import { RunEngine } from './runs'
import { knowsFours, VcfSolver, VctSolver } from './solvers'
import { ThreatFinder, threatOut } from './threats'

/** What looks for threats and explains moves. */
interface Tools {
  vcf: VcfSolver
  vct: VctSolver
  finder: ThreatFinder
  explainer: Explainer
}

/** Hears of a search when it is asked what to say; true ends the search. */
export type Report = (info: () => Thought) => Promise<boolean>

export class Toolbox {
  readonly shelf: DataShelf
  readonly runs: RunEngine
  readonly players: Players
  readonly proofs: ProofShelf
  private made: Tools | null = null
  private examiner: Examiner | null = null

  constructor(
    readonly kernels: Kernels,
    readonly given: Begin,
  ) {
    this.shelf = new DataShelf(kernels, given.base, given.facts.data)
    this.runs = new RunEngine(kernels, given.facts.scores)
    this.players = new Players(this)
    this.proofs = new ProofShelf(given.facts.proofs, given.base)
  }

  get tools(): Tools {
    const { kernels } = this
    this.made ??= { vcf: new VcfSolver(kernels), vct: new VctSolver(kernels), finder: new ThreatFinder(kernels), explainer: new Explainer(kernels) }
    return this.made
  }

  answer<A extends AskName>(name: A, asks: Asks[A]['asks'], report: Report): Promise<Asks[A]['answer']> {
    const makers: { [N in AskName]: (asks: Asks[N]['asks']) => Promise<Asks[N]['answer']> } = {
      think: async ({ game, spec, seed, limit, multipv }) => {
        const now = gameFrom(game)
        const shaped = (info: Info) => reportOf(info, multipv, nameIn(now))
        const progress = (info: Info): Promise<boolean> => report(() => ({ ...shaped(info), action: null }))
        const { action, info } = await this.players.think(now, spec, seed, limit, multipv, progress)
        return { ...shaped(info), action }
      },
      hint: ({ game, spec, limit }) => this.hint(gameFrom(game), spec, limit),
      balance: ({ game, count }) => {
        const value = async (position: Position, budget: Budget): Promise<number> => (await this.players.engineValue(position, budget)) ?? 0
        return balanced(value, gameFrom(game), count)
      },
      layers: ({ game, body }) => this.layers(gameFrom(game), body),
      proof: ({ game }) => this.proofs.look(gameFrom(game)),
      refute: ({ game, nodes }) => this.examine().refute(gameFrom(game).position, nodes),
      judge: (one) => this.examine().judge(one),
      review: (one) => this.examine().task(one),
    }
    return makers[name](asks)
  }

  /** The tables of threats, where these rules have names for them. */
  async named(position: Position): Promise<EngineData | null> {
    return this.shelf.hasTables(position.rules) ? this.shelf.get(position.rules) : null
  }

  private examine(): Examiner {
    this.examiner ??= new Examiner(this)
    return this.examiner
  }

  private async hint(game: Game, spec?: string, limit?: Budget): Promise<HintAnswer> {
    const usual = this.shelf.hasNet(game.rules) ? 'engine' : 'minimax-s1'
    const { info } = await this.players.think(game, spec ?? (usual === 'engine' ? usual : REVIEW.ANALYSTS[usual]), 0, limit ?? { time: HINT.SECONDS }, GAME.CANDIDATES)
    const line = info.lines[0]!
    const reason = this.tools.explainer.hintReason(game.position, await this.named(game.position), line.move, line)
    const winrate = line.value === null ? null : blackRate(line.value, game.toMove)
    return { move: line.move, area: hintArea(line.move, game.rules.size), reason, winrate, lines: reportOf(info, GAME.CANDIDATES, nameIn(game)).moveInfos }
  }

  private async layers(game: Game, { include, depth, moves }: Omit<LayersIn, 'position'>): Promise<Layers> {
    const { position } = game
    if (position.end && include.some((name) => name !== 'threats')) throw new RuleError('game_over', 'the game is over')
    const data = await this.named(position)
    const found: Layers = { turnNumber: position.ply, threats: null, scores: null, net: null, tree: null, words: null, unsupported: {} }
    for (const name of include) {
      if (name === 'threats' && data) found.threats = this.threatLayer(position, data)
      else if (name === 'scores') found.scores = this.runs.scoreLayer(position)
      else if (name === 'tree') found.tree = await this.runs.treeLayer(position, depth ?? LAYERS.TREE_DEPTH)
      else if (name === 'words') found.words = this.words(position, data, moves ?? [])
      else found.unsupported[name] = name === 'net' ? 'nets need a server' : 'threats have names for four and five in a row'
    }
    return found
  }

  private words(position: Position, data: EngineData | null, moves: string[]): Layers['words'] {
    const { size } = position.rules
    const { words } = this.given.facts
    const explainer = this.tools.explainer.begin(position, data)
    const cells = new Map(Array.from({ length: size * size }, (_, cell) => [formatCell(cell, size), cell]))
    return moves.map((move) => {
      const remarks = explainer.explain(cells.get(move)!)
      const said = (language: 'en' | 'zh'): string[] => remarks.map((one) => remarkText(words, language, one, size))
      return { move, en: said('en'), zh: said('zh') }
    })
  }

  private threatLayer(position: Position, data: EngineData): ThreatLayer {
    const name = nameIn({ rules: position.rules })
    const found = this.tools.finder.find(position, data).map((threat) => threatOut(threat, name))
    if (position.end || !knowsFours(position)) return { found, lines: [] }
    const lines = [position.toMove, opponentOf(position.toMove)].map((side) => {
      const turned = side === position.toMove ? position : position.turned(side)
      const fours = this.tools.vcf.solve(turned, data, LAYERS.FOUR_NODES)
      const isByFours = fours.verdict === 'win'
      const { verdict, moves } = isByFours ? fours : this.tools.vct.solve(turned, data, LAYERS.THREAT_NODES)
      const kind = isByFours ? ('vcf' as const) : ('vct' as const)
      return { color: letterOf(side), toMove: side === position.toMove, kind, verdict, moves: moves.map(name) }
    })
    return { found, lines }
  }
}

export const nameIn =
  ({ rules }: { rules: { size: number } }) =>
  (cell: number): string =>
    formatCell(cell, rules.size)
