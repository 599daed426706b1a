import type { Layers, LayersRequest, NetInfo, ParsedRecord, PositionRequest } from '@/wire/analysisTypes'
import { ref } from 'vue'
import { forget, keep, kept } from './kept'
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
} from '@/wire/types'

export const PREFIX = '/api/v1'
const TIMEOUT_MS = 20_000

/** Whether the server answered the last request. */
export const isReachable = ref(true)

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

export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response
  try {
    response = await fetch(PREFIX + path, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (error) {
    isReachable.value = false
    throw new ApiError('network', 0, error instanceof Error ? error.message : String(error))
  }
  const problem = response.ok ? null : await failure(response)
  isReachable.value = !problem?.isNetwork
  if (problem) throw problem
  return response
}

/** The server's answer and no other. */
export async function getFresh<T>(path: string): Promise<T> {
  const answer = (await (await send(path)).json()) as T
  void keep(path, answer)
  return answer
}

/** The server's answer, or the newest one that is kept when the server cannot be reached. */
export async function getJson<T>(path: string): Promise<T> {
  try {
    return await getFresh<T>(path)
  } catch (error) {
    const old = error instanceof ApiError && error.isNetwork ? await kept<T>(path) : undefined
    if (old === undefined) throw error
    return old
  }
}

export async function postJson<T>(path: string, body: unknown = {}): Promise<T> {
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
  getGameNow: (id: string) => getFresh<GameState>(game(id)),
  /** A state that came by the stream, for the time without the server. */
  keepGame: (state: GameState) => keep(game(state.id), state),
  deleteGame: async (id: string): Promise<void> => {
    await send(game(id), { method: 'DELETE' })
    void forget(game(id))
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
  look: (position: PositionRequest) => postJson<PositionInfo>('/positions', position),
  layers: (request: LayersRequest) => postJson<Layers>('/layers', request),
  nets: () => getJson<NetInfo[]>('/nets'),
  parseRecord: async (content: string | File): Promise<ParsedRecord> => {
    const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
    return (await (await send('/records/parse?tree=true', { method: 'POST', headers, body: content })).json()) as ParsedRecord
  },
  convertRecord: async (record: object, format: ExportFormat): Promise<Blob> => {
    const body = JSON.stringify(record)
    return await (await send(`/records/convert?format=${format}`, { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body })).blob()
  },
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

/** The address of a position in the analysis, as other people can open it. */
export function analysisLink(code: string, query: Record<string, string>): string {
  return `${location.origin}/analysis/${code}?${new URLSearchParams(query).toString()}`
}

/** The address of a position, as other people can open it. */
export function positionLink(code: string, rules: Pick<RulesSpec, 'size' | 'winLength' | 'rule'>): string {
  return `${location.origin}/p/${code || '-'}?${rulesQuery(rules)}`
}
