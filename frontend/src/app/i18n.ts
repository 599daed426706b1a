import { createI18n, type MessageContext } from 'petite-vue-i18n'
import type { LocalText } from '@/wire'
import type en from './texts.en.json'
import { inOther } from '@/ui/details/details'

export type Locale = 'en' | 'zh-CN'
type Texts = typeof en

/** The texts of a part of the page in one language: a file each, loaded when it is first read. */
const FILES = import.meta.glob<Texts>('../**/texts.*.json', { import: 'default' })
/** What the server says in English; read in both languages where it is to be said in another. */
const DETAILS = '../ui/details'
/** The folders that have texts of their own, from here. */
export const PARTS = ['.', DETAILS, ...['analysis', 'arena', 'help', 'learn', 'openings', 'play', 'proof', 'puzzles', 'review', 'training'].map((name) => `../features/${name}`)]

/** Texts know {names}, and forms by number between bars: no more, so that the page carries no compiler of texts. */
function messageCompiler(text: unknown) {
  const forms = String(text).split(' | ')
  return ({ plural, named }: MessageContext<string>) =>
    (forms.length > 1 ? plural(forms) : forms[0]!).replace(/\{(\w+)\}/g, (_, name: string) => String(named(name) ?? ''))
}

/** The text at a path such as `game.resign`; null where there is none. */
function messageResolver(texts: unknown, path: string) {
  const found = path.split('.').reduce<unknown>((level, name) => (level as Record<string, unknown> | null | undefined)?.[name], texts)
  return (found as string | undefined) ?? null
}

export const i18n = createI18n<[Texts], Locale, false>({
  legacy: false,
  locale: 'en',
  messages: {} as Record<Locale, Texts>,
  messageCompiler,
  messageResolver,
})

let wanted: Locale = 'en'
/** The parts that have been shown. */
const needed = new Set(['.'])
const loaded = new Set<string>()

async function loadInto(locale: Locale, parts: Iterable<string> = needed): Promise<void> {
  await Promise.all(
    [...parts].map(async (part) => {
      const name = `${part}/texts.${locale}.json`
      if (loaded.has(name)) return
      const texts = await FILES[name]!()
      loaded.add(name)
      i18n.global.mergeLocaleMessage(locale, texts)
    }),
  )
}

/** Makes the texts of a feature ready, in this language and in each that is read later. */
export async function needTexts(part: string): Promise<void> {
  needed.add(part)
  await loadInto(wanted)
}

/** Switches every text of the page, and tells the browser which language it reads. */
export async function setLocale(locale: Locale): Promise<void> {
  wanted = locale
  await loadInto(locale)
  if (wanted !== locale) return
  i18n.global.locale.value = locale
  document.documentElement.lang = locale
}

/** Whether the language of the page has a text there. */
export function hasText(path: string): boolean {
  return messageResolver(i18n.global.messages.value[i18n.global.locale.value], path) !== null
}

const formats = new Map<string, Intl.NumberFormat>()

/** A number as the language of the page writes it. */
export function numberText(value: number, options?: Intl.NumberFormatOptions): string {
  const locale = i18n.global.locale.value
  const key = locale + JSON.stringify(options)
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(locale, options))
  return formats.get(key)!.format(value)
}

/** The server's bilingual text in the language of the page. */
export function localText(text: LocalText, locale: string): string {
  return locale.startsWith('zh') ? text.zh : text.en
}

/** Makes `detailText` ready where the page speaks another language than the server; without it that is shown in English. */
export async function needDetails(): Promise<void> {
  if (wanted === 'en') return
  await Promise.all((['en', wanted] as const).map((each) => loadInto(each, [DETAILS]))).catch(() => undefined)
}

/** What the server or a reader of files says in English, in the language of the page; null where we cannot say it. */
export function detailText(detail: string, locale: string): string | null {
  const { en, [locale as Locale]: own } = i18n.global.messages.value as Partial<Record<Locale, { details?: Record<string, string> }>>
  if (en?.details && own?.details && en !== own) return inOther(detail, en.details, own.details)
  void needDetails() // then what shows this is rendered again
  return null
}
