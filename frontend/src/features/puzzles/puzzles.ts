import type { DifficultyName, PuzzleSummary, ThemeName } from '@/wire'
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
  /** `mine`: about as hard as oneself is strong. */
  difficulty: DifficultyName | 'all' | 'mine'
  /** Puzzles solved one after the other without a mistake: now, and at most. */
  streak: number
  best: number
  /** On the scale of the puzzles, and after how many of them. */
  rating: number
  rated: number
}

const KEY = 'wuzi.puzzles'
export const THEMES: ThemeName[] = ['vcf', 'vct', 'defence']
export const DIFFICULTIES: Progress['difficulty'][] = ['all', 'mine', 'easy', 'medium', 'hard']
const DEFAULTS: Progress = { results: {}, theme: 'vcf', difficulty: 'all', streak: 0, best: 0, rating: 1200, rated: 0 }

const BASES: Record<DifficultyName, number> = { easy: 900, medium: 1250, hard: 1600 }
/** What each further move of a solution adds, up to so many moves. */
const MOVE_RATING = 25
const MOST_MOVES = 21
/** How far one result moves a person: much while little is known. */
const NEWCOMER = { games: 20, step: 60 }
const STEP = 24

/** How hard a puzzle is: by the search that its solution took, and by its length. */
export function ratingOf({ difficulty, length }: Pick<PuzzleSummary, 'difficulty' | 'length'>): number {
  return BASES[difficulty] + MOVE_RATING * (Math.min(length, MOST_MOVES) - 1)
}

/** A person's rating after a puzzle, by Elo's formula. */
export function ratingAfter(rating: number, rated: number, puzzle: number, isSolved: boolean): number {
  const expected = 1 / (1 + 10 ** ((puzzle - rating) / 400))
  return rating + (rated < NEWCOMER.games ? NEWCOMER.step : STEP) * (Number(isSolved) - expected)
}

function isValid(name: keyof Progress, value: unknown): boolean {
  if (name === 'theme') return THEMES.includes(value as ThemeName)
  if (name === 'difficulty') return DIFFICULTIES.includes(value as Progress['difficulty'])
  if (name === 'rating') return Number.isFinite(value)
  if (name === 'streak' || name === 'best' || name === 'rated') return Number.isInteger(value) && Number(value) >= 0
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
  function note(id: string, solved: boolean, clean: boolean, puzzle: Pick<PuzzleSummary, 'difficulty' | 'length'>): void {
    const before = values.results[id]
    // The first try alone says how strong somebody is.
    if (!before) Object.assign(values, { rating: ratingAfter(values.rating, values.rated, ratingOf(puzzle), solved && clean), rated: values.rated + 1 })
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
    Object.assign(values, { results: {}, streak: 0, best: 0, rating: DEFAULTS.rating, rated: 0 })
  }

  return { values, note, forget }
})
