import { computed, onUnmounted, ref, shallowRef, watch } from 'vue'
import { type Choice, LearnerThread, type Report, type Speed } from '@/backend/learn'
import { load, save } from '@/ui/persist'

const KEY = 'wuzi.learn'
/** What can be chosen: the board, the row that wins, simulations a move, the net, and how much of the time is worked. */
export const CHOICES = {
  size: [5, 6, 7, 8],
  winLength: [3, 4, 5],
  net: ['2b16', '3b24', '4b32'],
  simulations: [8, 16, 32],
  speed: ['full', 'half'],
} as const

export type Chosen = Omit<Choice, 'seed' | 'isOpened'> & { speed: Speed }

/** The preset's. */
export const DEFAULTS: Chosen = { size: 6, winLength: 4, net: '2b16', simulations: 16, speed: 'full' }

/** The training of this page: what was chosen, how it is, and the thread that does it. */
export function useLearn() {
  const chosen = ref(load(KEY, DEFAULTS, (key, value) => (CHOICES[key] as readonly unknown[]).includes(value)))
  /** undefined: not known yet; null: there is no run. */
  const report = shallowRef<Report | null | undefined>(undefined)
  const refused = ref<string | null>(null)
  const failure = ref<string | null>(null)
  let thread = started()
  thread.open()

  watch(chosen, (value) => save(KEY, value), { deep: true })
  watch(
    () => chosen.value.speed,
    (speed) => {
      if (report.value?.state === 'going') thread.go(speed)
    },
  )
  onUnmounted(() => thread.end())

  /** A thread; one that shall learn goes as soon as its run is made. */
  function started(goes = false): LearnerThread {
    const made: LearnerThread = new LearnerThread({
      onReport: (found) => {
        if (made !== thread) return
        report.value = found
        if (goes) made.go(chosen.value.speed)
        goes = false
      },
      onRefused: (code) => {
        // What was shown before is what is kept.
        again()
        refused.value = code
        thread.open()
      },
      onFailed: (message) => (failure.value = message),
    })
    return made
  }

  /** Another thread takes the place of this one: its memory is given back. */
  function again(goes = false): void {
    thread.end()
    thread = started(goes)
    failure.value = refused.value = null
  }

  function learn(): void {
    if (report.value) return thread.go(chosen.value.speed)
    again(true)
    report.value = undefined
    const { size, winLength, net, simulations } = chosen.value
    thread.begin({ size, winLength, net, simulations, seed: newSeed() })
  }

  async function open(files: readonly File[]): Promise<void> {
    const [weights, card] = ['.safetensors', '.json'].map((ending) => files.find(({ name }) => name.endsWith(ending)))
    if (!weights || !card) {
      refused.value = 'files'
      return
    }
    const [content, text] = [new Uint8Array(await weights.arrayBuffer()), await card.text()]
    again()
    report.value = undefined
    thread.beginFrom(content, text, { simulations: chosen.value.simulations, seed: newSeed() })
  }

  return {
    chosen,
    report,
    refused,
    failure,
    isGoing: computed(() => report.value?.state === 'going'),
    learn,
    open,
    pause: () => thread.pause(),
    /** Forgets the run on the page; the one that is kept stays until another begins. */
    anew: () => {
      again()
      report.value = null
    },
    thread: () => thread,
  }
}

const newSeed = (): number => Math.floor(Math.random() * 2 ** 31)
