import { flushPromises, mount, type VueWrapper } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import type { Component } from 'vue'
import { createMemoryHistory, type Router } from 'vue-router'
import { i18n, setLocale, type Locale } from '@/app/i18n'
import { makeRouter } from '@/app/router'

/** Mounts a real component with real stores, router and texts. */
export async function mountPage(
  component: Component,
  props: Record<string, unknown> = {},
  options: { locale?: Locale; path?: string } = {},
): Promise<{ page: VueWrapper; router: Router }> {
  const pinia = createPinia()
  setActivePinia(pinia)
  await setLocale(options.locale ?? 'en')
  const router = makeRouter(createMemoryHistory())
  await router.push(options.path ?? '/')
  const page = mount(component, { props, global: { plugins: [pinia, i18n, router] }, attachTo: document.body })
  await flushPromises()
  return { page, router }
}
