import { computed, nextTick, ref, watch, type ComputedRef } from 'vue'
import type { Color } from '@/wire'
import { cellOf } from '@/game/notation'
import type { CandidateMark } from './marks'
import { useStudy } from './study'

/** The line that is drawn upon the board: a candidate's, so much of it as was asked for, or another one. */
export function useShownLine(marks: ComputedRef<CandidateMark[]>) {
  const study = useStudy()
  const chosen = ref<number | null>(null)
  const pointed = ref<number | null>(null)
  /** How many moves of the chosen candidate's line are shown. */
  const lineLength = ref(Infinity)
  const extraLine = ref<{ moves: number[]; first: Color } | null>(null)

  const line = computed(() => {
    if (extraLine.value) return extraLine.value
    const mark = chosen.value === null ? undefined : marks.value[chosen.value]
    return mark ? { moves: mark.candidate.pv.slice(0, lineLength.value).map((move) => cellOf(move, study.doc.rules.size)), first: study.toMove } : null
  })
  watch(chosen, () => (lineLength.value = Infinity))

  function point(cell: number | null): void {
    pointed.value = cell
    const index = cell === null ? -1 : marks.value.findIndex((mark) => mark.cell === cell)
    chosen.value = index < 0 ? null : index
  }

  /** Shows more or less of the chosen candidate's line, of the best one's where none is chosen. */
  function stepLine(by: 1 | -1): void {
    const mark = marks.value[chosen.value ?? 0]
    if (!mark) return
    const most = mark.candidate.pv.length
    const length = Math.min(most, (chosen.value === null ? 0 : Math.min(lineLength.value, most)) + by)
    chosen.value = length > 0 ? (chosen.value ?? 0) : null
    // After the watcher of `chosen`, which shows whole lines.
    void nextTick(() => (lineLength.value = Math.max(1, length)))
  }

  function close(): void {
    chosen.value = pointed.value = null
    extraLine.value = null
  }

  return { chosen, pointed, extraLine, line, point, stepLine, close }
}
