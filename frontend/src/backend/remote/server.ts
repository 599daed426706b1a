import { readonly, ref } from 'vue'
import { type Operation, type Operations, type Problem, ROUTES, type ServerOperations, type ServerTopics, SOCKETS } from '@/wire'
import { ROOT } from '@/host'
import { type Backend, BackendError, type RequestOptions } from '../backend'
import { forget, keep, kept } from './kept'
import { LiveSocket } from './socket'

const API = `${ROOT}/api/v1`
const TIMEOUT_MS = 20_000
/** These search or draw: they may take long, and are no sign of an outage. */
const PATIENT = new Set<Operation>([
  'records.parse',
  'records.convert',
  'records.review',
  'results.upload',
  'results.figures',
  'runs.begin',
  'runs.estimate',
  'runs.stop',
])
const PATIENCE_MS = 300_000
const isReachable = ref(true)

type Asked = Record<string, unknown> & { body?: unknown; token?: string }

/** A template such as `/games/{id}/export?format`, filled in. What is not asked for is left out of the query. */
function filled(template: string, asks: Asked): string {
  const [path = '', names = ''] = template.split('?')
  const query = new URLSearchParams()
  for (const name of names ? names.split('&') : []) {
    const value = asks[name]
    if (value !== undefined && value !== null) query.set(name, String(value))
  }
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(asks[name])))
  return query.size ? `${place}?${query.toString()}` : place
}

/** The route of an operation; the page itself does all others. */
const routeOf = (operation: Operation): string => ROUTES[operation as keyof ServerOperations]

function addressOf(operation: Operation, asks: object): string {
  return filled(routeOf(operation).split(' ')[1]!, asks as Asked)
}

/** How a body travels: text as it is, a file in a form, all else as JSON. */
function packed(operation: Operation, { body, token }: Asked): RequestInit {
  const method = routeOf(operation).split(' ')[0]!
  const headers: Record<string, string> = token === undefined ? {} : { 'X-Wuzi-Token': token }
  if (method !== 'POST' && method !== 'PUT') return { method, headers }
  if (typeof body === 'string') return { method, headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8' }, body }
  if (body instanceof File) {
    const form = new FormData()
    form.append('file', body)
    return { method, headers, body: form }
  }
  return { method, headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body ?? {}) }
}

async function failure(response: Response): Promise<BackendError> {
  const body = await response.text()
  try {
    const problem = JSON.parse(body) as Partial<Problem>
    if (typeof problem.code === 'string') {
      return new BackendError(problem.code, response.status, problem.detail ?? problem.title ?? '')
    }
  } catch {
    // Not problem+json: a proxy's own page, handled below like any other unnamed failure.
  }
  // A gateway that cannot reach the server is an outage, not an answer.
  const code = [502, 503, 504].includes(response.status) ? 'network' : 'server_error'
  return new BackendError(code, response.status, `HTTP ${response.status}`)
}

async function send(operation: Operation, asks: Asked, isLast = false): Promise<Response> {
  const isPatient = PATIENT.has(operation)
  const signal = AbortSignal.timeout(isPatient ? PATIENCE_MS : TIMEOUT_MS)
  let response: Response
  try {
    response = await fetch(API + addressOf(operation, asks), { ...packed(operation, asks), signal, ...(isLast && { keepalive: true }) })
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    if (isPatient && signal.aborted) throw new BackendError('timeout', 0, detail)
    isReachable.value = false
    throw new BackendError('network', 0, detail)
  }
  const problem = response.ok ? null : await failure(response)
  isReachable.value = !problem?.isNetwork
  if (problem) throw problem
  return response
}

async function answered<O extends Operation>(operation: O, asks: Asked, isLast = false): Promise<Operations[O]['answer']> {
  const response = await send(operation, asks, isLast)
  if (response.status === 204) {
    // Removing a thing removes what is kept of it.
    if (operation === 'store.remove') void forget(addressOf('store.look', asks))
    return undefined as Operations[O]['answer']
  }
  if (operation === 'records.convert' || operation === 'records.review') return (await response.blob()) as Operations[O]['answer']
  const answer = (await response.json()) as Operations[O]['answer']
  if (routeOf(operation).startsWith('GET')) void keep(addressOf(operation, asks), answer)
  return answer
}

async function request<O extends Operation>(
  operation: O,
  asks: object = {},
  options: RequestOptions = {},
): Promise<Operations[O]['answer']> {
  try {
    return await answered(operation, asks as Asked, options.isLast)
  } catch (error) {
    const mayBeOld = error instanceof BackendError && error.isNetwork && !options.fresh && routeOf(operation).startsWith('GET')
    const old = mayBeOld ? await kept<Operations[O]['answer']>(addressOf(operation, asks)) : undefined
    if (old === undefined) throw error
    return old
  }
}

/** The server that the page came from. */
export const server: Backend = {
  isReachable: readonly(isReachable),
  request: request as Backend['request'],
  open: (topic, asks, handlers) => new LiveSocket(filled(SOCKETS[topic as keyof ServerTopics], asks as Asked), handlers),
  download: (operation, asks, version) => {
    const address = API + addressOf(operation, asks)
    return version === undefined ? address : `${address}&of=${encodeURIComponent(version)}`
  },
  formats: () => ({ records: ['sgf', 'psq', 'rec', 'pos', 'json', 'svg', 'txt'], reviews: ['sgf', 'html', 'csv', 'json'] }),
  isKept: async (operation, asks) => (await kept(addressOf(operation, asks))) !== undefined,
}
