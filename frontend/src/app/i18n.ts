import type { LocalText } from '@/wire'
import { createI18n } from 'vue-i18n'
import type en from '@/app/texts/en.json'

export type Locale = 'en' | 'zh-CN'
type Texts = typeof en

/** Only the language that is read is loaded. */
const CATALOGUES: Record<Locale, () => Promise<{ default: Texts }>> = {
  en: () => import('@/app/texts/en.json'),
  'zh-CN': () => import('@/app/texts/zh-CN.json'),
}

export const i18n = createI18n<[Texts], Locale, false>({ legacy: false, locale: 'en', messages: {} as Record<Locale, Texts> })

let wanted: Locale | null = null
const loaded = new Set<Locale>()

/** Adds the texts of a screen that is loaded when it is first shown. */
export function addTexts(texts: Record<Locale, object>): void {
  for (const [locale, own] of Object.entries(texts)) i18n.global.mergeLocaleMessage(locale, own)
}

/** Switches every text of the page, and tells the browser which language it reads. */
export async function setLocale(locale: Locale): Promise<void> {
  wanted = locale
  if (!loaded.has(locale)) {
    // Screens that were shown before have added texts of their own in every language: they stay.
    i18n.global.mergeLocaleMessage(locale, (await CATALOGUES[locale]()).default)
    loaded.add(locale)
  }
  if (wanted !== locale) return
  i18n.global.locale.value = locale
  document.documentElement.lang = locale
}

/** The server's bilingual text in the language of the page. */
export function localText(text: LocalText, locale: string): string {
  return locale.startsWith('zh') ? text.zh : text.en
}
