import { ref, type Ref } from 'vue'
import { type BoardGeometry, cellAt } from '@/game/geometry'

export interface BoardPointerOptions {
  svg: Ref<SVGSVGElement | null>
  geometry: () => BoardGeometry
  input: () => 'auto' | 'direct' | 'confirm' | 'slide'
  /** A stone may be placed there now. */
  isFree: (cell: number) => boolean
  /** A stone may be placed somewhere now. */
  mayPlace: () => boolean
  /** The point chosen by touch and not played yet. */
  preview: Ref<number | null>
  pick: (cell: number) => void
}

/**
 * Mouse, pen and finger upon a board. A mouse plays at once; a finger chooses a point first and plays it
 * with a second tap (confirm) or when it is lifted (slide), because the points are smaller than a finger.
 */
export function useBoardPointer(options: BoardPointerOptions) {
  const { svg, preview, pick, isFree } = options
  const hover = ref<number | null>(null)
  const touching = ref(false)
  let armed: number | null = null
  let tapHandled = false

  function mode(pointer: string): 'direct' | 'confirm' | 'slide' {
    const input = options.input()
    if (input !== 'auto') return input
    return pointer === 'touch' ? 'confirm' : 'direct'
  }

  function locate(event: PointerEvent): number | null {
    const box = svg.value!.getBoundingClientRect()
    const scale = options.geometry().side / box.width
    return cellAt((event.clientX - box.left) * scale, (event.clientY - box.top) * scale, options.geometry())
  }

  function onDown(event: PointerEvent): void {
    tapHandled = mode(event.pointerType) !== 'direct' && options.mayPlace()
    if (!tapHandled) return
    const cell = locate(event)
    armed = null
    if (cell === null) return
    if (!isFree(cell)) return pick(cell)
    if (cell === preview.value && mode(event.pointerType) === 'confirm') armed = cell
    preview.value = cell
    touching.value = true
  }

  function onMove(event: PointerEvent): void {
    if (touching.value) {
      const cell = locate(event)
      if (cell !== null && isFree(cell) && cell !== preview.value) {
        preview.value = cell
        armed = null
      }
    } else if (event.pointerType !== 'touch' && options.mayPlace()) hover.value = locate(event)
  }

  function onUp(event: PointerEvent): void {
    if (!touching.value) return
    touching.value = false
    const cell = preview.value
    const play = mode(event.pointerType) === 'slide' ? cell : armed
    if (play === null || play !== cell) return
    preview.value = null
    pick(play)
  }

  function onCancel(): void {
    touching.value = false
    preview.value = null
  }

  function onLeave(): void {
    hover.value = null
  }

  /** A tap was dealt with by its pointer events; clicks of a mouse and of assistive tools arrive here. */
  function onClick(event: MouseEvent): void {
    if (tapHandled && event.detail > 0) return
    const cell = (event.target as Element).getAttribute('data-cell')
    if (cell !== null) pick(Number(cell))
  }

  return { hover, touching, onDown, onMove, onUp, onCancel, onLeave, onClick }
}
