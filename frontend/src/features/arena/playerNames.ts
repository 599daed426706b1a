import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { backend } from '@/backend'
import { hasText, i18n, localText } from '@/app/i18n'
import type { ArenaPlayerOption } from '@/wire'

/** A player as the command line names it, such as `mcts:preset=s0,simulations=400`, where it stands by itself. */
const SPEC = /(?<![\w:=,.+-])([a-z]+)(?::[a-z_]+=[\w+-]+(?:\.[\w+-]+)*(?:,[a-z_]+=[\w+-]+(?:\.[\w+-]+)*)*)?(?![\w=+-]|:\w)/g

/** Players' names in the language of the page: games keep those of the language in which they were begun. */
export const usePlayerNames = defineStore('playerNames', () => {
  const offered = shallowRef<ArenaPlayerOption[] | null>(null)

  async function load(): Promise<void> {
    if (offered.value) return
    offered.value = []
    offered.value = await backend.request('arenas.players').catch(() => null)
  }

  const known = computed(() => new Map((offered.value ?? []).flatMap(({ name }) => [name.en, name.zh].map((one) => [one, localText(name, i18n.global.locale.value)] as const))))
  /** Longer names first: one may be the beginning of another. */
  const pattern = computed(() => {
    const names = [...known.value.keys()].sort((a, b) => b.length - a.length)
    return names.length ? new RegExp(names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g') : null
  })

  /** A name, or a sentence with names; specs, which are English, stand beside the names of their kinds on a page in another language. */
  function named(text: string): string {
    const found = pattern.value ? text.replace(pattern.value, (name) => known.value.get(name)!) : text
    const { t, locale } = i18n.global
    const beside = (spec: string, kind: string): string => (hasText(`arena.kinds.${kind}`) ? t('arena.named', { kind: t(`arena.kinds.${kind}`), spec }) : spec)
    return locale.value === 'en' ? found : found.replace(SPEC, beside)
  }

  return { load, named }
})
