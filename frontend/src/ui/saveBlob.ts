const KEPT_MS = 10_000

/** A name that somebody gave, as that of a file without its ending. */
export const fileName = (name: string, unnamed: string): string => name.replace(/[^\p{L}\p{N}._-]+/gu, '-') || unnamed

/** Gives a file that was made here to the browser's downloads. */
export function saveBlob(blob: Blob, name: string): void {
  const anchor = document.createElement('a')
  anchor.href = URL.createObjectURL(blob)
  anchor.download = name
  anchor.click()
  window.setTimeout(() => URL.revokeObjectURL(anchor.href), KEPT_MS)
}
