import { nextTick, onUnmounted, type Ref, watch } from 'vue'

/** Keeps the current entry of a list in its middle, also when the list gets another height. Only the list scrolls: scrollIntoView would move a phone's page. */
export function useCurrentInSight(list: Ref<HTMLElement | null>, current: () => unknown): void {
  function show(): void {
    const entry = list.value?.querySelector<HTMLElement>('[aria-current]')
    if (list.value && entry) list.value.scrollTop = entry.offsetTop - list.value.clientHeight / 2
  }
  const resizes = new ResizeObserver(show)
  watch(current, () => void nextTick(show), { immediate: true })
  watch(list, (element, before) => {
    if (before) resizes.unobserve(before)
    if (element) resizes.observe(element)
  })
  onUnmounted(() => resizes.disconnect())
}
