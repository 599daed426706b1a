import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { backend } from '@/backend'
import { i18n, localText } from '@/app/i18n'
import type { ArenaPlayer } from '@/wire'

/** Players' names in the language of the page: games keep those of the language in which they were begun. */
export const usePlayerNames = defineStore('playerNames', () => {
  const offered = shallowRef<ArenaPlayer[] | null>(null)

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

  /** A name, or a sentence with names. */
  function named(text: string): string {
    return pattern.value ? text.replace(pattern.value, (name) => known.value.get(name)!) : text
  }

  return { load, named }
})
