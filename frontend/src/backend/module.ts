/** Where the kernels come from. */

import moduleUrl from '@/wasm/kernels.wasm?url'

/** The bytes of the module, as the page and its worker load it. */
export async function fetchModule(): Promise<ArrayBuffer> {
  return (await fetch(moduleUrl)).arrayBuffer()
}
