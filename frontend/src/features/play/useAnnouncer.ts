import { ref, watch, type Ref } from 'vue'
import type { Color, GameState } from '@/wire'
import { useGame } from './game'
import { useTurnText } from './useTurnText'
import { useText } from '@/ui/useText'

/** The text of the live region: each new stone, whose turn it is, refusals, hints, the end. `note`: what an opening's choice has changed. */
export function useAnnouncer(side: () => Color, note: () => string): Ref<string> {
  const { t, announced, resultText, local, cellText } = useText()
  const store = useGame()
  const turnText = useTurnText()
  const text = ref('')

  /** What is read out of the last stones, of an opening all of them; the estimate is that of the last one. */
  function stones(now: GameState, count: number): string[] {
    // Where one engine judges all positions, the bar says its estimate, which comes later and is another one.
    const rate = store.isJudged || !store.isEvaluated ? null : now.winrate
    const fresh = store.moveCells.slice(-count)
    return fresh.flatMap((cell, i) =>
      announced(now.cells[cell] === 'W' ? 'W' : 'B', cellText(cell, now.rules.size), i === fresh.length - 1 ? rate : null, side()),
    )
  }

  function turn(now: GameState): string[] {
    return now.phase !== 'over' && (store.byLink || store.actor?.kind === 'human') ? [turnText()] : []
  }

  watch(
    () => store.game,
    (now, before) => {
      // Another game, as after a rematch: what was said of the last one is out of date.
      if (!now || now.id !== before?.id) return void (text.value = now ? turn(now).join(' ') : '')
      const parts: string[] = []
      if (now.ply > before.ply) parts.push(...stones(now, before.phase === 'play' ? 1 : now.ply - before.ply))
      else if (now.ply < before.ply) parts.push(t('announce.undone', { ply: now.ply }))
      if (now.phase !== before.phase && note()) parts.push(note())
      if (now.outcome && !before.outcome) parts.push(resultText(now))
      else if (now.ply !== before.ply || now.seatToAct !== before.seatToAct || now.phase !== before.phase) parts.push(...turn(now))
      if (parts.length) text.value = parts.join(' ')
    },
  )
  // The stones of an opening are handed over together; until then only the page knows of them.
  watch(
    () => store.draft.length,
    (count, before) => {
      const cell = store.draft[count - 1]
      if (store.draftGoal < 2) return
      const placed = cell !== undefined && count > before ? announced(store.draftColors[count - 1]!, cellText(cell, store.size), null, side()) : []
      const left = store.draftGoal - count
      const next = left > 0 ? t('opening.nextStone', { color: t(`color.${store.draftColors[count]}`), left }) : t('opening.placed')
      text.value = [...placed, next].join(' ')
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
