import { watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { backend } from '@/backend'
import { useSetup } from '@/features/home/setup'
import { useNotices } from '@/ui/notices'
import { useGame } from './game'

/** Opens the game of an address, with the seat that its link gives, and follows its rematch. `invite`: who has just made it sends its links. */
export function useLink(id: () => string, invite: () => void) {
  const route = useRoute()
  const router = useRouter()
  const store = useGame()
  const setup = useSetup()
  const notices = useNotices()

  /** The address is shown and shared: a seat does not stay in it. */
  async function takeSeat(game: string, mark: string): Promise<void> {
    try {
      await backend.request('games.sit', { id: game, body: { mark } })
    } catch (error) {
      notices.failed(error)
    }
  }

  async function open(game: string, hash: string): Promise<void> {
    if (/^#[01]-/.test(hash)) await takeSeat(game, hash)
    if (hash) await router.replace({ ...route, hash: '' })
    await store.open(game)
    if (hash === '#links') invite()
    const link = store.byLink
    const { myName } = setup.values
    if (!myName || !link || link.seat === null || store.game?.id !== game || store.game.phase === 'over') return
    if (store.game.seats[link.seat].isUnnamed) await store.run((one) => backend.request('play.call', { id: one, body: { name: myName } }))
  }

  watch([id, () => route.hash], ([game, mark], before) => {
    if (game !== before?.[0] || mark) void open(game, mark)
  }, { immediate: true })

  watch(
    () => [store.game?.id, store.byLink?.next] as const,
    ([game, next], [before, none]) => {
      if (game === before && next && none === null) void router.push({ name: 'play', params: { id: next } })
    },
  )

  return { show: invite }
}
