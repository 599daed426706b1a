import type {
  EngineInfo,
  ExportFormat,
  GameState,
  GameSummary,
  Health,
  HintArea,
  HintMove,
  NewGameRequest,
  PositionInfo,
  Problem,
  RulesSpec,
  VersionInfo,
} from './types'

const PREFIX = '/api/v1'
const TIMEOUT_MS = 20_000

/** A refused or failed request. `code` is the server's stable code, or `network` / `server_error`. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    readonly detail: string,
  ) {
    super(detail || code)
    this.name = 'ApiError'
  }

  /** True when nothing came back, so that trying again later makes sense. */
  get isNetwork(): boolean {
    return this.code === 'network'
  }
}

async function failure(response: Response): Promise<ApiError> {
  const body = await response.text()
  try {
    const problem = JSON.parse(body) as Problem
    if (typeof problem.code === 'string') {
      return new ApiError(problem.code, response.status, problem.detail ?? problem.title ?? '')
    }
  } catch {
    // Not problem+json: a proxy's own page, handled below like any other unnamed failure.
  }
  // A gateway that cannot reach the server is an outage, not an answer.
  const code = [502, 503, 504].includes(response.status) ? 'network' : 'server_error'
  return new ApiError(code, response.status, `HTTP ${response.status}`)
}

async function send(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response
  try {
    response = await fetch(PREFIX + path, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (error) {
    throw new ApiError('network', 0, error instanceof Error ? error.message : String(error))
  }
  if (!response.ok) throw await failure(response)
  return response
}

async function getJson<T>(path: string): Promise<T> {
  return (await (await send(path)).json()) as T
}

async function postJson<T>(path: string, body: unknown = {}): Promise<T> {
  const response = await send(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as T
}

function rulesQuery(rules: Pick<RulesSpec, 'size' | 'winLength' | 'rule'>): string {
  return new URLSearchParams({
    size: String(rules.size),
    winLength: String(rules.winLength),
    rule: rules.rule,
  }).toString()
}

function game(id: string, tail = ''): string {
  return `/games/${encodeURIComponent(id)}${tail}`
}

/** Every request the page makes, one function each. */
export const api = {
  health: () => getJson<Health>('/health'),
  version: () => getJson<VersionInfo>('/version'),
  engines: () => getJson<EngineInfo[]>('/engines'),
  games: (limit = 12) => getJson<GameSummary[]>(`/games?limit=${limit}`),
  createGame: (request: NewGameRequest) => postJson<GameState>('/games', request),
  getGame: (id: string) => getJson<GameState>(game(id)),
  deleteGame: async (id: string): Promise<void> => {
    await send(game(id), { method: 'DELETE' })
  },
  play: (id: string, move: string, ply: number) => postJson<GameState>(game(id, '/moves'), { move, ply }),
  act: (id: string, action: 'swap' | 'keep' | 'place', ply: number, moves?: string[]) =>
    postJson<GameState>(game(id, '/actions'), { action, ply, ...(moves ? { moves } : {}) }),
  undo: (id: string) => postJson<GameState>(game(id, '/undo')),
  redo: (id: string) => postJson<GameState>(game(id, '/redo')),
  resign: (id: string, color?: string) => postJson<GameState>(game(id, '/resign'), color ? { color } : {}),
  draw: (id: string) => postJson<GameState>(game(id, '/draw')),
  restart: (id: string) => postJson<GameState>(game(id, '/restart')),
  stop: (id: string) => postJson<GameState>(game(id, '/stop')),
  resume: (id: string) => postJson<GameState>(game(id, '/resume')),
  moveNow: (id: string) => postJson<GameState>(game(id, '/move-now')),
  hintArea: (id: string) => postJson<HintArea>(game(id, '/hint'), { level: 1 }),
  hintMove: (id: string) => postJson<HintMove>(game(id, '/hint'), { level: 2 }),
  position: (code: string, rules: Pick<RulesSpec, 'size' | 'winLength' | 'rule'>) =>
    getJson<PositionInfo>(`/positions/${encodeURIComponent(code)}?${rulesQuery(rules)}`),
  importText: async (text: string): Promise<GameState> => {
    const response = await send('/games/import', {
      method: 'POST',
      headers: { 'Content-Type': 'text/plain; charset=utf-8' },
      body: text,
    })
    return (await response.json()) as GameState
  },
  importFile: async (file: File): Promise<GameState> => {
    const form = new FormData()
    form.append('file', file)
    return (await (await send('/games/import', { method: 'POST', body: form })).json()) as GameState
  },
  exportUrl: (id: string, format: ExportFormat) => `${PREFIX}${game(id, `/export?format=${format}`)}`,
}

/** The address of a position, as other people can open it. */
export function positionLink(code: string, rules: Pick<RulesSpec, 'size' | 'winLength' | 'rule'>): string {
  return `${location.origin}/p/${code || '-'}?${rulesQuery(rules)}`
}
