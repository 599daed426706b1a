import { backend, BackendError, handOver, playHere } from '@/backend'
import type { AbilityName, BookName, Engine, Health, Level, LocalText, Rules, SeatIn, Version } from '@/wire'
import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'

export type Unsupported = 'rule' | 'size' | 'winLength' | 'opening'

/** Why an engine cannot play under these rules, or null when it can. */
export function unsupported(engine: Engine, rules: Rules): Unsupported | null {
  const can = engine.capabilities
  if (!can.rules.includes(rules.rule)) return 'rule'
  if (rules.size < can.minSize || rules.size > can.maxSize) return 'size'
  if (can.winLengths && !can.winLengths.includes(rules.winLength)) return 'winLength'
  if (!can.openings.includes(rules.opening)) return 'opening'
  return null
}

/** The books that a game under these rules can begin from. */
export function booksFor({ size, winLength, rule, opening }: Rules, facts: Version | null): BookName[] {
  const fits = facts?.books.filter(
    (book) =>
      opening === 'free' &&
      (book.rule === null || book.rule === rule) &&
      size >= book.minSize &&
      size <= book.maxSize &&
      winLength >= book.minWinLength &&
      winLength <= book.maxWinLength,
  )
  return fits?.map((book) => book.id) ?? []
}

const RETRY_MS = 2000
/** How often the server is asked how far it is with its kernels. */
const LOOK_MS = 1000
/** How often it is asked whether its engines start again. */
const CRASHED_MS = 15_000

/** What the server offers: engines, limits, its version. */
export const useCatalogue = defineStore('catalogue', () => {
  const engines = shallowRef<Engine[]>([])
  const version = shallowRef<Version | null>(null)
  const kernels = ref<Health['kernels']>('warm')
  /** How many kernels the server has compiled, of how many. */
  const compiled = ref({ done: 0, of: 0 })
  /** The browser's engine plays and analyses while the server compiles its own, or while they do not start. */
  const playsHere = ref(false)
  /** The server has compiled its engines, and they do not start. */
  const isCrashed = ref(false)
  const status = ref<'idle' | 'loading' | 'preparing' | 'ready' | 'failed'>('idle')
  /** The server was updated while this page was open. */
  const outdated = ref(false)

  /** Whether something may be done here; a demo shows what it has and does nothing. Nothing is refused before it is known. */
  function can(what: AbilityName): boolean {
    return version.value?.can.includes(what) ?? true
  }

  async function load(): Promise<void> {
    if (status.value === 'loading' || status.value === 'ready') return
    status.value = 'loading'
    try {
      version.value = await backend.request('system.version')
      await checkHealth()
      if (kernels.value !== 'warm' && can('play')) await begin()
      engines.value = await listed()
      if (!playsHere.value) kernels.value = 'warm'
      status.value = 'ready'
    } catch (error) {
      // On the very first start the engines are compiled; the server says so and is asked again.
      const preparing = error instanceof BackendError && error.code === 'engine_busy'
      status.value = preparing ? 'preparing' : 'failed'
      if (preparing) window.setTimeout(() => void load(), RETRY_MS)
    }
  }

  /** The engines: this browser's where those of the server do not start. */
  async function listed(): Promise<Engine[]> {
    try {
      return await backend.request('system.engines')
    } catch (error) {
      isCrashed.value = error instanceof BackendError && error.code === 'engine_crashed'
      if (!isCrashed.value || !can('play') || playsHere.value) throw error
      await begin()
      return backend.request('system.engines')
    }
  }

  /** Lets the browser play until the server does; where it cannot, people wait as for a busy server. */
  async function begin(): Promise<void> {
    if (playsHere.value) return
    try {
      await playHere()
      playsHere.value = true
      window.setTimeout(() => void look(), LOOK_MS)
    } catch {
      // No WebAssembly or no workers: the list of engines says when the server is ready.
    }
  }

  async function look(): Promise<void> {
    await checkHealth()
    try {
      if (kernels.value !== 'warm') throw new Error('kernels are compiled')
      engines.value = await handOver()
      playsHere.value = isCrashed.value = false
    } catch (error) {
      isCrashed.value = error instanceof BackendError && error.code === 'engine_crashed'
      window.setTimeout(() => void look(), isCrashed.value ? CRASHED_MS : LOOK_MS)
    }
  }

  /** After an outage: what is shown may come from before it. */
  async function reload(): Promise<void> {
    status.value = 'idle'
    await load()
  }

  /** Looks whether the kernels are ready and whether the server is still the one we came from. */
  async function checkHealth(): Promise<void> {
    try {
      const health = await backend.request('system.health')
      kernels.value = health.kernels ?? 'warm'
      compiled.value = { done: health.compiled, of: health.toCompile }
      outdated.value = version.value !== null && health.version !== version.value.version
    } catch {
      // The link bar tells people about a lost server; health only adds to it.
    }
  }

  /** The level of a seat, when the engine has more than one. */
  function level(seat: Pick<SeatIn, 'engine' | 'level'>): Level | undefined {
    const levels = find(seat.engine)?.levels ?? []
    return levels.length > 1 ? levels.find((one) => one.id === seat.level) : undefined
  }

  function find(id: string | null | undefined): Engine | undefined {
    return engines.value.find((engine) => engine.id === id)
  }

  /** The request for an engine's seat with a level that exists. */
  function seat(id: string, level?: string | null): SeatIn {
    const engine = find(id)
    const known = engine?.levels.some((entry) => entry.id === level)
    const chosen = known ? level : engine?.defaultLevel
    return { kind: 'engine', engine: id, ...(chosen ? { level: chosen } : {}) }
  }

  /** What to call a net. */
  function netName(name: string): LocalText {
    return engines.value.find((one) => one.net === name)?.name ?? { en: name, zh: name }
  }

  return { engines, netName, version, kernels, compiled, playsHere, isCrashed, status, outdated, can, load, reload, checkHealth, find, level, seat }
})
