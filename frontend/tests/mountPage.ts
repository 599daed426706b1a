import { flushPromises, mount, type VueWrapper } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import type { Component } from 'vue'
import { createMemoryHistory, type Router } from 'vue-router'
import { i18n, needTexts, PARTS, setLocale, type Locale } from '@/app/i18n'
import { makeRouter } from '@/app/router'

/** The texts of all screens, for what is mounted without its route. */
export async function allTexts(locale: Locale = 'en'): Promise<void> {
  await setLocale(locale)
  await Promise.all(PARTS.map(needTexts))
}

/** Mounts a real component with real stores, router and texts. */
export async function mountPage(
  component: Component,
  props: Record<string, unknown> = {},
  options: { locale?: Locale; path?: string } = {},
): Promise<{ page: VueWrapper; router: Router }> {
  const pinia = createPinia()
  setActivePinia(pinia)
  await allTexts(options.locale)
  const router = makeRouter(createMemoryHistory())
  await router.push(options.path ?? '/')
  const page = mount(component, { props, global: { plugins: [pinia, i18n, router] }, attachTo: document.body })
  await flushPromises()
  return { page, router }
}
