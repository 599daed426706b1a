import { backend, BackendError, type LinkState, type Said, type Stream } from '@/backend'
import type { AnalysisMessage, AnalyzeIn, Defaults, Engine, LimitIn, MapName, Net } from '@/wire'
import { defineStore } from 'pinia'
import { computed, reactive, ref, shallowRef, watch } from 'vue'
import { type Unsupported, unsupported, useCatalogue } from '@/backend/catalogue'
import { load, save } from '@/ui/persist'
import { type ProvedWin, withProof } from './marks'
import { useStudy } from './study'

export const LIMIT_KINDS = ['time', 'visits', 'nodes', 'depth'] as const
export type LimitKind = (typeof LIMIT_KINDS)[number]
/** The longest that may be asked for: until somebody stops it, or the server does. */
export const ENDLESS_S = 86_400
/** What one may choose from, for each kind of limit. */
export const LIMITS: Record<LimitKind, number[]> = {
  time: [1, 3, 10, 30, 60, ENDLESS_S],
  visits: [100, 1000, 10_000, 100_000],
  nodes: [10_000, 100_000, 1_000_000, 10_000_000],
  depth: [2, 4, 6, 8, 10, 12],
}
export const LINES = [1, 2, 3, 5, 8, 12, 20]
const KEY = 'wuzi.analysis'
/** Maps over the board, for whichever layer is shown: another layer is no reason to search again. */
const MAPS: MapName[] = ['visits', 'policy']
const SETTLE_MS = 120
const MOST_KEPT = 400

const KEPT_KEY = 'wuzi.analysed'
/** So many answers outlast a reload: what is on the board, and where one has been. */
const MOST_STORED = 40
/** Players without figures to show. */
const SILENT = ['levels', 'random', 'proof']

const DEFAULTS = { engine: '', net: '', multipv: 5, limitKind: 'time' as LimitKind, limit: 10 }

function isValid(name: keyof typeof DEFAULTS, value: unknown): boolean {
  if (name === 'limitKind') return LIMIT_KINDS.includes(value as LimitKind)
  return typeof value === typeof DEFAULTS[name]
}

/** A limit for what deserves more: eight times, or four plies more. */
const deepOf = (kind: LimitKind, limit: number): number => (kind === 'depth' ? limit + 4 : Math.min(ENDLESS_S, limit * 8))

/** The level of an engine that a limit alone holds back: the one that its own budget lets think longest. */
function freeLevel(engine: Engine | undefined): string | undefined {
  const longest = engine?.levels.reduce((best, one) => ((one.limit.timeS ?? 0) > (best.limit.timeS ?? 0) ? one : best))
  return longest?.limit.timeS ? longest.id : engine?.defaultLevel
}

function stored(): [string, AnalysisMessage][] {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT_KEY) ?? '[]') as [string, AnalysisMessage][]
  } catch {
    return []
  }
}

export type AnalysisPhase = 'idle' | 'queued' | 'running' | 'done' | 'error'

/** Live analysis of the position that the study shows: one search at a time, renewed when the position changes. */
export const useAnalysis = defineStore('analysis', () => {
  const study = useStudy()
  const catalogue = useCatalogue()
  const choice = reactive(load(KEY, DEFAULTS, isValid))
  const nets = shallowRef<Net[]>([])
  /** Whether each new position is analysed. */
  const on = ref(false)
  const phase = ref<AnalysisPhase>('idle')
  const ahead = ref(0)
  const problem = ref<{ code: string; message: string } | null>(null)
  const report = shallowRef<AnalysisMessage | null>(null)
  const link = ref<LinkState>('online')
  const attempt = ref(0)

  let stream: Stream<'analysis'> | null = null
  let number = 0
  let asked: { id: string; node: number; key: string } | null = null
  /** Whether it left: a stream that is not open yet takes nothing. */
  let isSent = false
  let deeper = false
  let timer = 0
  /** The opponent that is to analyse once the engines are known. */
  let wish = ''
  const kept = new Map<string, AnalysisMessage>(stored())
  /** Wins of the side to move that are proved, by position. */
  const proofs = new Map<string, ProvedWin>()

  watch(choice, () => save(KEY, choice))

  const engines = computed(() =>
    catalogue.engines.filter((engine) => !SILENT.includes(engine.id)).map((engine) => ({
      engine,
      why: unsupported(engine, { ...study.doc.rules, rule: study.request.rule, opening: 'free' }),
    })),
  )
  const defaults = computed<Pick<Defaults, 'analysts' | 'netPlayers'>>(
    () => catalogue.version?.defaults ?? { analysts: [], netPlayers: [] },
  )
  const isNet = computed(() => defaults.value.netPlayers.includes(choice.engine))
  /** The name of the net that analyses, if one does. */
  const ownNet = computed(() => (isNet.value ? choice.net : (catalogue.find(choice.engine)?.net ?? '')))
  /** Why a net cannot look at this board, or null when it can. */
  function whyNet(name: string): Unsupported | null {
    return engines.value.find((one) => one.engine.net === name)?.why ?? null
  }
  const why = computed(() =>
    isNet.value ? whyNet(choice.net) : (engines.value.find((one) => one.engine.id === choice.engine)?.why ?? null),
  )
  const isBusy = computed(() => phase.value === 'queued' || phase.value === 'running')
  /** Answers are kept by position and by who gave them. */
  const cacheKey = computed(() => [study.key, choice.engine, isNet.value ? choice.net : ''].join('|'))

  /** Chooses an engine that knows the rules, where none is chosen or the chosen one is gone. */
  function complete(): void {
    if (!catalogue.engines.length) return
    if (catalogue.find(wish)?.net) Object.assign(choice, { engine: wish, net: '' })
    wish = ''
    // A net with its search is an engine of its own.
    const searching = choice.engine !== 'policy' && isNet.value && catalogue.engines.find((engine) => engine.net === choice.net)
    if (searching) Object.assign(choice, { engine: searching.id, net: '' })
    if (isNet.value && !why.value && nets.value.some((net) => net.name === choice.net)) return
    if (!engines.value.some((one) => one.engine.id === choice.engine) || why.value) {
      const able = engines.value.filter((one) => one.why === null).map((one) => one.engine.id)
      choice.engine = defaults.value.analysts.find((id) => able.includes(id)) ?? able[0] ?? ''
    }
  }

  /** Lets an opponent that is a net analyse what it has played. */
  function chooseOpponent(engine: string | null | undefined): void {
    wish = engine ?? ''
    complete()
  }

  async function loadNets(): Promise<void> {
    try {
      nets.value = await backend.request('analysis.nets')
    } catch (error) {
      if (!(error instanceof BackendError)) throw error
    }
    complete()
  }

  function requestNow(): AnalyzeIn {
    const limit: LimitIn = { [choice.limitKind]: deeper ? deepOf(choice.limitKind, choice.limit) : choice.limit }
    const level = freeLevel(catalogue.find(choice.engine))
    return {
      position: study.request,
      engine: choice.engine,
      ...(isNet.value ? { net: choice.net } : level ? { level } : {}),
      limit,
      multipv: choice.multipv,
      include: MAPS,
    }
  }

  function open(): Stream<'analysis'> {
    stream ??= backend.open(
      'analysis',
      {},
      {
        onMessage: receive,
        onLink: (state, tries) => {
          link.value = state
          attempt.value = tries
          if (state === 'online' && !isSent && isBusy.value) send()
        },
      },
    )
    return stream
  }

  function start(): void {
    on.value = true
    deeper = false
    begin()
  }

  /** Thinks longer about this position alone; the next one is looked at as shortly as before. */
  function deepen(): void {
    if (isBusy.value) cancel()
    on.value = true
    deeper = true
    begin()
  }

  function begin(): void {
    window.clearTimeout(timer)
    problem.value = null
    // Without an engine it begins as soon as one is known.
    if (study.isOver || !catalogue.can('analyse') || !choice.engine) {
      phase.value = 'idle'
      return
    }
    asked = { id: String(++number), node: study.current, key: cacheKey.value }
    phase.value = 'queued'
    ahead.value = 0
    open()
    send()
  }

  function send(): void {
    if (asked) isSent = open().send({ type: 'start', id: asked.id, ...requestNow() })
  }

  /** Ends the search with its best answer so far; new positions are not analysed any more. */
  function stop(): void {
    on.value = false
    window.clearTimeout(timer)
    if (isBusy.value && asked) {
      if (phase.value === 'queued' || !stream?.send({ type: 'stop', id: asked.id })) cancel()
    }
  }

  function toggle(): void {
    if (on.value && phase.value !== 'done') stop()
    else start()
  }

  function cancel(): void {
    if (asked) stream?.send({ type: 'cancel', id: asked.id })
    asked = null
    if (isBusy.value) phase.value = report.value ? 'done' : 'idle'
  }

  function receive(message: Said<'analysis'>): void {
    if (!asked || message.id !== asked.id) return
    if (message.type === 'queued') ahead.value = message.ahead
    else if (message.type === 'error') {
      phase.value = 'error'
      problem.value = { code: message.code, message: message.message }
      on.value = false
    } else take(message)
  }

  /** What is proved of the position that is shown goes before what a search believes of it. */
  function prove(win: ProvedWin): void {
    proofs.set(study.key, win)
    if (report.value) report.value = withProof(report.value, win)
  }

  function take(found: AnalysisMessage): void {
    const message = withProof(found, proofs.get(study.key))
    phase.value = message.type === 'done' ? 'done' : 'running'
    report.value = message
    kept.delete(asked!.key)
    kept.set(asked!.key, message)
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!)
    if (message.type === 'done') keep()
    const { winrate, visits } = message.rootInfo
    if (winrate !== null) study.score(asked!.node, { winrate, winIn: message.moveInfos[0]?.winIn ?? null, visits, by: choice.engine })
  }

  /** Puts the newest answers where a reload finds them. */
  function keep(): void {
    try {
      sessionStorage.setItem(KEPT_KEY, JSON.stringify([...kept].slice(-MOST_STORED)))
    } catch {
      // A full or forbidden store only means that a reload begins anew.
    }
  }

  /** What is known of the position without asking. */
  function recall(): void {
    const known = kept.get(cacheKey.value)
    report.value = known ? withProof(known, proofs.get(study.key)) : null
    phase.value = report.value ? 'done' : 'idle'
  }

  /** Another position or another question: what is known of it is shown, and it is asked anew if wanted. */
  watch([cacheKey, () => choice.multipv, () => choice.limitKind, () => choice.limit], () => {
    if (isBusy.value) cancel()
    window.clearTimeout(timer)
    recall()
    problem.value = null
    deeper = false
    if (on.value) {
      phase.value = 'queued'
      timer = window.setTimeout(begin, SETTLE_MS)
    }
  })
  // A game that is over has nothing to analyse; the answer comes a little after the position.
  watch(
    () => study.isOver,
    (over) => {
      if (over && isBusy.value) {
        window.clearTimeout(timer)
        cancel()
        phase.value = 'idle'
      }
    },
  )
  watch(() => [catalogue.engines, study.doc.rules.size, study.doc.rules.winLength, study.doc.rules.rule], complete, { immediate: true })

  recall()

  function reconnect(): void {
    stream?.reconnectNow()
  }

  /** Leaves the page: the server drops the search with the socket. */
  function close(): void {
    keep()
    window.clearTimeout(timer)
    on.value = false
    asked = null
    if (isBusy.value) phase.value = report.value ? 'done' : 'idle'
    stream?.close()
    stream = null
    link.value = 'online'
  }

  return {
    choice,
    nets,
    ownNet,
    on,
    phase,
    ahead,
    problem,
    report,
    link,
    attempt,
    engines,
    isNet,
    why,
    whyNet,
    isBusy,
    complete,
    chooseOpponent,
    loadNets,
    prove,
    start,
    stop,
    toggle,
    deepen,
    reconnect,
    keep,
    close,
  }
})
