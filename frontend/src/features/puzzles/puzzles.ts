import type { DifficultyName, ThemeName } from '@/wire'
import { defineStore } from 'pinia'
import { reactive, watch } from 'vue'
import { load, save } from '@/ui/persist'

export interface PuzzleResult {
  /** Solved without a wrong move and without looking at the answer. */
  clean: boolean
  tries: number
  solved: boolean
}

interface Progress {
  results: Record<string, PuzzleResult>
  theme: ThemeName
  difficulty: DifficultyName | 'all'
  /** Puzzles solved one after the other without a mistake: now, and at most. */
  streak: number
  best: number
}

const KEY = 'wuzi.puzzles'
export const THEMES: ThemeName[] = ['vcf', 'vct', 'defence']
export const DIFFICULTIES: Progress['difficulty'][] = ['all', 'easy', 'medium', 'hard']
const DEFAULTS: Progress = { results: {}, theme: 'vcf', difficulty: 'all', streak: 0, best: 0 }

function isValid(name: keyof Progress, value: unknown): boolean {
  if (name === 'theme') return THEMES.includes(value as ThemeName)
  if (name === 'difficulty') return DIFFICULTIES.includes(value as Progress['difficulty'])
  if (name === 'streak' || name === 'best') return Number.isInteger(value) && Number(value) >= 0
  return typeof value === 'object' && value !== null && Object.values(value).every(isResult)
}

function isResult(value: unknown): boolean {
  const result = value as Partial<PuzzleResult> | null
  return typeof result?.clean === 'boolean' && typeof result.solved === 'boolean' && Number.isInteger(result.tries)
}

/** Which puzzles were solved; kept in this browser only. */
export const usePuzzles = defineStore('puzzles', () => {
  const values = reactive<Progress>(load(KEY, { ...DEFAULTS, results: {} }, isValid))
  watch(values, () => save(KEY, values))

  /** Notes the end of a try; a puzzle once solved stays solved. */
  function note(id: string, solved: boolean, clean: boolean): void {
    const before = values.results[id]
    // A puzzle that is known already makes no streak longer.
    if (!solved || !clean) values.streak = 0
    else if (!before?.solved) values.best = Math.max(values.best, ++values.streak)
    values.results[id] = {
      tries: (before?.tries ?? 0) + 1,
      solved: solved || (before?.solved ?? false),
      clean: (solved && clean && !before) || (before?.clean ?? false),
    }
  }

  function forget(): void {
    Object.assign(values, { results: {}, streak: 0, best: 0 })
  }

  return { values, note, forget }
})
