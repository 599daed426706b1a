import { computed, ref } from 'vue'
import { arrowsAt, hasMarks, marksAt, type Shape, SHAPES } from '@/features/analysis/nodeMarks'
import { useStudy } from './study'

export const PENS = [...SHAPES, 'arrow'] as const
export type Pen = (typeof PENS)[number]

/** Drawing on the position: with a pen by clicks, or at any time with the right button. A drag of either is an arrow. */
export function useDrawing() {
  const study = useStudy()
  const pen = ref<Pen | null>(null)
  /** Where an arrow begins that has no end yet. */
  const from = ref<number | null>(null)
  let pressed: number | null = null

  const cellOf = (event: PointerEvent): number | null => {
    const name = document.elementFromPoint(event.clientX, event.clientY)?.closest('[data-cell]')?.getAttribute('data-cell')
    return name == null ? null : Number(name)
  }

  function draw(shape: Shape, cell: number): void {
    study.mark(shape, cell)
  }

  /** A point was picked while there is a pen. */
  function pick(cell: number): void {
    if (pen.value !== 'arrow') return draw(pen.value!, cell)
    if (from.value === null) from.value = cell
    else {
      if (from.value !== cell) study.arrow(from.value, cell)
      from.value = null
    }
  }

  function onDown(event: PointerEvent): void {
    pressed = event.button === 2 || (event.button === 0 && pen.value === 'arrow') ? cellOf(event) : null
  }

  function onUp(event: PointerEvent): void {
    const cell = cellOf(event)
    if (pressed === null || cell === null) return
    // A click with the pen is picked, and begins or ends an arrow.
    if (cell !== pressed) study.arrow(pressed, cell)
    else if (event.button === 2) draw(event.shiftKey ? 'square' : event.altKey ? 'triangle' : event.ctrlKey || event.metaKey ? 'cross' : 'circle', cell)
    pressed = null
  }

  const size = computed(() => study.doc.rules.size)
  const marks = computed(() => [...marksAt(study.node, size.value), ...(from.value === null ? [] : [{ kind: 'circle', cell: from.value, text: '' }])])
  const arrows = computed(() => arrowsAt(study.node, size.value))
  const any = computed(() => hasMarks(study.node))

  return { pen, pick, onDown, onUp, marks, arrows, any, forget: () => (from.value = null) }
}
