/** Axes of charts: round numbers that people can read, and where values lie between them. */

export interface Axis {
  low: number
  high: number
  ticks: number[]
  /** Where a value lies from 0, at `low`, to 1, at `high`. */
  at: (value: number) => number
}

const STEPS = [1, 2, 2.5, 5, 10]

/** The step of 1, 2, 2.5 or 5 times a power of ten that makes at most `most` steps of the span. */
export function niceStep(span: number, most: number): number {
  const rough = span / most
  const power = 10 ** Math.floor(Math.log10(rough))
  return power * STEPS.find((step) => step * power >= rough * (1 - 1e-9))!
}

/** A linear axis that begins and ends at round numbers; `fixed` keeps its ends as they are. */
export function linearAxis(values: readonly number[], most = 4, fixed?: readonly [number, number]): Axis {
  let [low, high] = fixed ?? [Math.min(...values), Math.max(...values)]
  if (!fixed && !(high > low))
    [low, high] = values.length ? [low - Math.max(Math.abs(low) * 0.1, 1e-9), high + Math.max(Math.abs(high) * 0.1, 1e-9)] : [0, 1]
  const step = niceStep(high - low, most)
  const first = Math.floor(low / step + 1e-9)
  const last = Math.ceil(high / step - 1e-9)
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => round((first + i) * step, step))
  if (!fixed) [low, high] = [first * step, last * step]
  return {
    low,
    high,
    ticks: ticks.filter((tick) => tick >= low - step * 1e-9 && tick <= high + step * 1e-9),
    at: (value) => (value - low) / (high - low),
  }
}

/** A logarithmic axis over positive values, from power of ten to power of ten, or part of one. */
export function logAxis(values: readonly number[]): Axis {
  const logs = values.filter((value) => value > 0).map(Math.log10)
  if (!logs.length) return linearAxis([])
  let first = Math.floor(Math.min(...logs) + 1e-9)
  let last = Math.ceil(Math.max(...logs) - 1e-9)
  if (first === last) [first, last] = [first - 1, last + 1]
  const all = Array.from({ length: last - first + 1 }, (_, i) => Number(`1e${first + i}`))
  const skip = Math.ceil(all.length / 5)
  return {
    low: all[0]!,
    high: all.at(-1)!,
    ticks: all.filter((_, i) => i % skip === 0),
    at: (value) => (Math.log10(value) - first) / (last - first),
  }
}

function round(value: number, step: number): number {
  return Number(value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(step)))))
}

/** With a minus as wide as the plus, and as the reports have it. */
export function minus(text: string): string {
  return text.replace('-', '−')
}

/** A number of points, without a fraction. */
export function whole(points: number): string {
  return minus(String(Math.round(points)))
}
