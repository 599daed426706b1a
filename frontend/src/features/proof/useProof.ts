import { backend } from '@/backend'
import { cellOf } from '@/game/notation'
import type { PositionIn, ProofLook } from '@/wire'
import { shallowRef, watch } from 'vue'

/** Whether the proofs may know something: all begin on the empty board, in the middle. Who is asked knows it exactly. */
export function mayBeProved({ size = 15, winLength = 5, rule = 'freestyle', cells, moves = [] }: PositionIn): boolean {
  return !cells && rule === 'freestyle' && winLength === 5 && moves[0] !== undefined && cellOf(moves[0], size) === (size * size - 1) / 2
}

/** What the proofs say of a position; null while nobody has answered, and for null. */
export function useProof(position: () => PositionIn | null) {
  const look = shallowRef<ProofLook | null>(null)
  watch(
    () => JSON.stringify(position()),
    async (asked) => {
      look.value = null
      const body = position()
      if (!body) return
      const found = await backend.request('proofs.look', { body }).catch(() => null)
      if (asked === JSON.stringify(position())) look.value = found
    },
    { immediate: true },
  )
  return look
}

/** Black's moves in so many plies that end with one. */
export const blackMoves = (plies: number): number => Math.ceil(plies / 2)
