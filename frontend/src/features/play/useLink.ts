import { watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { backend } from '@/backend'
import { useSetup } from '@/features/home/setup'
import { useNotices } from '@/ui/notices'
import { useGame } from './game'

/** Opens the game of an address, with the seat that its link gives, and follows its rematch. */
export function useLink(id: () => string, invite: () => void) {
  const route = useRoute()
  const router = useRouter()
  const store = useGame()
  const setup = useSetup()
  const notices = useNotices()
  let shown = ''

  /** The address is shown and shared: a seat does not stay in it. */
  async function takeSeat(game: string, mark: string): Promise<void> {
    try {
      await backend.request('games.sit', { id: game, body: { mark } })
    } catch (error) {
      notices.failed(error)
    }
    await router.replace({ ...route, hash: '' })
  }

  async function open(game: string): Promise<void> {
    if (/^#[01]-/.test(route.hash)) await takeSeat(game, route.hash)
    await store.open(game)
    const link = store.byLink
    if (link === null || link.seat === null || store.game?.id !== game) return
    const { myName } = setup.values
    if (myName && store.game.seats[link.seat]!.isUnnamed && store.game.phase !== 'over') {
      await store.run((one) => backend.request('play.call', { id: one, body: { name: myName } }))
    }
    if (store.game.ply === 0 && shown !== game) await offerLinks(game, link.seat)
  }

  /** Who has just made a game sends its links first. */
  async function offerLinks(game: string, seat: number): Promise<void> {
    shown = game
    const { seats } = await backend.request('games.invitation', { id: game })
    const isAlone = !store.byLink?.here.includes(1 - seat)
    if (seats[1 - seat] && isAlone && !setup.values.invited.includes(game)) invite()
    setup.values.invited = game
  }

  watch([id, () => route.hash], ([game, mark], before) => {
    if (game !== before?.[0] || mark) void open(game)
  }, { immediate: true })

  watch(
    () => [store.game?.id, store.byLink?.next] as const,
    ([game, next], [before, none]) => {
      if (game === before && next && none === null) void router.push({ name: 'play', params: { id: next } })
    },
  )

  return { show: invite }
}
