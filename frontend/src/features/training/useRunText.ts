import type { Finding, RunSummary, Score } from '@/wire'
import type { Unit } from './panels'
import { useText } from '@/ui/useText'

/** Figures with these names are shares of one. */
const SHARES = new Set(['share', 'explained'])

/** Sentences and numbers about training runs. */
export function useRunText() {
  const text = useText()
  const { t, te, n, percent, isChinese } = text

  function duration(seconds: number): string {
    const whole = Math.round(seconds)
    const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
    if (h) return t('training.duration.h', { h, m })
    return m ? t('training.duration.m', { m, s }) : t('training.duration.s', { s })
  }

  const when = (iso: string): string => (iso ? text.day(iso) : '–')

  function figure(value: number, unit: Unit): string {
    if (unit === 'share') return Math.abs(value) < 0.1 ? n(value, { style: 'percent', maximumFractionDigits: 1, signDisplay: 'negative' }) : percent(value)
    if (unit === 'rate') return value.toExponential(Number.isInteger(Math.log10(value)) ? 0 : 1)
    if (unit === 'count') return n(Math.round(value))
    return n(value, { maximumSignificantDigits: Math.abs(value) >= 1000 ? 4 : 3 })
  }

  function scoreText(score: Score): string {
    const rate = percent(score.rate)
    return t(`training.score.${score.kind}`, { rate, playouts: n(score.playouts ?? 0) })
  }

  /** A finding in the language of the page; one it does not know in the run's own words. */
  function findingText(found: Finding): string {
    const key = `training.finding.${found.code}`
    if (!te(key)) return found.text
    const figures = Object.entries(found.figures).map(([name, value]) => {
      if (name === 'color') return [name, t(`color.${value === 'black' ? 'B' : 'W'}`)]
      if (typeof value === 'string') return [name, value]
      return [name, SHARES.has(name) ? percent(value) : n(value, { maximumSignificantDigits: 3 })]
    })
    return t(key, Object.fromEntries(figures))
  }

  function methodText(run: RunSummary): string {
    const key = `training.method.${run.method}`
    return te(key) ? t(key) : run.method
  }

  return { ...text, n, duration, when, figure, scoreText, findingText, methodText, isChinese }
}
