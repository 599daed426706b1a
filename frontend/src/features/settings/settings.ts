import { defineStore } from 'pinia'
import { computed, reactive, watch, watchEffect } from 'vue'
import { effort } from '@/backend'
import { turned } from '@/game/geometry'
import type { CoordinateStyle } from '@/game/notation'
import { load, save } from '@/ui/persist'

export const CHOICES = {
  locale: ['auto', 'zh-CN', 'en'],
  theme: ['system', 'light', 'dark'],
  boardStyle: ['wood', 'slate', 'paper'],
  coordinates: ['renju', 'matrix', 'off'],
  numbers: ['off', 'last', 'all'],
  input: ['auto', 'direct', 'confirm', 'slide'],
  perspective: ['black', 'toMove', 'me'],
  evaluation: ['untimed', 'always', 'never'],
  effort: ['full', 'half', 'quarter'],
} as const

export const SWITCHES = ['blunderWarning', 'alarm', 'ponder', 'sound', 'shortcuts'] as const

type ChoiceName = keyof typeof CHOICES
type SwitchName = (typeof SWITCHES)[number]
export type Settings = { [K in ChoiceName]: (typeof CHOICES)[K][number] } & { [K in SwitchName]: boolean } & {
  /** How boards lie; see `placeOf`. */
  turn: number
}

export const DEFAULTS: Settings = {
  locale: 'auto',
  theme: 'system',
  boardStyle: 'wood',
  coordinates: 'renju',
  numbers: 'off',
  input: 'auto',
  perspective: 'black',
  evaluation: 'untimed',
  effort: 'full',
  blunderWarning: false,
  alarm: false,
  ponder: false,
  sound: true,
  shortcuts: true,
  turn: 0,
}

const SHARES = { full: 1, half: 0.5, quarter: 0.25 }
const KEY = 'wuzi.settings'

function isValid(name: keyof Settings, value: unknown): boolean {
  if (name in CHOICES) return (CHOICES[name as ChoiceName] as readonly unknown[]).includes(value)
  if (name === 'turn') return Number.isInteger(value) && 0 <= Number(value) && Number(value) < 8
  return typeof value === 'boolean'
}

/** Whether the win-rate bar was switched off in an earlier wuzi, which had a switch for the bar alone. */
function hadNoBar(): boolean {
  return load(KEY, { winrateBar: true }, (_, value) => typeof value === 'boolean').winrateBar === false
}

/** The language a browser asks for. */
export function detectLocale(language: string): 'zh-CN' | 'en' {
  return /^zh/i.test(language) ? 'zh-CN' : 'en'
}

export const useSettings = defineStore('settings', () => {
  const values = reactive<Settings>(load(KEY, { ...DEFAULTS, evaluation: hadNoBar() ? 'never' : DEFAULTS.evaluation }, isValid))
  watch(values, () => save(KEY, values))
  watchEffect(() => (effort.share = SHARES[values.effort]))

  const locale = computed<'zh-CN' | 'en'>(() => (values.locale === 'auto' ? detectLocale(navigator.language) : values.locale))
  /** The style of cell names in text, also when the board itself shows none. */
  const textStyle = computed<CoordinateStyle>(() => (values.coordinates === 'matrix' ? 'matrix' : 'renju'))

  function reset(): void {
    Object.assign(values, DEFAULTS)
  }

  /** The next value of a choice, for shortcuts and quick toggles. */
  function cycle(name: ChoiceName): void {
    const all = CHOICES[name] as readonly string[]
    const next = all[(all.indexOf(values[name]) + 1) % all.length]!
    Object.assign(values, { [name]: next })
  }

  /** Whether a game shows what is thought of it; one with clocks does only where that is wanted, or once it is over. */
  function evaluates(isTimed: boolean, isOver: boolean): boolean {
    return values.evaluation === 'always' || (values.evaluation === 'untimed' && (!isTimed || isOver))
  }

  /** Shows or hides it in games of this kind. */
  function showEvaluation(shown: boolean, isTimed: boolean): void {
    if (shown) values.evaluation = isTimed ? 'always' : values.evaluation === 'never' ? 'untimed' : values.evaluation
    else values.evaluation = isTimed && values.evaluation === 'always' ? 'untimed' : 'never'
  }

  /** Lay all boards another way. */
  function turn(how: 'rotate' | 'flip'): void {
    values.turn = turned(values.turn, how)
  }

  return { values, locale, textStyle, reset, cycle, turn, evaluates, showEvaluation }
})
