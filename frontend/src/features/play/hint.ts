import { ref, shallowRef, watch } from 'vue'
import { backend } from '@/backend'
import { cellOf } from '@/game/notation'
import { fromGame, requestAt } from '@/game/place'
import type { GameState, HintKind, LocalText } from '@/wire'
import type { Session } from './session'

export interface Hint {
  level: 1 | 2
  area: number[]
  move: number | null
  winrate: number | null
  /** What kind of move it is; at level 2 why it is good, where the words do not say it. */
  reason: LocalText | null
  /** What the move makes, stops and threatens. */
  words: LocalText | null
}

/** Reasons that the words of the move give too. */
const IN_WORDS: ReadonlySet<HintKind> = new Set(['wins', 'blocks_win', 'open_four', 'double_threat', 'stops_open_four'])

/** First the neighbourhood, then the move with its reason. */
export function useHint(session: Session) {
  const hint = shallowRef<Hint | null>(null)
  /** A hint takes a search: people may play on meanwhile. */
  const hinting = ref(false)

  watch(session.turn, () => (hint.value = null), { flush: 'sync' })

  /** The words that the analysis has for a move; null where it has none. */
  async function wordsOf(game: GameState, move: string): Promise<LocalText | null> {
    const { tree, last } = fromGame(game)
    const position = requestAt(tree, last)
    const found = await backend.request('analysis.layers', { body: { position, include: ['words'], moves: [move] } }).catch(() => null)
    const said = found?.words?.[0]
    return said?.en.length ? { en: said.en.join(', '), zh: said.zh.join('，') } : null
  }

  async function ask(): Promise<void> {
    const state = session.game.value
    if (hinting.value || !state || hint.value?.level === 2) return
    const level = hint.value ? 2 : 1
    const toCell = (move: string): number => cellOf(move, state.rules.size)
    hinting.value = true
    try {
      const { area, move, winrate, kind, reason } = await backend.request('play.hint', { id: state.id, body: { level } })
      if (session.game.value?.ply !== state.ply) return
      const known = level === 1 ? area.map(toCell) : (hint.value?.area ?? [])
      hint.value = { level, area: known, move: level === 2 && move ? toCell(move) : null, winrate: winrate ?? null, reason, words: null }
      const words = level === 2 && move ? await wordsOf(state, move) : null
      if (words && hint.value && session.game.value?.ply === state.ply) hint.value = { ...hint.value, words, reason: IN_WORDS.has(kind) ? null : reason }
    } catch (error) {
      await session.recover(error)
    } finally {
      hinting.value = false
    }
  }

  return { hint, hinting, ask }
}
