import { onMounted, onUnmounted, ref, shallowRef } from 'vue'
import { useSettings } from '@/features/settings/settings'
import { topDialog } from './topDialog'

const WALK = {
  step: ['ArrowLeft', 'ArrowRight'],
  jump: ['Shift+ArrowLeft', 'Shift+ArrowRight'],
  ends: ['Home', 'End'],
} as const

/** Every shortcut of every screen with its keys, in the order in which they are explained (`shortcuts.NAME`). */
export const SHORTCUTS = {
  home: {
    start: ['Enter'],
    help: ['?'],
  },
  play: {
    ...WALK,
    goOn: [' '],
    confirm: ['Enter'],
    undo: ['u'],
    redo: ['y'],
    hint: ['h'],
    resign: ['r'],
    evaluation: ['e'],
    share: ['s'],
    turn: ['f', 'Shift+f'],
    coordinates: ['c'],
    numbers: ['m'],
    origin: ['Shift+m'],
    type: ['/'],
    escape: ['Escape'],
    help: ['?'],
  },
  analysis: {
    analyse: [' '],
    playBest: ['Enter'],
    ...WALK,
    variation: ['ArrowUp', 'ArrowDown'],
    line: ['[', ']'],
    layer: ['1', '2', '3', '4', '5', '6', '7', '8'],
    removeMove: ['Delete'],
    promote: ['p'],
    undoEdit: ['u'],
    setUp: ['e'],
    balance: ['b'],
    share: ['s'],
    turn: ['f', 'Shift+f'],
    coordinates: ['c'],
    numbers: ['m'],
    origin: ['Shift+m'],
    type: ['/'],
    stop: ['Escape'],
    help: ['?'],
  },
  review: {
    ...WALK,
    lineStep: [' '],
    nextMistake: ['Enter'],
    mistake: ['Shift+n', 'n'],
    turn: ['f', 'Shift+f'],
    coordinates: ['c'],
    analyseShown: ['a'],
    closeLine: ['Escape'],
    help: ['?'],
  },
  puzzles: {
    puzzle: ['ArrowLeft', 'ArrowRight'],
    goOnPuzzle: [' ', 'Enter'],
    nextPuzzle: ['n'],
    again: ['r'],
    help: ['?'],
  },
} as const satisfies Record<string, Record<string, readonly string[]>>

export type ShortcutScreen = keyof typeof SHORTCUTS
/** What each shortcut of a screen does; `index` is the place of the pressed key among its keys. */
export type ShortcutCommands<S extends ShortcutScreen> = Record<Exclude<keyof (typeof SHORTCUTS)[S], 'help'>, (index: number) => void>

/** The screen whose shortcuts are bound now, if it has any, and whether their list is open. */
export const boundScreen = shallowRef<ShortcutScreen | null>(null)
export const helpOpen = ref(false)

const JUMP = 10
/** Keys that work although people have switched the letters off. */
const NAVIGATION = /^(Shift\+)?(Arrow\w+|Home|End|Escape)$/
/** What a choice or a switch that has the focus does itself with these keys. */
const OF_CHOICES = /^(Arrow\w+| )$/

/** What other programs undo and redo with, held with Ctrl or ⌘, in our letters. */
const USUAL: Record<string, string | undefined> = { z: 'u', y: 'y', 'Shift+z': 'y' }

/** The commands to walk along the moves. */
export function walk(by: (plies: number) => void, first: () => void, last: () => void): Record<keyof typeof WALK, (index: number) => void> {
  return {
    step: (index) => by(index ? 1 : -1),
    jump: (index) => by(index ? JUMP : -JUMP),
    ends: (index) => (index ? last() : first()),
  }
}

/** Whether a key belongs to what has the focus: a text is typed, a button pressed, a choice changed. */
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement
  if (target.matches('input[type="radio"], input[type="checkbox"]')) return OF_CHOICES.test(event.key)
  if (target.closest('input, textarea, select, dialog, [role="menu"]')) return true
  return (event.key === ' ' || event.key === 'Enter') && target.closest('button, a, summary') !== null
}

function nameOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  return event.shiftKey && (event.key.length > 1 || /[a-z]/.test(key)) ? `Shift+${key}` : key
}

/** Runs what a key is bound to; never while typing or in a dialog. */
function listen(commandOf: (key: string) => (() => void) | undefined): void {
  const settings = useSettings()

  function onKey(event: KeyboardEvent): void {
    // A dialog has all keys, also where nothing in it has the focus: Escape must close it.
    const isHeld = event.ctrlKey || event.metaKey
    const key = isHeld ? USUAL[nameOf(event)] : nameOf(event)
    if (!key || event.altKey || topDialog() || isTaken(event)) return
    if (!isHeld && !settings.values.shortcuts && !NAVIGATION.test(key)) return
    // A letter with the shift key is the letter where nothing else is bound to it.
    const run = commandOf(key) ?? commandOf(key.replace(/^Shift\+(?=.$)/, ''))
    if (!run) return
    event.preventDefault()
    run()
  }

  onMounted(() => window.addEventListener('keydown', onKey))
  onUnmounted(() => window.removeEventListener('keydown', onKey))
}

/** Binds the shortcuts of a screen while it is shown. */
export function useShortcuts<S extends ShortcutScreen>(screen: S, commands: ShortcutCommands<S>): void {
  const bound = new Map<string, () => void>()
  for (const [name, run] of Object.entries<(index: number) => void>(commands)) {
    const keys: readonly string[] = SHORTCUTS[screen][name as keyof (typeof SHORTCUTS)[S]] as never
    keys.forEach((key, i) => bound.set(key, () => run(i)))
  }
  listen((key) => bound.get(key))
  onMounted(() => (boundScreen.value = screen))
  onUnmounted(() => boundScreen.value === screen && (boundScreen.value = null))
}

/** On every screen: the list of the shortcuts. */
export function useShortcutHelp(): void {
  listen((key) => (key === '?' ? () => (helpOpen.value = true) : undefined))
}

/** What keeps the focus when it is clicked itself: text to type into, lists that unfold, a menu that has opened. */
const KEEPS = 'input:not([type="radio"], [type="checkbox"]), textarea, select, [aria-expanded="true"]'

/**
 * After an action of a mouse, a pen or a finger the page has the keys: what was clicked lets go of the focus, or the
 * arrows would change a choice and Enter would press a button again. What is reached with Tab keeps the focus.
 */
export function useKeysAfterPointer(): void {
  let pointed = false
  const note = (event: Event): void => void (pointed = event.type === 'pointerdown')
  function release(event: Event): void {
    const focused = document.activeElement as HTMLElement | SVGElement | null
    if (!pointed || !focused || focused.closest('dialog, [role="alertdialog"]')) return
    const isOwn = focused.matches(KEEPS) && focused.contains(event.target as Node)
    if (!isOwn || (event.type === 'change' && focused.matches('select'))) focused.blur()
  }
  const listeners: [string, (event: Event) => void, boolean][] = [
    ['pointerdown', note, true],
    ['keydown', note, true],
    ['click', release, false],
    ['change', release, false],
  ]
  onMounted(() => listeners.forEach((one) => window.addEventListener(...one)))
  onUnmounted(() => listeners.forEach((one) => window.removeEventListener(...one)))
}

const SHOWN: Record<string, string> = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', ' ': 'Space', Escape: 'Esc' }

/** The rows of a screen's table: the keys as they are written on a keyboard, and the name of the text. */
export function shortcutRows(screen: ShortcutScreen): { keys: string[]; name: string }[] {
  const write = (key: string): string => SHOWN[key] ?? (key.length === 1 ? key.toUpperCase() : key)
  const all = Object.entries<readonly string[]>(SHORTCUTS[screen])
  const rows = all.map(([name, keys]) => {
    const shown = keys.map((key) => key.split('+').map(write).join('+'))
    return { name, keys: shown.length > 4 ? [shown[0]!, '…', shown.at(-1)!] : shown }
  })
  // The board itself answers to this one.
  if (screen === 'home') return rows
  return [...rows.slice(0, -1), { name: 'board', keys: ['Tab'] }, ...rows.slice(-1)]
}
