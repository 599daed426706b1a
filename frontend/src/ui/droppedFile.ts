import { onMounted, onUnmounted, shallowRef } from 'vue'

/** Who takes a file that is dropped on the page; the page itself opens it where nobody does. */
export const fileTaker = shallowRef<((file: File) => void) | null>(null)

/** Gives files that are dropped while this screen is shown to it. */
export function useDroppedFile(take: (file: File) => void): void {
  onMounted(() => (fileTaker.value = take))
  onUnmounted(() => {
    if (fileTaker.value === take) fileTaker.value = null
  })
}

/** The endings of the record files that can be opened, for a chooser. */
export const RECORD_FILES = '.sgf,.psq,.rec,.pos,.json,.txt,.lib,.sav'
