/** What the page does by itself, with a server or without one: games, reviews, puzzles, and files as far as it knows them. */

import { readonly, ref } from 'vue'
import { type Backend, BackendError, type Said, type Stream, type StreamHandlers } from '@/backend'
import { type Answers, answered, instant } from '../instant'
import { fetchModule } from '../module'
import { analysisStream } from './analysis'
import { GameDesk, checkPlaces, searched } from './games'
import { cellIn, gameOf } from './positions'
import { fetchFacts, fetchPuzzles, type Facts } from './facts'
import { type Lanes, newLanes, WorkerLane } from './lanes'
import { type ReadHints, fileOfGame, type GameFile, gameOfFile, readFile, readFiles, rulesOf, writeFile } from './records'
import { bookStones, ReviewDesk, savedReview, type StoredReview } from './reviews'
import { HUMAN, Session, type StoredSession } from './session'
import { outcomeOut } from './states'
import { LocalKeeper, Shelf } from './store'
import { ServerLane } from '../remote/lane'
import { ServerKeeper } from '../remote/shelf'
import { Game } from '@/backend/engine/game'
import { gameData, type ThinkAsk } from '@/backend/engine/asks'
import { formatCell } from '@/game/notation'
import { toRecord } from '@/game/record'
import { API, REVIEW } from '@/wasm/generated'
import { letterOf, loadRules, RuleError } from '@/wasm/rulebook'
import type { AnalyzeIn, Check, Engine, ExportName, GameState, GameSummary, ReviewSummary, Hint, HintKind, LocalText, Operations, ParsedRecord, Probe, Puzzle, RuleName, Topic, Topics, Trial } from '@/wire'

const { MULTIPV, RECENT } = API
const { MISTAKE } = REVIEW
/** Characters of a person's name; seconds for the move of a probe. */
const MAX_NAME = 60
const PROBE_S = 1
/** Positions of the search for a win that was proved from a position before: more than were needed there. */
const REFUTE_NODES = 2_000_000
const OWN_FORMATS: ExportName[] = ['sgf', 'psq', 'pos', 'json', 'txt']
const NO_STREAM: Stream<never> = { send: () => false, reconnectNow: () => undefined, close: () => undefined }

/** Why a move would be a bad mistake; which move is better is not told. As the server words it. */
function checkOf({ verdict, line, loss }: Trial): Check {
  let reason: LocalText | null = null
  if (verdict === 'lost') return { isBlunder: false, reason, loss, line }
  if (line.length) reason = { en: 'The other side could then win by force.', zh: '这样走之后，对方有必胜的进攻。' }
  else if (loss === null && verdict === 'fails') reason = { en: 'It loses at once.', zh: '这一手立即输棋。' }
  else if ((loss ?? 0) > MISTAKE) {
    const points = Math.round(loss!)
    reason = { en: `The engine sees about ${points} points of win rate lost.`, zh: `引擎估计大约会损失 ${points} 个百分点的胜率。` }
  }
  return { isBlunder: reason !== null, reason, loss, line }
}

/** What an unnamed person who plays an engine is called, as on the page. */
const YOU = { en: 'You', zh: '你' }

/** Both sides' names in that language, as the page shows them to who plays. */
function playersOnPage(state: GameState, engines: readonly Engine[], lang: 'en' | 'zh' = 'en'): { B: string; W: string } {
  const names = playersOf(state, engines, lang)
  const isAlone = state.seats.some(({ kind }) => kind === 'engine')
  for (const { color, isUnnamed } of state.seats) if (isUnnamed && isAlone) names[color as 'B' | 'W'] = YOU[lang]
  return names
}

/** Both sides' names in that language, an engine's with its level. */
function playersOf({ seats }: GameState, engines: readonly Engine[], lang: 'en' | 'zh' = 'en'): { B: string; W: string } {
  const name = (color: 'B' | 'W'): string => {
    const seat = seats.find((one) => one.color === color)!
    const levels = engines.find((one) => one.id === seat.engine)?.levels ?? []
    const level = levels.length > 1 ? levels.find((one) => one.id === seat.level) : undefined
    return [seat.name[lang], ...(level ? [level.name[lang]] : [])].join(' · ')
  }
  return { B: name('B'), W: name('W') }
}

/** What a request says of a file beside its content. */
const askedOf = ({ charset, rule }: { charset?: string; rule?: RuleName }): ReadHints => ({ charset, assumed: rule ? { rule } : {} })

/** A pasted text, or the bytes of a file: its charset is for the readers of records to tell. */
async function contentOf(body: string | File): Promise<string | Uint8Array> {
  return typeof body === 'string' ? body : new Uint8Array(await body.arrayBuffer())
}

/** Everything that can be asked, by name. */
class LocalDesk {
  readonly games: GameDesk
  readonly reviews: ReviewDesk
  readonly lanes
  /** Proofs are read here, whoever searches. */
  private readonly proofs: WorkerLane
  private puzzleList: Promise<Puzzle[]> | null = null
  /** What is to be asked anew: other engines answer now. */
  readonly handedOver = new Set<() => void>()

  /** With a `server` games and reviews are kept there, and it reads and writes the files that the page does not know. */
  constructor(
    readonly facts: Facts,
    private readonly server: Backend | null = null,
  ) {
    this.lanes = newLanes(facts)
    this.proofs = new WorkerLane(facts)
    const keeper = server
      ? new ServerKeeper<StoredSession, GameSummary>(server, 'games')
      : new LocalKeeper<StoredSession, GameSummary>('games', (one) => this.games.summary(one), searched)
    this.games = new GameDesk(facts, this.lanes, keeper)
    const reviews = server
      ? new ServerKeeper<StoredReview, ReviewSummary>(server, 'reviews')
      : new LocalKeeper<StoredReview, ReviewSummary>('reviews', ReviewDesk.summary)
    this.reviews = new ReviewDesk(facts, this.lanes, reviews)
  }

  /** From now on the server's engines answer. */
  handOver(): void {
    const lane = new ServerLane()
    this.change({ moves: lane, analysis: lane, looks: lane })
  }

  /** From now on this browser's engine answers, as it does at first. */
  takeBack(): void {
    if (this.lanes.moves instanceof ServerLane) this.change(newLanes(this.facts))
  }

  private change(lanes: Lanes): void {
    Object.assign(this.lanes, lanes)
    for (const renew of this.handedOver) renew()
  }

  /** Moves games that an earlier page kept in the browser to the server. */
  async moveIn(server: Backend): Promise<void> {
    const keeper = new ServerKeeper<StoredSession, GameSummary>(server, 'games')
    const shelf = new Shelf<StoredSession>('games')
    for (const one of await shelf.recent(Infinity)) {
      await keeper.put({ ...one, version: 0 }, this.games.summary(one)).catch((error: unknown) => {
        if (!(error instanceof BackendError) || error.code !== 'conflict') throw error
      })
      await shelf.remove(one.id)
    }
  }

  /** The names of engines, their levels and what they can. */
  know(engines: Engine[]): void {
    this.facts.engines = engines
    this.games.showAll()
  }

  readonly answers: Answers = {
    'system.health': () => ({ status: 'ok', version: this.facts.version.version, commit: null, kernels: 'warm', compiled: 0, toCompile: 0 }),
    'system.version': () => this.facts.version,
    'system.engines': () => this.facts.engines,
    'system.probe': ({ id, level }) => this.probe(id, level),
    'games.create': ({ body }) => this.games.create(body),
    'games.recent': ({ limit, search }) => this.games.recent(limit ?? RECENT, search),
    'games.look': async ({ id }) => (await this.games.get(id)).state(),
    'games.remove': ({ id }) => this.games.remove(id),
    'games.restore': ({ id }) => this.games.restore(id),
    'games.restart': ({ id, body }) => this.games.restart(id, body?.swapSides),
    'play.move': ({ id, body }) =>
      this.games.change(id, (session, elapsed) => session.act({ type: 'place', moves: [cellIn(body.move, session.game.rules.size)] }, body.ply, elapsed)),
    'play.action': ({ id, body: { action, moves, ply } }) =>
      this.games.change(id, (session, elapsed) => {
        const cells = (moves ?? []).map((move) => cellIn(move, session.game.rules.size))
        session.act(action === 'place' ? { type: 'place', moves: cells } : { type: action }, ply, elapsed)
      }),
    'play.undo': ({ id, body }) =>
      this.games.interrupt(id, (session) => {
        if (session.between) session.ask('undo')
        else session.undo(body?.plies)
      }),
    'play.redo': ({ id, body }) => this.games.interrupt(id, (session) => session.redoMoves(body?.plies)),
    'play.resign': ({ id, body }) => this.games.interrupt(id, (session) => session.resign(body?.color)),
    'play.draw': ({ id }) =>
      this.games.interrupt(id, (session) => {
        if (session.between) session.ask('draw')
        else session.offerDraw()
      }),
    'play.ask': ({ id, body }) => this.games.agree(id, (session) => session.ask(body.kind)),
    'play.reply': ({ id, body }) => this.games.agree(id, (session) => session.reply(body.accepts)),
    'play.call': ({ id, body }) =>
      this.games.interrupt(id, (session) => {
        if (session.between && session.me !== null) session.seats[session.me] = { ...session.seats[session.me]!, name: body.name.trim().replace(/\s+/g, ' ').slice(0, MAX_NAME) }
        session.seq += 1
      }),
    'games.invite': ({ id, body }) => this.games.invite(id, body.seat),
    'games.invitation': ({ id }) => this.games.invitation(id),
    'games.sit': ({ id, body }) => this.games.sit(id, body.mark),
    'play.stop': ({ id }) => this.games.interrupt(id, (session) => session.pause()),
    'play.pace': ({ id, body }) => this.games.note(id, { pace: body.seconds }),
    'play.name': ({ id, body }) => this.games.note(id, { name: body.name.trim().replace(/\s+/g, ' ') }),
    'play.resume': ({ id }) => this.games.change(id, (session) => session.resume()),
    'play.move_now': async ({ id }) => {
      const game = await this.games.get(id)
      if (!game.moveNow()) throw new RuleError('not_your_turn', 'no engine thinks now')
      return game.state()
    },
    'play.hint': ({ id, body }) => this.hint(id, body?.level ?? 1),
    'play.check': ({ id, body }) => this.check(id, body.ply, body.move),
    'records.parse': ({ body, tree, ...asked }) => this.parse(body, tree ?? false, askedOf(asked)),
    'records.collection': async ({ body }) => {
      const { files } = readFiles(await contentOf(body))
      const good = files.flatMap((file) => (file instanceof RuleError ? [] : [{ ...toRecord(file.tree) }]))
      return { records: good, problems: files.flatMap((file) => (file instanceof RuleError ? [file.message] : [])) }
    },
    'records.convert': async ({ body, format }) => {
      const { text, type } = writeFile(readFile(await contentOf(body)).file, format ?? 'sgf')
      return new Blob([text], { type })
    },
    'records.import_game': async ({ body, ...asked }) => {
      const file = await this.read(body, askedOf(asked), asked)
      const { black, white } = file.tree.players
      const seats = [black, white].map((name) => ({ ...HUMAN, name: name.slice(0, MAX_NAME) }))
      return this.games.add(new Session([seats[0]!, seats[1]!], gameOfFile(file)))
    },
    'records.export': (asks) => this.export(asks),
    ...instant,
    'analysis.analyze': async ({ body }) => {
      const game = gameOf(body.position)
      const found = await this.lanes.looks.ask('think', this.thinkAsk(game, body)).answer
      return { id: 'analysis', isDuringSearch: false, turnNumber: game.ply, rootInfo: found.rootInfo, moveInfos: found.moveInfos, visits: null, policy: null }
    },
    'analysis.balance': ({ body: { position, count } }) => {
      const game = gameOf(position)
      if (game.end) throw new RuleError('game_over', 'the game is over')
      return this.lanes.looks.ask('balance', { game: gameData(game), count: count ?? 1 }).answer
    },
    'analysis.layers': ({ body: { position, ...body } }) => this.lanes.looks.ask('layers', { game: gameData(gameOf(position)), body }).answer,
    'proofs.look': ({ body }) => this.proofs.ask('proof', { game: gameData(gameOf(body)) }).answer,
    'proofs.refute': ({ body }) => this.refute(gameOf(body)),
    'analysis.nets': () => [],
    'reviews.create': ({ body }) => this.review(body),
    'reviews.recent': ({ limit }) => this.reviews.recent(limit ?? RECENT),
    'reviews.look': ({ id }) => this.reviews.look(id),
    'reviews.remove': ({ id }) => this.reviews.remove(id),
    'reviews.restore': ({ id }) => this.reviews.restore(id),
    'reviews.stop': ({ id }) => this.reviews.stop(id),
    'reviews.resume': ({ id }) => this.reviews.resume(id),
    'reviews.export': (asks) => this.exportReview(asks),
    'reviews.attempt': async ({ id, body }) => {
      const { rules } = await this.reviews.look(id)
      return this.reviews.attempt(id, body.ply, cellIn(body.move, rules.size))
    },
    'puzzles.puzzles': async ({ theme, limit }) => (await this.puzzles()).filter((one) => !theme || one.theme === theme).slice(0, limit),
    'puzzles.look': async ({ id, solution }) => ({ ...(await this.puzzle(id)), ...(solution ? {} : { solution: null }) }),
    'puzzles.attempt': ({ id, body }) => this.attempt(id, body.moves),
    'runs.training': () => ({ hasRuns: false, canStart: false, missing: null, presets: [] }),
    'runs.recent': () => [],
    'arenas.recent': () => [],
    'results.recent': () => [],
  }

  /** A search of a position by who is to analyse it. */
  thinkAsk(game: Game, { engine = 'engine', level, net, limit = {}, multipv = MULTIPV, include }: Partial<AnalyzeIn>): ThinkAsk {
    const found = this.games.levelOf({ kind: 'engine', engine, level: level ?? null, name: '' })
    if (!found) throw new BackendError('unsupported_rule', 422, `unknown engine ${engine}`)
    const { timeS, nodes, depth } = found.limit
    const budget = Object.keys(limit).length ? limit : { time: timeS, nodes, depth }
    return { game: gameData(game), spec: found.spec, player: { engine, level, net }, seed: 0, limit: budget, multipv, ...(include && { include }) }
  }

  /** A move of an engine on a board that it knows with a stone in the centre, within a second. */
  private async probe(id: string, level: string | undefined): Promise<Probe> {
    const engine = this.facts.engines.find((one) => one.id === id)
    if (!engine) throw new BackendError('not_found', 404, `engine ${id}: there is none`)
    const { minSize, maxSize, rules, winLengths } = engine.capabilities
    const size = Math.min(Math.max(15, minSize), maxSize)
    const rule = rules.includes('freestyle') ? 'freestyle' : rules[0]!
    const winLength = winLengths && !winLengths.includes(5) ? winLengths[0]! : Math.min(5, size)
    const board = { size, winLength, rule, opening: 'free' as const }
    const ask = this.thinkAsk(Game.of(board, [Math.floor(size ** 2 / 2)]), { engine: id, ...(level && { level }), multipv: 1 })
    const begun = performance.now()
    const { rootInfo, moveInfos } = await this.lanes.looks.ask('think', { ...ask, limit: { ...ask.limit, time: Math.min(ask.limit.time ?? PROBE_S, PROBE_S) } }).answer
    const { visits, depth, winrate } = rootInfo
    return { board, move: moveInfos[0]?.move ?? null, seconds: Number(((performance.now() - begun) / 1000).toFixed(3)), visits, depth, winrate }
  }

  private async hint(id: string, level: 1 | 2): Promise<Hint> {
    const { area, move, reason, winrate, lines } = await this.games.hint(id)
    const { size } = (await this.games.get(id)).session.game.rules
    const name = (cell: number): string => formatCell(cell, size)
    const why: LocalText = { en: this.facts.words.en[`hintreason.${reason}`]!, zh: this.facts.words.zh[`hintreason.${reason}`]! }
    const told = { area: area.map(name), kind: reason as HintKind, reason: why }
    return level === 1 ? { ...told, move: null, winrate: null, lines: [] } : { ...told, move: name(move), winrate, lines: lines.map((line) => ({ ...line })) }
  }

  private async check(id: string, ply: number, move: string): Promise<Check> {
    const { game, seats } = (await this.games.get(id)).session
    if (ply !== game.ply) throw new RuleError('ply_mismatch', `ply ${ply} was meant: the game is at ply ${game.ply}`)
    checkPlaces(game, seats)
    if (!this.facts.data[`${game.rules.rule}-${game.rules.winLength}`]?.hasNet) return { isBlunder: false, reason: null, loss: null, line: [] }
    return checkOf(await this.reviews.judge(game.at(0), game.moves, cellIn(move, game.rules.size), 'best'))
  }

  private async refute(game: Game): Promise<Operations['proofs.refute']['answer']> {
    if (game.end) return { win: null, winner: game.end.winner && letterOf(game.end.winner) }
    const found = await this.proofs.ask('refute', { game: gameData(game), nodes: REFUTE_NODES }).answer
    const moves = found?.moves.map((cell) => formatCell(cell, game.rules.size))
    return { win: found && { kind: found.kind, moves: moves! }, winner: null }
  }

  private async parse(body: string | File, withTree: boolean, asked: ReadHints): Promise<ParsedRecord> {
    const { format, file } = readFile(await contentOf(body), asked)
    const game = this.shown(file, withTree)
    const { size, winLength, rule, opening } = game.rules
    const hasMore = Object.values(file.tree.nodes).some((node) => node.children.length > 1 || node.comment || node.setup)
    return {
      format, rules: { size, winLength, rule, opening }, moves: game.moves.map((cell) => formatCell(cell, size)), players: { ...file.tree.players },
      result: outcomeOut(game), tree: withTree || hasMore ? { ...toRecord(file.tree) } : null, warnings: file.warnings, review: null,
    }
  }

  /** The game of a file; an analysis also shows boards that were changed between the moves, which are no game. */
  private shown(file: GameFile, withTree: boolean): Game {
    try {
      return gameOfFile(file)
    } catch (error) {
      if (!withTree) throw error
      return Game.begin({ ...rulesOf(file), opening: 'free' })
    }
  }

  /** A file of a game, by Python where a server has that. */
  private async read(body: string | File, asked: ReadHints, more: { charset?: string; rule?: RuleName }): Promise<GameFile> {
    if (!this.server) return readFile(await contentOf(body), asked).file
    const { tree } = await this.server.request('records.parse', { body, tree: true, ...more })
    return readFile(JSON.stringify(tree)).file
  }

  private async export({ id, format = 'sgf', lang = 'en' }: Operations['records.export']['asks']): Promise<Blob> {
    const game = await this.games.get(id)
    const state = game.state()
    const { B, W } = playersOf(state, this.facts.engines, lang)
    const file = fileOfGame(game.session.game, B, W, state.createdAt.slice(0, 10))
    if (this.server && !OWN_FORMATS.includes(format)) return this.server.request('records.convert', { format, body: writeFile(file, 'json').text })
    const { text, type } = writeFile(file, format)
    return new Blob([text], { type })
  }

  private async exportReview({ id, format = 'sgf', lang = 'en', side }: Operations['reviews.export']['asks']): Promise<Blob> {
    // Python writes what it can read again.
    if (this.server && (format === 'sgf' || format === 'html')) {
      return this.server.request('records.review', { body: { ...(await this.reviews.written(id)), format, lang } })
    }
    const { text, type } = (await this.reviews.file(id, format, lang, side))!
    return new Blob([text], { type })
  }

  private async review({ gameId, record, depth, lang }: Operations['reviews.create']['asks']['body']) {
    if (gameId) {
      const game = await this.games.get(gameId)
      const { session, createdAt } = game
      const book = session.game.at(Math.min(session.opening, session.game.actions.length)).moves.length
      const date = new Date(createdAt).toISOString().slice(0, 10)
      return this.reviews.create(session.game, playersOnPage(game.state(), this.facts.engines, lang), date, depth ?? 'normal', book)
    }
    const parsed = this.server && (await this.server.request('records.parse', { body: record ?? '', tree: true }))
    const { file } = readFile(parsed ? JSON.stringify(parsed.tree) : (record ?? ''))
    const { black, white } = file.tree.players
    const game = gameOfFile(file)
    const found = parsed?.review ? savedReview(parsed.review as never, game.rules.size) : null
    return this.reviews.create(game, { B: black, W: white }, file.date, depth ?? 'normal', bookStones(file.headers.opening_name, game), found)
  }

  private puzzles(): Promise<Puzzle[]> {
    this.puzzleList ??= fetchPuzzles(this.facts.puzzles)
    return this.puzzleList
  }

  private async puzzle(id: string): Promise<Puzzle> {
    const found = (await this.puzzles()).find((one) => one.id === id)
    if (!found) throw new BackendError('not_found', 404, `puzzle ${id}: there is none`)
    return found
  }

  private async attempt(id: string, played: string[]): Promise<Trial> {
    const { rules, moves, theme } = await this.puzzle(id)
    const cells = [...moves, ...played].map((move) => cellIn(move, rules.size))
    const options = { ...REVIEW.OPTIONS, proofNodes: 500_000, player: REVIEW.ANALYSTS.engine }
    return this.reviews.judge(Game.of(rules, []), cells.slice(0, -1), cells.at(-1)!, theme === 'defence' ? 'defend' : 'win', options)
  }
}

/** The page's own part, by the facts that a static site or a server has. */
export async function openDesk(factsFile: string, server: Backend | null = null): Promise<LocalDesk> {
  const [facts] = await Promise.all([fetchFacts(factsFile), loadRules(fetchModule)])
  return new LocalDesk(facts, server)
}

export function openStream<T extends Topic>(desk: LocalDesk, topic: T, asks: Topics[T]['asks'], handlers: StreamHandlers<Said<T>>): Stream<T> {
  const { id } = asks as { id: string }
  const streams: Partial<Record<Topic, () => Stream<never>>> = {
    games: () => desk.games.open(id, handlers as StreamHandlers<Said<'games'>>),
    reviews: () => desk.reviews.open(id, handlers as StreamHandlers<Said<'reviews'>>),
    analysis: () => analysisStream(desk, handlers as StreamHandlers<Said<'analysis'>>),
  }
  return (streams[topic]?.() ?? NO_STREAM) as Stream<T>
}

/** A page without a server. */
export async function openLocal(factsFile: string): Promise<Backend> {
  const desk = await openDesk(factsFile)
  return {
    isReachable: readonly(ref(true)),
    request: (operation, ...[asks]) => answered(desk.answers, operation, asks ?? {}),
    open: (topic, asks, handlers) => openStream(desk, topic, asks, handlers),
    download: () => '#',
    formats: () => ({ records: OWN_FORMATS, reviews: ['sgf', 'csv', 'json'] }),
    isKept: async () => true,
  }
}

export type { LocalDesk }
