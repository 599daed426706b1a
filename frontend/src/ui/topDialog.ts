import { onBeforeUnmount, shallowRef } from 'vue'

const open = shallowRef<readonly HTMLElement[]>([])

/** The dialog on top: what is to be seen and pressed while it is open has to be inside it. */
export const topDialog = (): HTMLElement | null => open.value.at(-1) ?? null

/** Notes that a dialog opens and closes; one that goes with its screen has closed. */
export function useTopDialog(): { opened: (dialog: HTMLElement) => void; closed: () => void } {
  let mine: HTMLElement | null = null
  const closed = (): void => void (open.value = open.value.filter((one) => one !== mine))
  onBeforeUnmount(closed)
  function opened(dialog: HTMLElement): void {
    closed()
    mine = dialog
    open.value = [...open.value, dialog]
  }
  return { opened, closed }
}
