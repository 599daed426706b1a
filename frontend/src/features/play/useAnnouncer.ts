import { ref, watch, type Ref } from 'vue'
import type { Color } from '@/wire'
import { useGame } from './game'
import { useText } from '@/ui/useText'

/** The text of the live region: each new stone, whose turn it is, refusals, hints, the end. */
export function useAnnouncer(side: () => Color): Ref<string> {
  const { t, announced, outcomeText, local, moveText, cellText } = useText()
  const store = useGame()
  const text = ref('')

  watch(
    () => store.game,
    (now, before) => {
      if (!now || !before || now.id !== before.id) return
      const parts: string[] = []
      if (now.ply > before.ply && now.lastMove) {
        const cell = store.moveCells.at(-1)
        const color = cell === undefined ? 'B' : now.cells[cell]
        // Where one engine judges all positions, the bar says its estimate, which comes later and is another one.
        const rate = store.isJudged ? null : now.winrate
        parts.push(...announced(color === 'W' ? 'W' : 'B', moveText(now.lastMove, now.rules.size), rate, side()))
      } else if (now.ply < before.ply) parts.push(t('announce.undone', { ply: now.ply }))
      if (now.outcome && !before.outcome) parts.push(outcomeText(now))
      else if (now.phase !== 'over' && store.actor?.kind === 'human' && (now.ply !== before.ply || now.seatToAct !== before.seatToAct)) {
        parts.push(
          store.mySeat === null
            ? t('status.toMove', { color: t(`color.${now.toMove}`) })
            : t('status.yourTurn', { color: t(`color.${now.toMove}`) }),
        )
      }
      if (parts.length) text.value = parts.join(' ')
    },
  )
  watch(
    () => store.refusal,
    (refusal) => {
      if (refusal) text.value = t(`refusal.${refusal.why}`)
    },
  )
  watch(
    () => store.hint,
    (hint) => {
      if (!hint) return
      text.value = hint.move !== null && hint.reason ? `${cellText(hint.move, store.size)}. ${local(hint.reason)}` : t('hint.area')
    },
  )
  return text
}
