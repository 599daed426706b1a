/** Reviews of a page without a server: made task by task in a worker, kept in the browser. */

import { BackendError, type Said, type Stream, type StreamHandlers } from '@/backend'
import { type GameData, gameData, gameFrom, type JudgeAsk, type ReviewOptions } from '@/backend/engine/asks'
import type { Defence, Look, Proof } from '@/backend/engine/asks'
import type { Game } from '@/backend/engine/game'
import { formatCell, parseCode } from '@/game/notation'
import { at, lineThrough, ROOT } from '@/game/tree'
import { REVIEW } from '@/wasm/generated'
import type { Color, Depth, Review, ReviewExportName, ReviewSummary, Trial } from '@/wire'
import type { Facts } from './facts'
import { keyOf, ReviewBook } from './judgement'
import type { Lanes, Running } from './lanes'
import { fileOfGame, writeFile } from './records'
import { ReviewTexts, reviewTable, sideOut } from './reviewText'
import { outcomeOut, timeText } from './states'
import { newId, Shelf } from './store'

const { ANALYSTS, CHECK_OPTIONS, DEPTHS, OPTIONS } = REVIEW
/** Of stored reviews: those of an older one are made again. */
const SCHEMA = 2

interface StoredReview {
  schema?: number
  game: GameData
  end: Game['end']
  players: { B: string; W: string }
  date: string
  options: ReviewOptions
  results: Record<string, Look | Proof | Defence>
}

class LiveReview {
  readonly viewers = new Set<StreamHandlers<Said<'reviews'>>>()
  readonly book: ReviewBook
  error: [code: string, text: string] | null = null
  task: Running<'review'> | null = null
  seq = 0
  ahead = 0

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
    return this.error ? 'failed' : 'stopped'
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
  private readonly shelf = new Shelf<StoredReview>('reviews')
  private readonly live = new Map<string, LiveReview>()

  constructor(
    private readonly facts: Facts,
    private readonly lanes: Lanes,
  ) {}

  /** Who analyses under these rules. */
  analyst({ rule, winLength }: { rule: string; winLength: number }): string {
    return this.facts.data[`${rule}-${winLength}`]?.hasNet ? ANALYSTS.engine : ANALYSTS['minimax-s1']
  }

  /** Begins a review, or opens the one that there is of the same game with the same settings; `book` stones are not judged. */
  async create(game: Game, players: { B: string; W: string }, date: string, depth: Depth, book = 0): Promise<Review> {
    if (!game.moves.length) throw new BackendError('unsupported_rule', 422, 'the game has no moves: nothing to review')
    const [quickNodes, deepNodes, verifyNodes] = DEPTHS[depth]
    const options = { ...OPTIONS, player: this.analyst(game.rules), quickNodes, deepNodes, verifyNodes, book }
    const stored: StoredReview = { schema: SCHEMA, game: gameData(game), end: game.end, players, date, options, results: {} }
    const known = await this.same(stored)
    const review = known ?? new LiveReview(newId(), stored, Date.now())
    this.live.set(review.id, review)
    if (!review.task && review.book.next()) void this.run(review)
    if (!known) void this.keep(review)
    return review.state(this.facts)
  }

  /** The newest review of the same game between the same players, with the same settings. */
  private async same(wanted: StoredReview): Promise<LiveReview | null> {
    const told = ({ game, end, players, options }: StoredReview): string =>
      JSON.stringify([game.rules, game.start, game.actions, end, players, Object.entries(options).sort()])
    const found = [...this.live.values()].find(({ stored }) => told(stored) === told(wanted))
    if (found) return found
    const kept = (await this.shelf.recent(Infinity)).find(({ data }) => data.schema === SCHEMA && told(data) === told(wanted))
    return kept ? this.get(kept.id) : null
  }

  private async keep(review: LiveReview): Promise<void> {
    const { id, createdAt, stored } = review
    await this.shelf.put({ id, createdAt, updatedAt: createdAt, data: structuredClone(stored) })
  }

  async get(id: string): Promise<LiveReview> {
    const known = this.live.get(id)
    if (known) return known
    const kept = await this.shelf.get(id)
    if (!kept) throw new BackendError('not_found', 404, `review ${id}: there is none`)
    const { data } = kept
    // What an older version claimed was not proved: everything is looked at again.
    const stored = data.schema === SCHEMA ? data : { ...data, schema: SCHEMA, options: { ...OPTIONS, ...data.options, player: this.analyst(data.game.rules) }, results: {} }
    const review = new LiveReview(id, stored, kept.createdAt)
    this.live.set(id, review)
    return review
  }

  /** A review that is open as a file: annotated SGF, a table, or JSON. */
  file(id: string, format: ReviewExportName, language: 'en' | 'zh', side?: Color): { text: string; type: string } | null {
    const review = this.live.get(id)
    if (!review) return null
    const state = review.state(this.facts)
    if (format === 'json') return { text: JSON.stringify(state), type: 'application/json' }
    if (format === 'csv') return { text: reviewTable(state, language, side), type: 'text/csv' }
    const file = fileOfGame(review.book.game, state.players.B, state.players.W, state.date)
    lineThrough(file.tree, ROOT).slice(1).forEach((node, ply) => {
      at(file.tree, node).comment = (state.moves[ply]?.text[language] ?? []).join('\n')
    })
    return writeFile(file, 'sgf')
  }

  async look(id: string): Promise<Review> {
    return (await this.get(id)).state(this.facts)
  }

  async recent(limit: number): Promise<ReviewSummary[]> {
    const kept = await this.shelf.recent(limit)
    return Promise.all(kept.map(async ({ id }) => (await this.get(id)).summary()))
  }

  async remove(id: string): Promise<void> {
    ;(await this.get(id)).task?.cancel()
    this.live.delete(id)
    await this.shelf.remove(id)
  }

  async stop(id: string): Promise<Review> {
    const review = await this.get(id)
    review.task?.cancel()
    review.task = null
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
      await this.keep(review)
      if (review.task !== running) return
    }
    review.task = null
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
    void this.get(id).then((review) => {
      if (!isOpen) return
      review.viewers.add(handlers)
      handlers.onLink?.('online', 0)
      handlers.onMessage({ type: 'state', review: review.state(this.facts) })
    })
    const close = (): void => {
      isOpen = false
      this.live.get(id)?.viewers.delete(handlers)
    }
    return { send: () => false, reconnectNow: () => undefined, close }
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

/** How many stones an opening gave that a record names with them behind its name, such as `n13 h8h9i7`. */
export function bookStones(name: string | undefined, { moves, rules }: Game): number {
  const stones = parseCode(name?.split(' ')[1] ?? '', rules.size) ?? []
  return stones.every((cell, i) => cell === moves[i]) ? stones.length : 0
}
