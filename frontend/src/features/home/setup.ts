import type { BookName, NewGame, OpeningName, RuleName, Rules, SeatIn } from '@/wire'
import { defineStore } from 'pinia'
import { computed, reactive, ref, watch } from 'vue'
import { isServed } from '@/backend'
import { booksFor, unsupported, useCatalogue } from '@/backend/catalogue'
import { mayHandicap as allowsHandicap, rulesProblem } from '@/game/rules'
import { useSettings } from '@/features/settings/settings'
import { load, save } from '@/ui/persist'

export type Mode = 'engine' | 'friend' | 'two' | 'watch'
/** Who has Black and the first turn against an engine. */
export const FIRSTS = ['human', 'engine', 'random'] as const

export interface Setup {
  mode: Mode
  first: (typeof FIRSTS)[number]
  preset: string
  size: number
  winLength: number
  rule: RuleName
  opening: OpeningName
  clock: keyof typeof CLOCKS | 'custom' | 'move'
  handicap: number
  /** The first stone is White's. */
  whiteFirst: boolean
  clockMinutes: number
  clockIncrement: number
  clockMove: number
  book: '' | BookName
  opponent: string
  level: string
  blackEngine: string
  blackLevel: string
  whiteEngine: string
  whiteLevel: string
  blackName: string
  whiteName: string
  /** By which a friend sees oneself. */
  myName: string
}

export interface Preset {
  id: string
  size: number
  winLength: number
}

export const PRESETS: Preset[] = [
  { id: '6', size: 6, winLength: 4 },
  { id: '8', size: 8, winLength: 5 },
  { id: '9', size: 9, winLength: 5 },
  { id: '15', size: 15, winLength: 5 },
  { id: '20', size: 20, winLength: 5 },
]
export const RULES: RuleName[] = ['freestyle', 'standard', 'renju', 'caro']
export const OPENINGS: OpeningName[] = ['free', 'swap1', 'swap2']

/** Clocks for the whole game: seconds and what each move adds; `none` counts no time. */
export const CLOCKS = {
  none: null,
  blitz: { seconds: 180, increment: 2 },
  rapid: { seconds: 600, increment: 5 },
  slow: { seconds: 1800, increment: 20 },
}
export const HANDICAPS = [0, 1, 2, 3]
export const CLOCK_CHOICES: Setup['clock'][] = ['none', 'blitz', 'rapid', 'slow', 'custom', 'move']
const KEY = 'wuzi.newgame'
const DEFAULTS: Setup = {
  mode: 'engine',
  first: 'human',
  preset: '15',
  size: 15,
  winLength: 5,
  rule: 'freestyle',
  opening: 'free',
  clock: 'none',
  handicap: 0,
  whiteFirst: false,
  clockMinutes: 15,
  clockIncrement: 10,
  clockMove: 30,
  book: '',
  opponent: '',
  level: '',
  blackEngine: '',
  blackLevel: '',
  whiteEngine: '',
  whiteLevel: '',
  blackName: '',
  whiteName: '',
  myName: '',
}

function isValid(name: keyof Setup, value: unknown): boolean {
  if (name === 'rule') return RULES.includes(value as RuleName)
  if (name === 'opening') return OPENINGS.includes(value as OpeningName)
  if (name === 'handicap') return HANDICAPS.includes(value as number)
  if (name === 'clock') return CLOCK_CHOICES.includes(value as Setup['clock'])
  if (name === 'book') return ['', 'even', 'renju26'].includes(value as string)
  if (name === 'first') return FIRSTS.includes(value as (typeof FIRSTS)[number])
  if (name === 'mode') return ['engine', ...(isServed ? ['friend'] : []), 'two', 'watch'].includes(value as string)
  return typeof value === typeof DEFAULTS[name]
}

/** A person's seat, with a name where one is given. */
function person(name: string): SeatIn {
  const told = name.trim()
  return { kind: 'human', ...(told ? { name: told } : {}) }
}

/** The choices of the home page, remembered between visits. */
export const useSetup = defineStore('setup', () => {
  const catalogue = useCatalogue()
  const settings = useSettings()
  const values = reactive<Setup>(load(KEY, DEFAULTS, isValid))
  watch(values, () => save(KEY, values))

  const rules = computed<Rules>(() => ({
    size: values.size,
    winLength: values.winLength,
    rule: values.rule,
    opening: values.opening,
  }))

  const problem = computed(() => rulesProblem(rules.value))

  /** The clock of the request; null for none, undefined for numbers that make no clock. */
  const clock = computed(() => {
    const within = (value: number, low: number, high: number): boolean => Number.isFinite(value) && low <= value && value <= high
    const { clockMinutes, clockIncrement, clockMove } = values
    if (values.clock === 'move') return within(clockMove, 1, 3600) ? { seconds: clockMove, eachMove: true } : undefined
    if (values.clock !== 'custom') return CLOCKS[values.clock]
    const isRight = within(clockMinutes, 0.1, 1440) && within(clockIncrement, 0, 600)
    return isRight ? { seconds: 60 * clockMinutes, increment: clockIncrement } : undefined
  })

  /** The engines that take part and cannot play under the chosen rules. */
  const refusing = computed(() => {
    // Rules that nobody can play have their own message.
    if (problem.value) return []
    const ids = values.mode === 'engine' ? [values.opponent] : values.mode === 'watch' ? [values.blackEngine, values.whiteEngine] : []
    return ids.flatMap((id) => {
      const engine = catalogue.find(id)
      const why = engine && unsupported(engine, rules.value)
      return engine && why ? [{ engine, why }] : []
    })
  })

  const ready = computed(
    () => problem.value === null && clock.value !== undefined && refusing.value.length === 0 && (['two', 'friend'].includes(values.mode) || catalogue.status === 'ready'),
  )

  /** The books that a game under the chosen rules can begin from. */
  const books = computed<('' | BookName)[]>(() => ['', ...booksFor(rules.value, catalogue.version)])

  /** Whether Black may have extra stones; the server says so again. */
  const mayHandicap = computed(() => allowsHandicap(rules.value))

  /** The extra stones that a game begins with under the chosen rules, and its book; '' for the empty board. */
  const handicap = computed(() => (mayHandicap.value ? values.handicap : 0))
  const book = computed<'' | BookName>(() => (!handicap.value && books.value.includes(values.book) ? values.book : ''))

  /** Whether White begins under the chosen rules: on an empty board without an opening protocol. */
  const whiteFirst = computed(() => values.whiteFirst && mayWhiteFirst.value)
  const mayWhiteFirst = computed(() => values.opening === 'free' && !handicap.value && !book.value)

  function choosePreset(preset: Preset): void {
    Object.assign(values, { preset: preset.id, size: preset.size, winLength: preset.winLength })
  }

  /** Fills in engines and levels that are not chosen yet, or no longer offered. */
  function complete(): void {
    const fallback = catalogue.find(catalogue.version?.defaults.opponent) ?? catalogue.engines[0]
    if (!fallback) return
    const pairs = [
      ['opponent', 'level'],
      ['blackEngine', 'blackLevel'],
      ['whiteEngine', 'whiteLevel'],
    ] as const
    for (const [engine, level] of pairs) {
      if (!catalogue.find(values[engine])) values[engine] = fallback.id
      values[level] = catalogue.seat(values[engine], values[level]).level ?? ''
    }
  }

  /** One's own seat in a game with a friend, drawn anew for each. */
  const seat = ref<0 | 1>(0)

  /** The request for a new game. */
  function request(): NewGame {
    seat.value = values.first === 'human' || (values.first === 'random' && Math.random() < 0.5) ? 0 : 1
    return {
      ...(handicap.value ? { handicap: handicap.value } : {}),
      ...seated(),
      ...(clock.value ? { clock: clock.value } : {}),
      ...(book.value ? { book: book.value } : {}),
      ...(whiteFirst.value ? { setup: { cells: '.'.repeat(values.size ** 2), toMove: 'W' as const } } : {}),
    }
  }

  function seated(): NewGame {
    if (values.mode === 'friend') {
      const me = person(values.myName)
      return { rules: rules.value, seats: seat.value === 0 ? [me, person('')] : [person(''), me] }
    }
    if (values.mode === 'two') {
      const [black, white] = [values.blackName, values.whiteName].map((name) => person(name)) as [SeatIn, SeatIn]
      return { rules: rules.value, seats: [black, white] }
    }
    if (values.mode === 'watch') {
      return {
        rules: rules.value,
        seats: [catalogue.seat(values.blackEngine, values.blackLevel), catalogue.seat(values.whiteEngine, values.whiteLevel)],
      }
    }
    const engine = { ...catalogue.seat(values.opponent, values.level), ...(settings.values.ponder && catalogue.can('ponder') ? { ponders: true } : {}) }
    const humanFirst = values.first === 'human' || (values.first === 'random' && Math.random() < 0.5)
    return { rules: rules.value, seats: humanFirst ? [{ kind: 'human' }, engine] : [engine, { kind: 'human' }] }
  }

  return { values, seat, rules, problem, clock, refusing, ready, books, mayHandicap, handicap, mayWhiteFirst, whiteFirst, book, choosePreset, complete, request }
})
