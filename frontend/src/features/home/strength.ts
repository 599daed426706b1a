import type { Engine, GameSummary } from '@/wire'

/** A finished game against an opponent of measured strength. */
export interface Tried {
  elo: number
  /** 1 for a win, 0.5 for a draw. */
  score: number
}

const LEAST_GAMES = 3
/** Before the first game people are thought to be about as strong as those they choose, give or take this. */
const SPREAD = 300
const SCALE = Math.LN10 / 400

/** The finished games that one person has played against rated levels. */
export function triedOf(games: readonly GameSummary[], engines: readonly Engine[]): Tried[] {
  return games.flatMap(({ seats, outcome }) => {
    const [mine, theirs] = seats[0].kind === 'human' ? [seats[0], seats[1]] : [seats[1], seats[0]]
    if (!outcome || mine.kind !== 'human' || theirs.kind !== 'engine') return []
    const rating = engines.find((one) => one.id === theirs.engine)?.levels.find((one) => one.id === theirs.level)?.rating
    return rating ? [{ elo: rating.elo, score: outcome.winner === null ? 0.5 : outcome.winner === mine.color ? 1 : 0 }] : []
  })
}

/** The likeliest Elo of somebody with these results; null after too few games. */
export function strengthOf(tried: readonly Tried[]): number | null {
  if (tried.length < LEAST_GAMES) return null
  const usual = tried.reduce((sum, one) => sum + one.elo, 0) / tried.length
  const slope = (x: number): number =>
    tried.reduce((sum, { elo, score }) => sum + SCALE * (score - 1 / (1 + 10 ** ((elo - x) / 400))), (usual - x) / SPREAD ** 2)
  let [low, high] = [usual - 2000, usual + 2000]
  while (high - low > 1) {
    const middle = (low + high) / 2
    if (slope(middle) > 0) low = middle
    else high = middle
  }
  return Math.round((low + high) / 2)
}
