import { backend } from '@/backend'
import { useGame } from './game'
import { useMake } from '@/ui/useMake'
import { useText } from '@/ui/useText'

/** Wishes that end in another game, or that need a word of explanation afterwards. */
export function useGameActions() {
  const store = useGame()
  const { busy, make } = useMake()
  const { language } = useText()

  function restart(): Promise<unknown> {
    return make('play', () => backend.request('games.restart', { id: store.game!.id }))
  }

  /** The same game with the seats exchanged. */
  function swapSides(): Promise<unknown> {
    return make('play', () => backend.request('games.restart', { id: store.game!.id, body: { swapSides: true } }))
  }

  async function offerDraw(): Promise<void> {
    await store.run((id) => backend.request('play.draw', { id }))
  }

  /** Resigns for the human; with two people on one screen for the one whose turn it is. */
  function resign(): Promise<boolean> {
    return store.run((id, game) => backend.request('play.resign', { id, body: { color: store.myColor ?? game.toMove } }))
  }

  /** Stops whatever hangs and lets the engine begin anew. */
  async function restartEngine(): Promise<void> {
    if (store.game?.thinking) await store.run((id) => backend.request('play.stop', { id }))
    await store.run((id) => backend.request('play.resume', { id }))
  }

  /** The review of this game, begun now. */
  async function review(): Promise<void> {
    const gameId = store.game?.id
    if (gameId) await make('review', () => backend.request('reviews.create', { body: { gameId, depth: 'normal', lang: language.value } }))
  }

  return { busy, review, restart, swapSides, offerDraw, resign, restartEngine }
}
