/** What nets see of boards. */

import type { Kernels, WasmArray, WasmRecord } from '@/wasm/kernels'

export const FREESTYLE = 0

/** Writes the feature planes of board records. */
export class Encoder {
  /** Without tables threats have no names: then the plain planes are written. */
  constructor(
    private readonly kernels: Kernels,
    readonly tables: WasmRecord<'TABLES'> | null,
  ) {}

  /** The planes of the first `count` records into `out` [room, channels, size, size]. */
  encode(states: WasmArray, count: number, out: WasmArray): void {
    const { kernels, tables } = this
    const [, channels, size] = out.shape as [number, number, number]
    const planes = kernels.arrayPart(out, count, channels, size * size)
    const some = kernels.arrayPart(states, count)
    if (tables) kernels.call('tactical18_planes', some, tables, planes)
    else kernels.call('board7_planes', some, planes)
  }
}
