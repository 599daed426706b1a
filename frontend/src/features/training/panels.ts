import type { MetricsRow, Score } from '@/wire'
import type { ChartSeries } from '@/features/training/LineChart.vue'

/** Which figures of a run are drawn together, and how their numbers are written. */
export type Unit = 'plain' | 'share' | 'count' | 'rate' | 'seconds'

export interface Panel {
  id: string
  figures: readonly string[]
  unit: Unit
  range?: [number, number]
  log?: boolean
  /** A row without that phase has 0, which is no speed. */
  phased?: boolean
}

const SHARE: [number, number] = [0, 1]

/** In the order of the page: first whether it gets stronger, last how fast it is. */
export const PANELS: readonly Panel[] = [
  { id: 'strength', figures: ['mcts_win_rate', 'best_win_rate', 'best_score', 'opponent_score', 'held_top1'], unit: 'share', range: SHARE },
  { id: 'alone', figures: ['table_score', 'untrained_score'], unit: 'share', range: SHARE },
  { id: 'elo', figures: ['anchor_elo', 'elo'], unit: 'count' },
  { id: 'losses', figures: ['loss', 'policy_loss', 'value_loss', 'pattern_loss', 'hard_loss', 'soft_loss', 'held_loss'], unit: 'plain' },
  { id: 'entropy', figures: ['entropy', 'policy_entropy', 'held_entropy'], unit: 'plain' },
  { id: 'explained', figures: ['explained_after', 'explained_before', 'held_value_explained'], unit: 'share' },
  { id: 'kl', figures: ['kl'], unit: 'plain' },
  { id: 'lr', figures: ['lr'], unit: 'rate', log: true },
  { id: 'plies', figures: ['plies'], unit: 'plain' },
  { id: 'results', figures: ['black_share', 'draw_share'], unit: 'share', range: SHARE },
  { id: 'duplicates', figures: ['duplicates'], unit: 'share', range: SHARE },
  { id: 'games', figures: ['games_per_minute'], unit: 'plain', phased: true },
  { id: 'speed', figures: ['evaluations_per_s', 'moves_per_s'], unit: 'count', phased: true },
  { id: 'time', figures: ['selfplay_s', 'learn_s', 'judge_s'], unit: 'seconds', phased: true },
]

/** The curves of a panel that have any point; evaluations bring their intervals. */
export function seriesOf(
  panel: Panel,
  rows: readonly MetricsRow[],
  scores: readonly Score[],
  label: (figure: string) => string,
): ChartSeries[] {
  const kinds: Record<string, Score['kind']> = { mcts_win_rate: 'mcts', best_win_rate: 'best' }
  return panel.figures.flatMap((figure) => {
    const kind = kinds[figure]
    const points =
      kind && scores.some((score) => score.kind === kind)
        ? scores
            .filter((score) => score.kind === kind)
            .map((score) => ({ x: score.iteration, y: score.rate, low: score.low, high: score.high }))
        : rows.flatMap((row) => {
            const [y, low, high] = ['', '_low', '_high'].map((end) => row[figure + end])
            return typeof y === 'number' && !(panel.phased && y === 0) ? [{ x: row.iteration ?? 0, y, ...(typeof low === 'number' && typeof high === 'number' && { low, high }) }] : []
          })
    return points.length ? [{ id: figure, label: label(figure), points }] : []
  })
}
