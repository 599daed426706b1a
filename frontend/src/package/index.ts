/** What other programs get: the kernels with their types, the rule book, and an engine that thinks. */

import { type EngineData, readData } from '@/backend/engine/data'
import type { Budget, Info } from '@/backend/engine/info'
import { EngineSearch } from '@/backend/engine/search'
import { loadRules, type Position } from '@/wasm/rulebook'

export * from '@/wasm/kernels'
export * from '@/wasm/rulebook'
export { CONSTANTS, KERNELS, LEVELS, RECORDS } from '@/wasm/generated'
export { type EngineData, fetchPacked, readData } from '@/backend/engine/data'
export { EngineSearch, type SearchOptions } from '@/backend/engine/search'
export type { Budget, Info, Line, Progress } from '@/backend/engine/info'

/** An engine for one rule. */
export interface Engine {
  /** The best lines of a position within a budget, the best one first; it runs to its end on the caller's thread. */
  think: (position: Position, budget: Budget, multipv?: number) => Promise<Info>
}

/**
 * Loads the module, once for all engines, and what one rule needs, both as bytes; `tableBits` is the memory of what was
 * searched: two to this power entries of 16 bytes. Positions can be made after it.
 */
export async function openEngine(module: BufferSource, data: Uint8Array, tableBits = 20): Promise<Engine> {
  const kernels = await loadRules(async () => module)
  const known: EngineData = readData(kernels, data)
  const search = new EngineSearch(kernels, kernels.array('uint64', 1 << tableBits, 2))
  return { think: (position, budget, multipv = 1) => search.run(position, known, budget, multipv) }
}
