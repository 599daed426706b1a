import { computed, shallowRef, watch } from 'vue'
import { backend } from '@/backend'
import { unsupported, useCatalogue } from '@/backend/catalogue'
import { startOf } from '@/game/place'
import { endedByStone } from '@/game/rules'
import type { Session } from './session'

/** Enough to see threats, and answered in a fraction of a second. */
const NODES = 10_000

/**
 * What one engine thinks of every position of a game, whoever plays it: Black's chances by ply, or null where no engine
 * can be asked or nobody wants to know. The players' own opinions would jump with the level, and the weakest level has none.
 */
export function useEvaluation(session: Session, isWanted: () => boolean) {
  const catalogue = useCatalogue()
  const rates = shallowRef<(number | null)[] | null>(null)
  /** The game and the moves that the rates are of. */
  let of = ''
  let known: string[] = []
  let busy = false

  const analyst = computed(() => {
    const game = session.game.value
    if (!game || !isWanted() || !catalogue.can('analyse') || game.seats.every((seat) => seat.kind === 'human')) return undefined
    const able = catalogue.engines.filter((engine) => unsupported(engine, { ...game.rules, opening: 'free' }) === null)
    return catalogue.version?.defaults.analysts.find((id) => able.some((engine) => engine.id === id))
  })

  /** Keeps the rates of the moves that are still those of the game. */
  function follow(id: string, moves: readonly string[]): (number | null)[] {
    const before = of === id ? (rates.value ?? []) : []
    const fork = of === id ? known.findIndex((move, i) => move !== moves[i]) : 0
    const kept = fork < 0 ? before : before.slice(0, fork + 1)
    of = id
    known = [...moves]
    return Array.from({ length: moves.length + 1 }, (_, ply) => kept[ply] ?? null)
  }

  /** Asks for the newest position without a rate, and continues until all have one. */
  async function ask(): Promise<void> {
    const game = session.game.value
    if (busy || !game || !analyst.value || !['play', 'over'].includes(game.phase)) return
    const now = follow(game.id, game.moves)
    if (rates.value?.length) rates.value = now
    const ply = now.findLastIndex((rate, i) => rate === null && !(endedByStone(game) && i === game.moves.length))
    if (ply < 0) return
    busy = true
    const { size, winLength, rule } = game.rules
    const start = startOf(game)
    try {
      const { rootInfo } = await backend.request('analysis.analyze', {
        body: { position: { size, winLength, rule, ...start, moves: game.moves.slice(0, ply) }, engine: analyst.value, limit: { nodes: NODES }, multipv: 1 },
      })
      const latest = session.game.value
      const isSame = latest?.id === game.id && game.moves.slice(0, ply).every((move, i) => latest.moves[i] === move)
      if (isSame) {
        const filled = follow(latest.id, latest.moves)
        // A position without an opinion is as good as even; asking again would not change it.
        filled[ply] = rootInfo.winrate ?? 0.5
        rates.value = filled
      }
    } catch {
      // The players' own opinions are shown meanwhile; the next move asks again.
      busy = false
      return
    }
    busy = false
    void ask()
  }

  watch(session.id, () => (rates.value = null), { flush: 'sync' })
  watch([session.turn, analyst], () => void ask(), { immediate: true })
  return rates
}
