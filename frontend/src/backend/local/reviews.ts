/** The reviews of the page: made task by task in a lane, kept in the browser or on a server. */

import { BackendError, type Said, type Stream, type StreamHandlers } from '@/backend'
import { type GameData, gameData, gameFrom, type JudgeAsk, type ReviewOptions, type TaskKind, type TaskResult } from '@/backend/engine/asks'
import type { Game } from '@/backend/engine/game'
import { formatCell, parseCode } from '@/game/notation'
import { at, lineThrough, ROOT } from '@/game/tree'
import { REVIEW } from '@/wasm/generated'
import type { Color, Depth, Review, ReviewExportName, ReviewFileIn, ReviewSummary, Trial } from '@/wire'
import { optionsOut, resultIn, resultOut } from '../remote/lane'
import type { Facts } from './facts'
import { keyOf, ReviewBook } from './judgement'
import type { Lanes, Running } from './lanes'
import { fileOfGame, type GameFile, writeFile } from './records'
import { ReviewTexts, reviewTable, sideOut } from './reviewText'
import { outcomeOut, timeText } from './states'
import type { Keeper, Kept, Watch } from './store'

const { ANALYSTS, DEPTHS, OPTIONS } = REVIEW
/** Budgets of a look at a move before it is played. */
const CHECK_OPTIONS = { ...OPTIONS, quickNodes: 20_000, proofNodes: 50_000 }
/** Of stored reviews: those of an older one are made again. */
const SCHEMA = 2

/** A review that is made elsewhere is kept at least so often. */
const ELSEWHERE_MS = 20_000
const KEEP_MS = 3000

type Results = Record<string, TaskResult>

export interface StoredReview {
  schema?: number
  game: GameData
  end: Game['end']
  players: { B: string; W: string }
  date: string
  options: ReviewOptions
  results: Results
  /** It was being made when it was kept last: whoever looks goes on. */
  runs?: boolean
  /** Results of an earlier server, as Python writes them. */
  wire?: Record<string, never>
}

class LiveReview {
  readonly viewers = new Set<StreamHandlers<Said<'reviews'>>>()
  readonly book: ReviewBook
  error: [code: string, text: string] | null = null
  task: Running<'review'> | null = null
  seq = 0
  ahead = 0
  version = 0
  keptAt = 0
  watch: Watch | null = null

  constructor(
    readonly id: string,
    readonly stored: StoredReview,
    readonly createdAt: number,
  ) {
    const game = gameFrom(stored.game)
    this.book = new ReviewBook(stored.end && !game.end ? game.ended(stored.end) : game, stored.options, stored.results)
    this.seq = Object.keys(stored.results).length
  }

  get status(): Review['status'] {
    if (this.task) return 'running'
    if (!this.book.next()) return 'done'
    if (this.isElsewhere) return 'running'
    return this.error ? 'failed' : 'stopped'
  }

  /** Whether another page makes it. */
  get isElsewhere(): boolean {
    return this.task === null && this.stored.runs === true && Date.now() - this.keptAt < ELSEWHERE_MS
  }

  summary(): ReviewSummary {
    const { size, winLength, rule, opening } = this.book.game.rules
    return {
      id: this.id, status: this.status, createdAt: timeText(this.createdAt), players: this.stored.players,
      rules: { size, winLength, rule, opening }, ply: this.book.moves.length, fraction: this.book.progress().fraction,
    }
  }

  state(facts: Facts): Review {
    const judged = this.book.judge()
    const texts = new ReviewTexts(this.book, facts.words)
    const { fraction, ...about } = this.summary()
    return {
      ...about,
      seq: this.seq,
      error: this.error?.[1] ?? null,
      errorCode: this.error?.[0] ?? null,
      date: this.stored.date,
      outcome: outcomeOut(this.book.game),
      player: this.stored.options.player,
      start: this.book.positions[0]!.text,
      judgedFrom: this.book.judgedFrom,
      progress: { ...this.book.progress(), fraction, ahead: this.ahead },
      winrates: judged.winrates,
      moves: judged.moves.map((move) => texts.moveOut(move)),
      sides: judged.sides.map(sideOut),
      worst: judged.worst,
      resigned: texts.resigned(judged.resigned),
    }
  }
}

export class ReviewDesk {
  private readonly live = new Map<string, LiveReview>()

  constructor(
    private readonly facts: Facts,
    private readonly lanes: Lanes,
    private readonly keeper: Keeper<StoredReview, ReviewSummary>,
  ) {}

  /** Who analyses under these rules. */
  analyst({ rule, winLength }: { rule: string; winLength: number }): string {
    return this.facts.data[`${rule}-${winLength}`]?.hasNet ? ANALYSTS.engine : ANALYSTS['minimax-s1']
  }

  /** Begins a review, or goes on with the one of the same game with the same settings; `book` stones are not judged. */
  async create(game: Game, players: { B: string; W: string }, date: string, depth: Depth, book = 0, found: Pick<StoredReview, 'options' | 'results'> | null = null): Promise<Review> {
    if (!game.moves.length) throw new BackendError('unsupported_rule', 422, 'the game has no moves: nothing to review')
    const [quickNodes, deepNodes, verifyNodes] = DEPTHS[depth]
    const options = found?.options ?? { ...OPTIONS, player: this.analyst(game.rules), quickNodes, deepNodes, verifyNodes, book }
    const stored: StoredReview = { schema: SCHEMA, game: gameData(game), end: game.end, players, date, options, results: found?.results ?? {} }
    const id = idOf(stored)
    const known = await this.get(id).catch((error: unknown) => {
      if (error instanceof BackendError && error.status === 404) return null
      throw error
    })
    const review = known ?? new LiveReview(id, stored, Date.now())
    if (!known) {
      stored.runs = review.book.next() !== null
      await this.keep(review)
    }
    this.live.set(id, review)
    if (!review.task && !(known && review.isElsewhere) && review.book.next()) void this.run(review)
    return review.state(this.facts)
  }

  /** Keeps a review; what another page has found meanwhile is kept, too. */
  private async keep(review: LiveReview): Promise<void> {
    const { id, createdAt, stored } = review
    review.keptAt = Date.now()
    for (;;) {
      try {
        review.version = (await this.keeper.put({ id, createdAt, updatedAt: createdAt, version: review.version, data: stored }, review.summary())).version ?? 0
        return
      } catch (error) {
        if (!(error instanceof BackendError) || error.code !== 'conflict') throw error
        const other = await this.keeper.get(id)
        if (other) this.take(review, other)
      }
    }
  }

  private take(review: LiveReview, { version = 0, data }: Kept<StoredReview>): void {
    if (version <= review.version) return
    review.version = version
    review.keptAt = Date.now()
    Object.assign(review.stored.results, { ...data.results, ...review.stored.results })
    if (!review.task) review.stored.runs = data.runs ?? false
  }

  async get(id: string): Promise<LiveReview> {
    const known = this.live.get(id)
    if (known && (known.task || known.watch || !this.keeper.isShared)) return known
    const kept = await this.keeper.get(id)
    if (!kept) throw new BackendError('not_found', 404, `review ${id}: there is none`)
    const again = this.live.get(id)
    if (again) {
      this.take(again, kept)
      return again
    }
    const { data } = kept
    Object.assign(data.results, resultsIn(data.wire ?? {}, data.game.rules.size))
    delete data.wire
    // What an older version claimed was not proved: everything is looked at again.
    const stored = data.schema === SCHEMA ? data : { ...data, schema: SCHEMA, options: { ...OPTIONS, ...data.options, player: this.analyst(data.game.rules) }, results: {} }
    const review = new LiveReview(id, stored, kept.createdAt)
    review.version = kept.version ?? 0
    review.keptAt = this.keeper.isShared ? kept.updatedAt - this.keeper.now() + Date.now() : 0
    this.live.set(id, review)
    this.goOn(review)
    return review
  }

  /** Goes on with what another page, or this one before it was loaded anew, has begun and left. */
  private goOn(review: LiveReview): void {
    if (!review.stored.runs || review.task || !review.book.next()) return
    if (review.isElsewhere) window.setTimeout(() => this.goOn(review), ELSEWHERE_MS)
    else void this.run(review)
  }

  /** A review as a file: annotated SGF, a table, or JSON; what only Python writes is null. */
  async file(id: string, format: ReviewExportName, language: 'en' | 'zh', side?: Color): Promise<{ text: string; type: string } | null> {
    const review = await this.get(id)
    const state = review.state(this.facts)
    if (format === 'json') return { text: JSON.stringify(state), type: 'application/json' }
    if (format === 'csv') return { text: reviewTable(state, language, side), type: 'text/csv' }
    if (format === 'html') return null
    const file = this.record(review)
    lineThrough(file.tree, ROOT).slice(1).forEach((node, ply) => {
      at(file.tree, node).comment = (state.moves[ply]?.text[language] ?? []).join('\n')
    })
    return writeFile(file, 'sgf')
  }

  /** What Python needs to write a review: its record, and what was found. */
  async written(id: string): Promise<Pick<ReviewFileIn, 'record' | 'options' | 'results'>> {
    const review = await this.get(id)
    const { options, results } = review.stored
    const { size } = review.book.game.rules
    const named = Object.entries(results).map(([key, found]) => [key, resultOut(found, size)])
    return { record: writeFile(this.record(review), 'json').text, options: { player: options.player, ...optionsOut(options) }, results: Object.fromEntries(named) as Record<string, never> }
  }

  private record({ book, stored: { players, date } }: LiveReview): GameFile {
    return fileOfGame(book.game, players.B, players.W, date)
  }

  async look(id: string): Promise<Review> {
    return (await this.get(id)).state(this.facts)
  }

  recent(limit: number): Promise<ReviewSummary[]> {
    return this.keeper.summaries(limit, '')
  }

  /** What lists show of a stored review. */
  static summary({ id, createdAt, data }: Kept<StoredReview>): ReviewSummary {
    return new LiveReview(id, data, createdAt).summary()
  }

  private removed: Kept<StoredReview> | null = null

  /** Puts back the review that was removed last. */
  async restore(id: string): Promise<void> {
    const kept = this.removed
    if (kept?.id === id) await this.keeper.put({ ...kept, version: 0 }, ReviewDesk.summary(kept))
  }

  async remove(id: string): Promise<void> {
    this.removed = (await this.keeper.get(id)) ?? null
    const review = this.live.get(id)
    review?.task?.cancel()
    if (review) review.task = null
    this.live.delete(id)
    await this.keeper.remove(id)
  }

  async stop(id: string): Promise<Review> {
    const review = await this.get(id)
    review.task?.cancel()
    review.task = null
    review.stored.runs = false
    await this.keep(review)
    this.show(review)
    return review.state(this.facts)
  }

  async resume(id: string): Promise<Review> {
    const review = await this.get(id)
    if (!review.task) void this.run(review)
    return review.state(this.facts)
  }

  /** Does what is left, task by task. */
  private async run(review: LiveReview): Promise<void> {
    const { book, stored } = review
    review.error = null
    stored.runs = true
    for (let task = book.next(); task; task = book.next()) {
      const onTurn = (ahead: number): void => void (review.ahead = ahead)
      const running = this.lanes.looks.ask('review', { game: stored.game, ...task, options: stored.options }, { onTurn })
      review.task = running
      try {
        const found = await running.answer
        if (review.task !== running) return
        stored.results[keyOf(task.kind, task.ply)] = found
      } catch (error) {
        if (review.task !== running) return
        review.error = error instanceof BackendError ? [error.code, error.detail] : ['engine_failed', String(error)]
        break
      }
      review.ahead = 0
      this.show(review)
      // Those of a server are large and travel: not after each of many small tasks.
      if (!this.keeper.isShared || Date.now() - review.keptAt > KEEP_MS) await this.keep(review).catch(() => undefined)
      if (review.task !== running) return
    }
    review.task = null
    stored.runs = false
    await this.keep(review).catch(() => undefined)
    this.show(review)
  }

  private show(review: LiveReview): void {
    review.seq += 1
    if (!review.viewers.size) return
    const message = { type: 'state' as const, review: review.state(this.facts) }
    for (const { onMessage } of review.viewers) onMessage(message)
  }

  open(id: string, handlers: StreamHandlers<Said<'reviews'>>): Stream<'reviews'> {
    let isOpen = true
    const tell = (review: LiveReview): void => handlers.onMessage({ type: 'state', review: review.state(this.facts) })
    void this.get(id).then((review) => {
      if (!isOpen) return
      review.viewers.add(handlers)
      review.watch ??= this.keeper.watch(id, {
        onStored: (one) => {
          const isNews = (one.version ?? 0) > review.version && !review.task
          this.take(review, one)
          if (isNews) this.show(review)
        },
        onWatch: () => undefined,
        onSaid: () => undefined,
        onLink: (state, attempt) => {
          for (const { onLink } of review.viewers) onLink?.(state, attempt)
        },
      })
      tell(review)
    }, () => undefined)
    const close = (): void => {
      isOpen = false
      const review = this.live.get(id)
      review?.viewers.delete(handlers)
      if (review?.viewers.size) return
      review?.watch?.close()
      if (review) review.watch = null
    }
    return { send: () => false, reconnectNow: () => this.live.get(id)?.watch?.reconnectNow(), close }
  }

  /** What another move in place of one of the game's would be worth. */
  async attempt(id: string, ply: number, move: number): Promise<Trial> {
    const { book } = await this.get(id)
    return this.judge(book.game.at(0), book.moves.slice(0, ply), move, 'best', book.options)
  }

  /** What a move is worth after some moves from a game's beginning. */
  async judge(begin: Game, moves: readonly number[], move: number, goal: JudgeAsk['goal'], options: ReviewOptions = this.checkOptions(begin)): Promise<Trial> {
    const { rules, start } = gameData(begin)
    const actions = moves.map((cell) => ({ type: 'place' as const, moves: [cell] }))
    const game: GameData = { rules: { ...rules, opening: 'free' }, start, actions }
    const { reply, line, ...found } = await this.lanes.looks.ask('judge', { game, move, goal, options }).answer
    const name = (cell: number): string => formatCell(cell, rules.size)
    return { ...found, reply: reply === null ? null : name(reply), line: line.map(name) }
  }

  /** Budgets of a look at a move before it is played. */
  private checkOptions({ rules }: Game): ReviewOptions {
    return { ...CHECK_OPTIONS, player: this.analyst(rules) }
  }
}

/** A review that Python has saved in a file. */
export function savedReview({ options, results }: { options: Record<string, number | string>; results: Record<string, never> }, size: number): Pick<StoredReview, 'options' | 'results'> {
  const named = Object.fromEntries(Object.entries(options).map(([name, value]) => [name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), value]))
  return { options: named as unknown as ReviewOptions, results: resultsIn(results, size) }
}

const resultsIn = (written: Record<string, never>, size: number): Results =>
  Object.fromEntries(Object.entries(written).map(([key, found]) => [key, resultIn(key.split('.')[0] as TaskKind, found, size)]))

/** The id of a review: that of another one of the same game between the same players, with the same settings. */
function idOf({ game, end, players, options }: StoredReview): string {
  const told = JSON.stringify([game.rules, game.start, game.actions, end, players.B, players.W, Object.entries(options).sort()])
  return [1, 2, 3].map((seed) => hash(told, seed).toString(36).padStart(7, '0')).join('')
}

/** FNV-1a: browsers have a better one for pages of https only. */
function hash(text: string, seed: number): number {
  let found = 0x811c9dc5 ^ seed
  for (let i = 0; i < text.length; i++) found = Math.imul(found ^ text.charCodeAt(i), 0x01000193)
  return found >>> 0
}

/** How many stones an opening gave that a record names with them behind its name, such as `n13 h8h9i7`. */
export function bookStones(name: string | undefined, { moves, rules }: Game): number {
  const stones = parseCode(name?.split(' ')[1] ?? '', rules.size) ?? []
  return stones.every((cell, i) => cell === moves[i]) ? stones.length : 0
}
