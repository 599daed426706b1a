import { computed, ref, watch } from 'vue'
import { backend } from '@/backend'
import { useCatalogue } from '@/backend/catalogue'
import { useSettings } from '@/features/settings/settings'
import { fromGame, requestAt } from '@/game/place'
import type { Session } from './session'

/** Tells a person who wants it that there is a forced win on the board, and not which move begins it. */
export function useWinAlarm(session: Session, isMine: () => boolean) {
  const settings = useSettings()
  const catalogue = useCatalogue()
  const rings = ref(false)
  /** The position that is looked at: of a person against an engine, who is to move. */
  const asked = computed(() => {
    const game = session.game.value
    const isWanted = settings.values.alarm && game?.phase === 'play' && isMine() && !game.byLink && game.seats.some(({ kind }) => kind === 'engine')
    return game && isWanted && catalogue.can('analyse') ? session.turn.value : null
  })

  async function look(turn: string | null): Promise<void> {
    rings.value = false
    const game = session.game.value
    if (turn === null || !game) return
    const { tree, last } = fromGame(game)
    try {
      const { threats } = await backend.request('analysis.layers', { body: { position: requestAt(tree, last), include: ['threats'] } })
      if (asked.value === turn) rings.value = threats?.lines.some((one) => one.toMove && one.verdict === 'win') ?? false
    } catch {
      // Without an answer it is silent.
    }
  }

  watch(asked, (turn) => void look(turn), { immediate: true })
  return rings
}
