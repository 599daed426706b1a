/** How much of the time the engine in the browser works; it rests in between, so that a phone stays cool. */
export const effort = { share: 1 }

/** The longest rest between two steps of a search. */
const MOST_MS = 3000

/** How long to rest after so much work. */
export const restAfter = (workedMs: number, share: number): number => Math.min(MOST_MS, workedMs * (1 / share - 1))
