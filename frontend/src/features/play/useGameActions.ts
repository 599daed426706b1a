import { useRouter } from 'vue-router'
import { api } from '@/backend/client'
import { reviewApi } from '@/backend/review'
import type { GameState, Seat, SeatRequest } from '@/wire/types'
import { useGame } from './game'
import { useNotices } from '@/ui/notices'

/** Wishes that end in another game, or that need a word of explanation afterwards. */
export function useGameActions() {
  const router = useRouter()
  const store = useGame()
  const notices = useNotices()

  async function openNew(request: () => Promise<GameState>): Promise<void> {
    if (store.busy) return
    store.busy = true
    try {
      const game = await request()
      await router.push({ name: 'play', params: { id: game.id } })
    } catch (error) {
      notices.failed(error)
    } finally {
      store.busy = false
    }
  }

  function restart(): Promise<void> {
    return openNew(() => api.restart(store.game!.id))
  }

  function asRequest(seat: Seat): SeatRequest {
    if (seat.kind === 'human') return { kind: 'human' }
    return { kind: 'engine', engine: seat.engine, ...(seat.level ? { level: seat.level } : {}) }
  }

  /** The same game with the colours exchanged. */
  function swapSides(): Promise<void> {
    const { rules, seats } = store.game!
    return openNew(() => api.createGame({ rules, seats: [asRequest(seats[1]), asRequest(seats[0])] }))
  }

  async function offerDraw(): Promise<void> {
    await store.run((id) => api.draw(id))
  }

  /** Resigns for the human; with two people on one screen for the one whose turn it is. */
  function resign(): Promise<boolean> {
    return store.run((id, game) => api.resign(id, store.myColor ?? game.toMove))
  }

  /** Stops whatever hangs and lets the engine begin anew. */
  async function restartEngine(): Promise<void> {
    if (store.game?.thinking) await store.run((id) => api.stop(id))
    await store.run((id) => api.resume(id))
  }

  /** The review of this game, begun now. */
  async function review(): Promise<void> {
    if (store.busy || !store.game) return
    store.busy = true
    try {
      const begun = await reviewApi.ofGame(store.game.id, 'normal')
      await router.push({ name: 'review', params: { id: begun.id } })
    } catch (error) {
      notices.failed(error)
    } finally {
      store.busy = false
    }
  }

  return { review, restart, swapSides, offerDraw, resign, restartEngine }
}
