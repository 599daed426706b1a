/** The engines of a server: questions and answers in its analysis protocol, over one socket. */

import { formatCell, parseCell, parseCode } from '@/game/notation'
import { GAME } from '@/wasm/generated'
import { letterOf } from '@/wasm/rulebook'
import { type AnalysisMessage, type AnalysisProblem, type GameIn, type PingMessage, type QueuedMessage, type ResultMessage, SOCKETS } from '@/wire'
import { BackendError, type Stream } from '../backend'
import { type Action, Game } from '../engine/game'
import { type Asks, type Defence, type GameData, gameFrom, type LevelFit, type Look, type Proof, type ReviewOptions, type Said, type SeatClock, type TaskResult, type ServedName, type TaskKind, type WinFound } from '../engine/asks'
import { type AskOptions, cancelled, type Lane, REPORT_MS, type Running } from '../local/lanes'
import { LiveSocket } from './socket'

/** Without a question the socket is closed: a server has so many for each client. */
const IDLE_MS = 10_000

type Heard = AnalysisMessage | QueuedMessage | ResultMessage | AnalysisProblem
type Sent = Record<string, unknown>

interface Open {
  sent: Sent
  options: AskOptions
  hear: (message: AnalysisMessage | ResultMessage) => unknown
  resolve: (answer: never) => void
  reject: (error: Error) => void
}

let count = 0

export class ServerLane implements Lane {
  private readonly open = new Map<string, Open>()
  private stream: Pick<Stream<'analysis'>, 'reconnectNow' | 'close'> & { send: (message: object) => boolean } | null = null
  private isOnline = false
  private timer = 0

  ask<A extends ServedName>(name: A, asks: Asks[A]['asks'], options: AskOptions = {}): Running<A> {
    const id = String(++count)
    const { sent, hear } = asked(name, asks)
    if (options.onInfo) sent.reportEvery = Math.max(0.1, (options.reportMs ?? REPORT_MS) / 1000)
    const answer = new Promise<Asks[A]['answer']>((resolve, reject) => this.open.set(id, { sent: { ...sent, id }, options, hear, resolve, reject }))
    answer.catch(() => undefined)
    this.connect()
    if (this.isOnline) this.stream?.send(this.open.get(id)!.sent)
    return { answer, stop: () => void this.stream?.send({ type: 'stop', id }), cancel: () => this.cancel(id) }
  }

  private connect(): void {
    window.clearTimeout(this.timer)
    this.stream ??= new LiveSocket<Heard>(SOCKETS.analysis, {
      onMessage: (message) => this.receive(message),
      onLink: (state, attempt) => {
        this.isOnline = state === 'online'
        for (const { options } of this.open.values()) options.onLink?.(state, attempt)
        // A server forgets what was asked with the socket.
        if (this.isOnline) for (const { sent } of this.open.values()) this.stream?.send(sent)
      },
    })
  }

  private receive(message: Heard | PingMessage): void {
    if (!('id' in message) || message.id === null) return
    const one = this.open.get(message.id)
    if (!one) return
    if (message.type === 'queued') {
      one.options.onTurn?.(message.ahead)
      if (message.begun) one.options.onBegun?.()
    } else if (message.type === 'info') one.options.onInfo?.(one.hear(message) as never)
    else {
      this.forget(message.id)
      if (message.type === 'error') one.reject(new BackendError(message.code, message.code.startsWith('engine_') ? 503 : 422, message.message, message.log))
      else one.resolve(one.hear(message) as never)
    }
  }

  private cancel(id: string): void {
    const one = this.open.get(id)
    if (!one) return
    this.stream?.send({ type: 'cancel', id })
    this.forget(id)
    one.reject(cancelled())
  }

  private forget(id: string): void {
    this.open.delete(id)
    if (this.open.size) return
    this.timer = window.setTimeout(() => {
      this.stream?.close()
      this.stream = null
      this.isOnline = false
    }, IDLE_MS)
  }
}

/** A game for the server. */
function gameIn({ rules, start, actions }: GameData): GameIn {
  const named = (action: Action): NonNullable<GameIn['actions']>[number] =>
    action.type === 'place' ? { type: 'place', moves: action.moves.map((cell) => formatCell(cell, rules.size)) } : { type: action.type }
  const setUp = start && { cells: start.cells.map((cell) => '.BW'[cell]).join(''), toMove: letterOf(start.toMove) }
  return { ...rules, ...setUp, actions: actions.map(named) }
}

/** The same stones in turn, without the choices of an opening. */
function plain(data: GameData): GameData {
  const { rules, moves, start } = gameFrom(data)
  return { ...data, rules: { ...rules, opening: 'free' }, actions: Game.of(rules, moves, start).actions as Action[] }
}

function asked<A extends ServedName>(name: A, asks: Asks[A]['asks']): Pick<Open, 'sent' | 'hear'> {
  return (MAKERS[name] as unknown as (asks: Asks[A]['asks']) => Pick<Open, 'sent' | 'hear'>)(asks)
}

const task = (name: string, game: GameData, more: Sent = {}): Sent => ({ type: 'task', task: name, position: gameIn(game), ...more })

const optionsOut = ({ quickNodes, deepNodes, verifyNodes, multipv, proofNodes, book = 0, strength = false }: ReviewOptions): Sent => ({
  quick_nodes: quickNodes, deep_nodes: deepNodes, verify_nodes: verifyNodes, multipv, proof_nodes: proofNodes, book, strength,
})
const analystOf = ({ player }: ReviewOptions): string => (player.startsWith('engine') ? 'engine' : 'minimax-s1')

/** What the clock leaves for a move; how much of it is used is the server's to know. */
function clockLimit(clock: SeatClock | null): Sent {
  if (!clock) return {}
  return clock.moveS ? { time: Math.max(0.01, clock.leftS * GAME.MOVE_SHARE) } : { clock: clock.leftS, increment: clock.incrementS }
}

type Makers = { [A in ServedName]: (asks: Asks[A]['asks']) => { sent: Sent; hear: (message: never) => Asks[A]['answer'] } }

const MAKERS: Makers = {
  think: ({ game, player, seed, limit, multipv, turn, include }) => ({
    sent: {
      type: 'start', position: gameIn(game), engine: player!.engine, level: player!.level ?? null, net: player!.net ?? null, seed, multipv,
      limit: turn ? clockLimit(turn.clock) : limit, isMove: Boolean(turn), ...(include && { include }),
    },
    hear: ({ rootInfo, moveInfos, action, resigned, visits, policy, madeRoom }: AnalysisMessage) => {
      const does = action as { type: Action['type']; moves?: string[] } | null
      const cells = does?.moves?.map((move) => parseCell(move, game.rules.size)!) ?? []
      return { rootInfo, moveInfos, action: does && (does.type === 'place' ? { type: 'place', moves: cells } : { type: does.type }), resigned, visits, policy, madeRoom }
    },
  }),
  hint: ({ game, analyst = 'engine' }) => ({
    sent: task('hint', game, { analyst }),
    hear: ({ result }: ResultMessage) => {
      const found = result as { move: string; area: string; reason: string; winrate: number | null; lines: [] }
      return { ...found, move: parseCell(found.move, game.rules.size)!, area: parseCode(found.area, game.rules.size)! }
    },
  }),
  balance: ({ game, count: stones }) => ({
    sent: task('balance', game, { arguments: { count: stones } }),
    hear: ({ result }: ResultMessage) => ({ winrate: result.winrate as number, moves: parseCode(result.moves as string, game.rules.size)!.map((cell) => formatCell(cell, game.rules.size)) }),
  }),
  layers: ({ game, body }) => ({
    sent: { ...body, type: 'layers', position: gameIn(game) },
    hear: ({ result }: ResultMessage) => ({ threats: null, scores: null, net: null, tree: null, words: null, unsupported: {}, ...result }) as never,
  }),
  judge: ({ game, move, goal, options }) => ({
    sent: task('judge', plain(game), { analyst: analystOf(options), arguments: { move: formatCell(move, game.rules.size), goal, options: optionsOut(options) } }),
    hear: ({ result }: ResultMessage) => {
      const { size } = game.rules
      const found = result as { reply: string | null; line: string }
      return { ...result, reply: found.reply && parseCell(found.reply, size), line: parseCode(found.line, size) ?? [] } as never
    },
  }),
  review: ({ game, kind, ply, moves, options }) => ({
    sent: task('review', plain(game), {
      analyst: analystOf(options),
      arguments: { kind, ply, moves: moves.map((cell) => formatCell(cell, game.rules.size)).join(''), options: optionsOut(options) },
    }),
    hear: ({ result }: ResultMessage) => resultIn(kind, result as never, game.rules.size),
  }),
}

/** What a task of a review found, as `wuzi.analysis.review.results` writes it: cells by their names. */
type Written = { likelihoods?: number[]; win?: WrittenWin; threat?: WrittenWin; only?: string | null; move?: string | null; lines?: { move: string; pv: string }[]; said?: (Omit<Said, 'cells'> & { cells: string })[] }
type WrittenWin = { kind: WinFound['kind']; moves: string } | null

export function resultIn(kind: TaskKind, found: Written, size: number): TaskResult {
  const cells = (code: string): number[] => parseCode(code, size) ?? []
  const cell = (name: string | null | undefined): number | null => (name ? parseCell(name, size) : null)
  const win = (one: WrittenWin | undefined): WinFound | null => (one ? { ...one, moves: cells(one.moves) } : null)
  const said = found.said?.map((one) => ({ ...one, said: one.said.toLowerCase(), cells: cells(one.cells) })) ?? null
  if (kind === 'prove') return { ...found, win: win(found.win), threat: win(found.threat), only: cell(found.only), said } as Proof
  if (kind === 'defend') return { ...found, move: cell(found.move), said: said ?? [] } as Defence
  if (kind === 'levels') return found as LevelFit
  return { ...found, lines: found.lines!.map((line) => ({ ...line, move: cell(line.move), pv: cells(line.pv) })), said } as Look
}

/** The inverse of `resultIn`, for files that Python writes. */
export function resultOut(found: TaskResult, size: number): Sent {
  const cell = (one: number | null): string | null => (one === null ? null : formatCell(one, size))
  const code = (cells: readonly number[]): string => cells.map((one) => formatCell(one, size)).join('')
  const win = (one: WinFound | null): WrittenWin => one && { kind: one.kind, moves: code(one.moves) }
  if ('likelihoods' in found) return { ...found }
  const said = found.said ? { said: found.said.map((one) => ({ ...one, said: one.said.toUpperCase(), cells: code(one.cells) })) } : { said: undefined }
  if ('win' in found) return { ...found, win: win(found.win), threat: win(found.threat), only: cell(found.only), ...said }
  if ('tried' in found) return { ...found, move: cell(found.move), ...said }
  return { ...found, lines: found.lines.map((line) => ({ ...line, move: cell(line.move), pv: code(line.pv) })), ...said }
}

export { optionsOut }
