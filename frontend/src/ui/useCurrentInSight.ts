import { nextTick, type Ref, watch } from 'vue'

/** Keeps the current entry of a list in its middle. Only the list scrolls: scrollIntoView would move a phone's page. */
export function useCurrentInSight(list: Ref<HTMLElement | null>, current: () => unknown): void {
  watch(
    current,
    async () => {
      await nextTick()
      const entry = list.value?.querySelector<HTMLElement>('[aria-current]')
      if (list.value && entry) list.value.scrollTop = entry.offsetTop - list.value.clientHeight / 2
    },
    { immediate: true },
  )
}
