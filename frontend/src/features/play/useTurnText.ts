import { useText } from '@/ui/useText'
import { useGame } from './game'

/** Who is to do what, in words. */
export function useTurnText(): () => string {
  const { t } = useText()
  const store = useGame()

  return () => {
    const game = store.game!
    const mine = store.isMyTurn
    if (game.phase !== 'play') return t(mine ? (store.draftGoal > 1 ? 'status.openingPlace' : 'status.openingTurn') : 'status.openingWait')
    const color = t(`color.${game.toMove}`)
    if (store.mySeat === null) return t('status.toMove', { color })
    return t(mine ? 'status.yourTurn' : store.byLink ? 'status.theirTurn' : 'status.engineTurn', { color })
  }
}
