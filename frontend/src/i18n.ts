import { createI18n } from 'vue-i18n'
import type { LocalText } from '@/api/types'
import en from './locales/en.json'
import zhCN from './locales/zh-CN.json'

export type Locale = 'en' | 'zh-CN'

export const i18n = createI18n({
  legacy: false,
  locale: 'en' as Locale,
  fallbackLocale: 'en',
  messages: { en, 'zh-CN': zhCN },
})

/** Switches every text of the page, and tells the browser which language it reads. */
export function setLocale(locale: Locale): void {
  i18n.global.locale.value = locale
  document.documentElement.lang = locale
}

/** The server's bilingual text in the language of the page. */
export function localText(text: LocalText, locale: string): string {
  return locale.startsWith('zh') ? text.zh : text.en
}
