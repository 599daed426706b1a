import { noteOwn } from '@/backend/local/ownItems'
import type { Balance, Color, Engine, GameState, Level, NewGame, PingMessage, Problem, Rules, Seat, Topic, Version } from '@/wire'
import { readFileSync } from 'node:fs'
import { vi } from 'vitest'
import { BackendError, type Said, type StreamHandlers } from '@/backend'
import { LiveSocket } from '@/backend/remote/socket'
import { cellOf } from '@/game/notation'
import type { RecordJson } from '@/game/record'

/** A small server in memory, and the page's own part as if that were one, too; tests push engine moves by hand. */

/** Where the page's own operations are asked for here. */
const OWN: Record<string, string> = {
  'system.probe': 'POST /engines/{id}/probe?level',
  'games.create': 'POST /games',
  'games.recent': 'GET /games?limit&search',
  'games.look': 'GET /games/{id}',
  'games.remove': 'DELETE /games/{id}',
  'games.restore': 'POST /games/{id}/restore',
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
  'records.import_game': 'POST /games/import?charset&rule',
  'records.export': 'GET /games/{id}/export?format&lang',
  'positions.look': 'GET /positions/{code}?size&winLength&rule&threats',
  'positions.look_at': 'POST /positions?threats',
  'analysis.balance': 'POST /balance',
  'analysis.layers': 'POST /layers',
  'reviews.create': 'POST /reviews',
  'reviews.recent': 'GET /reviews?limit',
  'reviews.look': 'GET /reviews/{id}',
  'reviews.remove': 'DELETE /reviews/{id}',
  'reviews.restore': 'POST /reviews/{id}/restore',
  'reviews.stop': 'POST /reviews/{id}/stop',
  'reviews.resume': 'POST /reviews/{id}/resume',
  'reviews.attempt': 'POST /reviews/{id}/try',
  'reviews.export': 'GET /reviews/{id}/export?format&lang&side',
  'puzzles.puzzles': 'GET /puzzles?theme&limit',
  'puzzles.look': 'GET /puzzles/{id}?solution',
  'puzzles.attempt': 'POST /puzzles/{id}/try',
  'analysis.analyze': 'POST /analyze',
}
const TOPICS: Record<string, string> = { games: '/ws/v1/games/', reviews: '/ws/v1/reviews/', analysis: '/ws/v1/analysis' }

async function own(operation: string, { body, ...asks }: Record<string, unknown>): Promise<unknown> {
  const [method = '', template = ''] = OWN[operation]!.split(' ')
  const [path = '', names = ''] = template.split('?')
  const query = names.split('&').filter((name) => asks[name] !== undefined).map((name) => `${name}=${encodeURIComponent(String(asks[name]))}`)
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => String(asks[name]))
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
  const response = await fetch(`/api/v1${place}${query.length ? `?${query.join('&')}` : ''}`, { method, body: method === 'POST' ? (text ?? '{}') : null } as RequestInit).catch(() => {
    throw new BackendError('network', 0, 'offline')
  })
  if (response.ok) return response.status === 204 ? undefined : response.json()
  const problem = (await response.json()) as Problem
  throw new BackendError(problem.code, response.status, problem.detail)
}

vi.doMock('@/backend/local/local', () => ({
  openDesk: async () => ({
    answers: new Proxy({}, { get: (_, operation: string) => (operation in OWN ? (asks: Record<string, unknown>) => own(operation, asks) : undefined) }),
    handOver: () => undefined,
    know: () => undefined,
  }),
  openStream: (_: unknown, topic: string, { id = '' }: { id?: string }, handlers: StreamHandlers<never>) => new LiveSocket(TOPICS[topic]! + id, handlers),
}))

const can = (change: Partial<Engine['capabilities']> = {}): Engine['capabilities'] => ({
  rules: ['freestyle', 'standard', 'renju', 'caro'],
  minSize: 3,
  maxSize: 26,
  winLengths: null,
  openings: ['free', 'swap1', 'swap2'],
  deterministic: true,
  ...change,
})
const level = (id: string, en: string, zh: string, rating: Level['rating'] = null): Level => ({ id, name: { en, zh }, limit: {}, rating })

export const ENGINES: Engine[] = [
  {
    id: 'weight',
    name: { en: 'Score table', zh: '评分表' },
    description: { en: 'One move deep.', zh: '只看一步。' },
    spec: 'weight',
    net: null,
    defaultLevel: 'default',
    levels: [level('default', 'Only', '唯一')],
    capabilities: can(),
  },
  {
    id: 'levels',
    name: { en: 'Minimax', zh: '极大极小' },
    description: { en: 'Some plies deep.', zh: '多看几步。' },
    spec: 'levels',
    net: null,
    defaultLevel: 'normal',
    levels: [
      level('easy', 'Easy', '简单'),
      level('normal', 'Normal', '普通', { elo: 1203.4, low: 1150.2, high: 1260, games: 160, size: 15 }),
      level('deep', 'Strong', '较强'),
    ],
    capabilities: can({ rules: ['freestyle'], minSize: 5, maxSize: 15, winLengths: [5], openings: ['free'] }),
  },
  {
    id: 'net-nine',
    name: { en: 'Net nine', zh: '网络 nine' },
    description: { en: 'A net.', zh: '网络。' },
    spec: 'az:net=nine',
    net: 'nine',
    defaultLevel: 'rated',
    levels: [level('rated', 'As rated', '评分配置', { elo: 1365, low: 1273, high: 1447, games: 160, size: 9 })],
    capabilities: can({ rules: ['freestyle'], minSize: 9, maxSize: 9, winLengths: [5], openings: ['free'] }),
  },
]

export const VERSION: Version = {
  version: '0.1.0',
  commit: null,
  rules: (['freestyle', 'standard', 'renju', 'caro', 'caro_overline'] as const).map((id) => ({
    id,
    winLengths: id === 'renju' ? [5] : null,
  })),
  openings: ['free', 'swap1', 'swap2'],
  minSize: 3,
  maxSize: 26,
  minWinLength: 3,
  minOpeningSize: 5,
  books: [
    { id: 'even', rule: 'freestyle', minSize: 15, maxSize: 15, minWinLength: 5, maxWinLength: 5 },
    { id: 'renju26', rule: null, minSize: 5, maxSize: 26, minWinLength: 3, maxWinLength: 26 },
  ],
  defaults: { opponent: 'levels', analysts: ['engine', 'minimax-s1', 'mcts-tactical', 'weight'], netPlayers: ['az', 'policy'] },
  limits: { maxBody: 1, maxGames: 1, maxSockets: 1, maxMoveS: 1, maxArenas: 1, workers: 1 },
  readOnly: false,
  can: ['play', 'analyse', 'review', 'solve', 'compete', 'manage', 'ponder'],
}

export const human = (color: Color): Seat => ({
  kind: 'human',
  engine: null,
  level: null,
  name: { en: 'Human', zh: '玩家' },
  isUnnamed: true,
  ponders: false,
  color,
})

let seq = 0

export function makeGame(change: Partial<GameState> = {}): GameState {
  const rules = change.rules ?? { size: 15, winLength: 5, rule: 'freestyle', opening: 'free' }
  const moves = change.moves ?? []
  const cells = Array<string>(rules.size ** 2).fill('.')
  moves.forEach((move, i) => (cells[cellOf(move, rules.size)] = 'BW'[i % 2]!))
  const toMove: Color = moves.length % 2 ? 'W' : 'B'
  const seats: [Seat, Seat] = change.seats ?? [
    human('B'),
    { ...human('W'), kind: 'engine', engine: 'levels', level: 'normal', name: { en: 'Minimax', zh: '极大极小' }, isUnnamed: false },
  ]
  const phase = change.phase ?? 'play'
  const toPlace: Color[] = phase === 'over' ? [] : phase === 'place_three' ? ['B', 'W', 'B'] : phase === 'choose' ? ['W', 'B'] : [toMove]
  return {
    id: 'game1',
    name: '',
    paceS: null,
    seq: ++seq,
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-01T00:00:00Z',
    rules,
    seats,
    phase: 'play',
    seatToAct: seats.findIndex((seat) => seat.color === toMove),
    toMove,
    toPlace,
    ply: moves.length,
    moves,
    cells: cells.join(''),
    lastMove: moves[moves.length - 1] ?? null,
    winningLines: [],
    forbidden: [],
    outcome: null,
    thinking: null,
    paused: false,
    engineError: null,
    winrate: null,
    winrates: Array<null>(moves.length + 1).fill(null),
    canUndo: moves.length > 0,
    canRedo: false,
    positionCode: moves.join(''),
    clocks: [null, null],
    byLink: null,
    ...change,
  }
}

/** Black had h8, i9 and g7 when White began with h9; Black answered h10. */
export function handicapGame(change: Partial<GameState> = {}): GameState {
  const cells = Array<string>(225).fill('.')
  for (const [color, moves] of [['B', ['h8', 'i9', 'g7', 'h10']], ['W', ['h9']]] as const) {
    for (const move of moves) cells[cellOf(move, 15)] = color
  }
  const seats: [Seat, Seat] = [human('W'), human('B')]
  return makeGame({ moves: ['h9', 'h10'], ply: 5, cells: cells.join(''), toMove: 'W', seatToAct: 0, seats, ...change })
}

export interface Call {
  method: string
  path: string
  body: unknown
}

class FakeSocket {
  static readonly OPEN = 1
  readyState = 0
  onopen: (() => void) | null = null
  onmessage: ((event: { data: string }) => void) | null = null
  onclose: (() => void) | null = null
  readonly sent: string[] = []
  constructor(readonly url: string) {
    FakeServer.current!.sockets.push(this)
    queueMicrotask(() => (FakeServer.current!.offline ? this.fail() : this.open()))
  }
  open(): void {
    this.readyState = 1
    this.onopen?.()
  }
  fail(): void {
    this.readyState = 3
    this.onclose?.()
  }
  send(text: string): void {
    this.sent.push(text)
  }
  close(): void {
    this.readyState = 3
  }
}

export class FakeServer {
  /** What every search finds; null: the server has no engine to judge positions by. */
  judges: number | null = null
  /** What the analysis says of a move. */
  words: { en: string[]; zh: string[] }[] | null = null
  /** The move that a search for a balance finds. */
  balance: Balance | null = null
  /** Answers by method and path, before all others. */
  readonly answers: Record<string, unknown> = {}
  /** What a game file is read as. */
  record: RecordJson | null = null
  warnings: string[] = []
  static current: FakeServer | null = null
  readonly games = new Map<string, GameState>()
  readonly calls: Call[] = []
  readonly sockets: FakeSocket[] = []
  /** Nothing gets through. */
  offline = false
  /** The next POST is refused with this problem. */
  refuse: Partial<Problem> | null = null

  constructor() {
    FakeServer.current = this
    // Lists show what is this browser's.
    noteOwn('games', 'game1', {})
    noteOwn('reviews', 'r1', {})
    vi.stubGlobal('fetch', (url: string, init: RequestInit = {}) => this.fetch(url, init))
    vi.stubGlobal('WebSocket', FakeSocket)
  }

  put(game: GameState): GameState {
    this.games.set(game.id, game)
    return game
  }

  /** A change made on the server, told by WebSocket. */
  push(change: Partial<GameState>, id = 'game1'): GameState {
    const before = this.games.get(id)!
    const game = this.put(makeGame({ ...pick(before), ...change, id }))
    this.say({ type: 'state', game })
    return game
  }

  say(message: Said<Topic> | PingMessage): void {
    this.socket?.onmessage?.({ data: JSON.stringify(message) })
  }

  get socket(): FakeSocket | undefined {
    return this.sockets[this.sockets.length - 1]
  }

  posts(): Call[] {
    return this.calls.filter((call) => call.method === 'POST')
  }

  private async fetch(url: string, init: RequestInit): Promise<Response> {
    if (this.offline) throw new TypeError('Failed to fetch')
    if (url.includes('/tables?')) return new Response(readFileSync('../tests/golden/files/threat-tables.gz'))
    if (url.endsWith('.wasm')) return new Response(readFileSync('src/wasm/kernels.wasm'))
    const path = url.replace('/api/v1', '')
    const method = init.method ?? 'GET'
    const body: unknown = typeof init.body === 'string' && init.body.startsWith('{') ? JSON.parse(init.body) : init.body
    this.calls.push({ method, path, body })
    if (method === 'POST' && this.refuse) {
      const problem = this.refuse
      // A record that cannot be read is not read with a rule, either.
      if (!path.startsWith('/records/parse')) this.refuse = null
      return answer(problem, problem.status ?? 422)
    }
    return this.route(method, path, body)
  }

  private route(method: string, path: string, body: unknown): Response {
    const given = this.answers[`${method} ${path}`]
    if (given !== undefined) return answer(given)
    if (path === '/health') return answer({ status: 'ok', version: '0.1.0', kernels: 'warm' })
    if (path === '/version') return answer(VERSION)
    if (path === '/engines') return answer(ENGINES)
    if (path.startsWith('/store/games?')) return answer([...this.games.values()])
    if (path === '/nets') return answer([])
    if (path === '/positions') return answer({ cells: '', toMove: 'B', forbidden: [], outcome: null, winningLines: [] })
    if (path === '/analyze' && this.judges !== null) return answer({ rootInfo: { winrate: this.judges }, moveInfos: [] })
    if (path === '/layers') return answer({ turnNumber: 0, unsupported: {}, words: this.words })
    if (path === '/balance' && this.balance) return answer(this.balance)
    if (path.startsWith('/records/parse')) return answer({ tree: this.record, warnings: this.warnings })
    if (path === '/games/import') return answer(this.put(makeGame({ id: 'imported' })), 201)
    if (path === '/games') return answer(this.put(this.created(body as NewGame)), 201)
    const [, , id = '', what = ''] = path.split('/')
    const game = this.games.get(id)
    if (!game) return answer({ code: 'not_found', status: 404, detail: id }, 404)
    if (method === 'DELETE') return new Response(null, { status: this.games.delete(id) ? 204 : 404 })
    return method === 'GET' ? answer(game) : this.act(game, what, body as Record<string, unknown>)
  }

  private act(game: GameState, what: string, body: Record<string, unknown>): Response {
    if (what === 'hint') {
      const hint = { area: ['h8', 'h9'], move: 'h9', kind: 'blocks_win', reason: { en: 'It blocks.', zh: '防守。' }, winrate: 0.6 }
      return answer(body.level === 1 ? { ...hint, move: null, winrate: null, lines: [] } : { ...hint, lines: [] })
    }
    if (what === 'restart') {
      const seats: GameState['seats'] = body?.swapSides ? [game.seats[1], game.seats[0]] : game.seats
      return answer(this.put(makeGame({ ...pick(game), id: 'game2', moves: [], seats })), 201)
    }
    if (what === 'moves' && body.ply !== game.ply) return answer({ code: 'ply_mismatch', status: 409 }, 409)
    const changes: Record<string, Partial<GameState>> = {
      moves: { moves: [...game.moves, body.move as string] },
      undo: { moves: game.moves.slice(0, -2), canRedo: true },
      resign: { phase: 'over', outcome: { winner: body.color === 'B' ? 'W' : 'B', reason: 'resignation', forbiddenKind: null } },
      stop: { paused: true },
      resume: { paused: false },
      actions: { moves: [...game.moves, ...((body.moves as string[]) ?? [])], phase: 'choose' },
    }
    return answer(this.put(makeGame({ ...pick(game), ...changes[what] })), 202)
  }

  private created(request: NewGame): GameState {
    const seats = request.seats.map((seat, i) => ({ ...human('BW'[i] as Color), ...seat })) as GameState['seats']
    return makeGame({ id: 'new', rules: request.rules as Rules, seats, moves: request.moves ?? [] })
  }
}

/** What a game keeps from one state to the next; the rest follows from its moves. */
function pick(game: GameState): Partial<GameState> {
  const { id, rules, seats, moves, phase, outcome } = game
  return { id, rules, seats, moves, phase, outcome }
}

function answer(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } })
}

// The page's own part is loaded when it is first needed: once, before the first test.
new FakeServer()
const { backend } = await import('@/backend')
await backend.request('games.look', { id: 'none' }).catch(() => undefined)
