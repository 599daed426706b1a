import { chanceOf } from '@/game/color'
import { backend, BackendError } from '@/backend'
import type { Layers, LayerName, Net } from '@/wire'
import { defineStore } from 'pinia'
import { computed, reactive, ref, shallowRef, watch } from 'vue'
import { hasRulebook } from '@/game/legality'
import { cellOf } from '@/game/notation'
import { aboveUsual, compact, type Heat, heatOf } from './marks'
import { useAnalysis } from './analysis'
import { useCatalogue } from '@/backend/catalogue'
import { load, save } from '@/ui/persist'
import { useSide } from '@/ui/useSide'
import { useStudy } from './study'

export const LAYERS = ['candidates', 'visits', 'policy', 'value', 'threats', 'scores', 'tree', 'factors'] as const
export type ShownLayer = (typeof LAYERS)[number]

const KEY = 'wuzi.layers'
const SETTLE_MS = 150
const DEFAULTS = { layer: 'candidates' as ShownLayer, map: 'attention', depth: 2, net: '', factorNet: '' }
/** What the server has to make for a layer. */
const MADE: Partial<Record<ShownLayer, LayerName>> = { threats: 'threats', scores: 'scores', tree: 'tree', policy: 'net', factors: 'net' }
const SIGNED = new Set(['field', 'gradient', 'next_value'])

/** The same heat with the figures of other values. */
function relabelled(heat: Heat, values: readonly (number | null)[], write: (value: number) => string): Heat {
  return { ...heat, labels: new Map([...heat.labels.keys()].map((cell) => [cell, write(values[cell] ?? 0)])) }
}

/** The heat of values, or null where there are none: an engine that counts no visits has none to show. */
function known(values: readonly (number | null)[], write: (value: number) => string): Heat | null {
  return values.some((value) => value) ? heatOf(values, write) : null
}

function isValid(name: keyof typeof DEFAULTS, value: unknown): boolean {
  return name === 'layer' ? LAYERS.includes(value as ShownLayer) : typeof value === typeof DEFAULTS[name]
}

/** What is drawn upon the board besides the stones, and the words about the moves. */
export const useLayers = defineStore('layers', () => {
  const study = useStudy()
  const analysis = useAnalysis()
  const catalogue = useCatalogue()
  const side = useSide(
    () => study.toMove,
    () => study.source?.mine ?? null,
  )
  const choice = reactive(load(KEY, DEFAULTS, isValid))
  const made = shallowRef<Layers | null>(null)
  const loading = ref(false)
  const problem = ref<string | null>(null)
  const words = shallowRef(new Map<string, { en: string[]; zh: string[] }>())
  const shown = ref(true)

  watch(choice, () => save(KEY, choice))

  const wantsMaps = computed(() => choice.layer === 'factors')
  /** The nets that can look at this board, those made for it and the strongest ones first; for maps those that have any. */
  const nets = computed(() => {
    const { size, winLength, rule } = study.doc.rules
    const rank = (one: Net): number => {
      const isOwn = one.rules.size === size && one.rules.winLength === winLength && one.rules.rule === rule
      const rating = catalogue.engines.find((engine) => engine.net === one.name)?.levels.find((level) => level.rating)?.rating
      return (wantsMaps.value && one.maps.length ? 2e6 : 0) + (isOwn ? 1e6 : 0) + (rating?.elo ?? 0)
    }
    return analysis.nets.filter((one) => analysis.whyNet(one.name) === null).sort((a, b) => rank(b) - rank(a))
  })
  /** The net that is asked: the one that analyses where its policy is wanted, else the chosen one, else the first. */
  const net = computed(() => {
    const wanted = wantsMaps.value ? [choice.factorNet] : [choice.net, analysis.ownNet]
    const found = wanted.map((name) => nets.value.find((one) => one.name === name)).find((one) => one !== undefined)
    return found ?? nets.value[0] ?? null
  })

  /** Chooses the net of this layer. */
  function chooseNet(name: string): void {
    choice[wantsMaps.value ? 'factorNet' : 'net'] = name
  }

  const needs = computed<LayerName | null>(() => {
    const layer = MADE[choice.layer] ?? null
    return layer === 'net' && !net.value ? null : layer
  })
  const maps = computed(() => Object.keys(made.value?.net?.maps ?? {}))
  const map = computed(() => (maps.value.includes(choice.map) ? choice.map : (maps.value[0] ?? '')))

  let timer = 0
  watch(
    [() => study.key, needs, () => choice.depth, () => net.value?.name, shown],
    () => {
      window.clearTimeout(timer)
      made.value = null
      problem.value = null
      loading.value = needs.value !== null && shown.value
      if (!loading.value) return
      timer = window.setTimeout(() => void make(), SETTLE_MS)
      if (needs.value === 'threats' && hasRulebook()) void glance()
    },
    { immediate: true },
  )
  // A net that was chosen for one board is not the one for another.
  watch(
    () => study.doc.rules.size,
    () => (choice.net = ''),
  )
  watch(
    () => study.key,
    () => (words.value = new Map()),
  )
  watch(
    () => analysis.phase,
    (phase) => {
      if (phase === 'done') void putIntoWords()
    },
    { immediate: true },
  )

  /** The threats on the board at once, where the page finds them itself; how they win takes a search. */
  async function glance(): Promise<void> {
    const { key } = study
    try {
      const { threats, ply } = await backend.request('positions.look_at', { body: study.request, threats: true })
      if (!threats || key !== study.key || needs.value !== 'threats' || made.value) return
      made.value = { turnNumber: ply, threats: { found: threats, lines: [] }, scores: null, net: null, tree: null, words: null, unsupported: {} }
    } catch {
      // The whole layer says what is wrong.
    }
  }

  async function make(): Promise<void> {
    const [key, layer] = [study.key, needs.value!]
    const fresh = (): boolean => key === study.key && layer === needs.value
    try {
      const request = { position: study.request, include: [layer], depth: choice.depth }
      const found = await backend.request('analysis.layers', { body: layer === 'net' ? { ...request, net: net.value!.name } : request })
      if (!fresh()) return
      made.value = found
      const win = found.threats?.lines.find((one) => one.toMove && one.verdict === 'win')
      if (win) analysis.prove(win)
    } catch (error) {
      if (fresh()) problem.value = error instanceof BackendError ? error.code : 'unknown'
    } finally {
      if (fresh()) loading.value = false
    }
  }

  /** Why the candidates are what they are, in both languages. */
  async function putIntoWords(): Promise<void> {
    const moves = (analysis.report?.moveInfos ?? [])
      .map((info) => info.move)
      .filter((move) => !words.value.has(move))
      .slice(0, 20)
    const key = study.key
    if (!moves.length) return
    try {
      const found = await backend.request('analysis.layers', { body: { position: study.request, include: ['words'], moves } })
      if (key === study.key) words.value = new Map([...words.value, ...(found.words ?? []).map((one) => [one.move, one] as const)])
    } catch {
      // The table says the same in numbers.
    }
  }

  const heat = computed<Heat | null>(() => {
    const { report } = analysis
    const size = study.doc.rules.size
    const percent = (value: number): string => `${Math.round(100 * value)}`
    const byMove = (pick: (i: number) => number | null): (number | null)[] => {
      const values = Array<number | null>(size * size).fill(null)
      report?.moveInfos.forEach((info, i) => (values[cellOf(info.move, size)] = pick(i)))
      return values
    }
    switch (choice.layer) {
      case 'visits':
        return report ? known(report.visits ?? byMove((i) => report.moveInfos[i]!.visits), compact) : null
      case 'policy': {
        const values = made.value?.net?.policy ?? report?.policy ?? (report ? byMove((i) => report.moveInfos[i]!.prior) : null)
        return values ? known(values, percent) : null
      }
      case 'value': {
        if (!report) return null
        const rate = byMove((i) => report.moveInfos[i]!.winrate)
        const signed = rate.map((value) => (value === null ? null : 2 * chanceOf(value, side.value) - 1))
        return { ...heatOf(signed, (value) => percent((value + 1) / 2), true), values: signed }
      }
      case 'scores': {
        const table = made.value?.scores
        if (!table) return null
        const total = table.attack.map((value, cell) => (study.cells[cell] === '.' ? value + table.defence[cell]! : null))
        return relabelled(heatOf(aboveUsual(total), compact), total, compact)
      }
      case 'factors': {
        const values = made.value?.net?.maps[map.value]
        if (!values) return null
        if (SIGNED.has(map.value)) return heatOf(values, (value) => value.toFixed(2), true)
        // The attention has a mean of one over the number of cells: shown as a multiple of it.
        const share = values.map((value) => value * values.length)
        return relabelled(heatOf(aboveUsual(share), String), share, (value) => value.toFixed(1))
      }
      default:
        return null
    }
  })

  return { choice, made, loading, problem, words, shown, net, nets, chooseNet, needs, maps, map, heat }
})
