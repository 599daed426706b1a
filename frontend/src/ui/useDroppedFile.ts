import { onMounted, onUnmounted } from 'vue'

/** Calls `take` with a file that is dropped anywhere on the page. */
export function useDroppedFile(take: (file: File) => void): void {
  function onDrop(event: DragEvent): void {
    const file = event.dataTransfer?.files[0]
    if (!file) return
    event.preventDefault()
    take(file)
  }
  onMounted(() => window.addEventListener('drop', onDrop))
  onUnmounted(() => window.removeEventListener('drop', onDrop))
}
