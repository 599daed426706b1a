import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { i18n, setLocale } from '@/app/i18n'
import { ROUTES } from '@/wire'

type Tree = { [key: string]: string | Tree }

const folder = join(import.meta.dirname, '../src')

/** All texts of a language: those of the first load, and those of screens that come later. */
function texts(locale: string): Tree {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(`${locale}.json`))
    .sort()
  expect(names.length).toBeGreaterThan(1)
  const parts = names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Tree)
  const sections = parts.flatMap((part) => Object.keys(part))
  expect(new Set(sections).size).toBe(sections.length)
  return Object.assign({}, ...parts) as Tree
}

const en = texts('en')
const zhCN = texts('zh-CN')

function flatten(tree: Tree, prefix = ''): Map<string, string> {
  const all = new Map<string, string>()
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') all.set(prefix + key, value)
    else for (const [inner, text] of flatten(value, `${prefix}${key}.`)) all.set(inner, text)
  }
  return all
}

const catalogues = { en: flatten(en), 'zh-CN': flatten(zhCN) }
const placeholders = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sources(path)
    return /\.(vue|ts)$/.test(entry.name) ? [readFileSync(path, 'utf8')] : []
  })
}

describe('the two catalogues', () => {
  it('have the same keys', () => {
    expect([...catalogues['zh-CN'].keys()]).toEqual([...catalogues.en.keys()])
  })

  it('have no empty text', () => {
    for (const catalogue of Object.values(catalogues)) {
      expect([...catalogue].filter(([, text]) => !text.trim()).map(([key]) => key)).toEqual([])
    }
  })

  it('have the same placeholders', () => {
    const differing = [...catalogues.en].filter(
      ([key, text]) => placeholders(text).join() !== placeholders(catalogues['zh-CN'].get(key) ?? '').join(),
    )
    expect(differing.map(([key]) => key)).toEqual([])
  })

  it('say no more than {names} and forms by number', () => {
    const all = Object.values(catalogues).flatMap((catalogue) => [...catalogue.values()])
    const plain = all.map((text) => text.replace(/\{[a-z]\w*\}/gi, '').replaceAll(' | ', ''))
    expect(plain.filter((text) => /[{}|]|@[:.]/.test(text))).toEqual([])
  })

  it('are filled in', async () => {
    await setLocale('en')
    const { t } = i18n.global
    i18n.global.mergeLocaleMessage('en', { test: { two: '{n} game | {n} games', three: 'none | {n} | {n}, {name}' } })
    expect([t('test.two', 1), t('test.two', 2), t('test.three', 0)]).toEqual(['1 game', '2 games', 'none'])
    expect(t('test.three', { n: 12, name: '$&' }, 12)).toBe('12, $&')
    expect(t('rules.summary', { size: 15, win: 5, rule: 'renju' })).toContain('15')
  })

  it('are written in their own language', () => {
    const chinese = /\p{Script=Han}/u
    const misplaced = [...catalogues.en].filter(([, text]) => chinese.test(text)).map(([key]) => key)
    expect(misplaced).toEqual(['settings.locale.zh-CN'])
    const names = /\.(sgf|psq|rec|json|caro|renju|en|kl)(\.name)?$/
    const untranslated = [...catalogues['zh-CN']].filter(
      ([key, text]) => !chinese.test(text) && /[a-z]{3}/i.test(text.replace(/\{\w+\}/g, '')) && !names.test(key),
    )
    expect(untranslated.map(([key]) => key)).toEqual([])
  })
})

describe('the texts of a feature', () => {
  const features = join(import.meta.dirname, '../src/features')
  const sectionsOf = (path: string): string[] => (existsSync(path) ? Object.keys(JSON.parse(readFileSync(path, 'utf8')) as Tree) : [])
  const common = new Set(sectionsOf(join(import.meta.dirname, '../src/app/texts.en.json')))
  /** Screens that load another feature's texts, too. */
  const BORROWED: Record<string, string[]> = { analysis: ['proof'], openings: ['proof'], play: ['proof'], puzzles: ['review'] }

  it.each(readdirSync(features))('%s are its own and the common ones', (name) => {
    const own = [name, ...(BORROWED[name] ?? [])].flatMap((one) => sectionsOf(join(features, one, 'texts.en.json')))
    const code = sources(join(features, name)).join('\n')
    const used = [...code.matchAll(/['`]([a-z]\w*)\.[\w$]/g)].map((match) => match[1]!).filter((section) => section in en)
    const routes = new Set(Object.keys(ROUTES).map((route) => route.split('.')[0]!))
    expect([...new Set(used)].filter((section) => !common.has(section) && !own.includes(section) && !routes.has(section))).toEqual([])
  })
})

describe('the keys in the source', () => {
  const own = readFileSync(join(import.meta.dirname, '../src/wire/own.ts'), 'utf8')
  const code = sources(join(import.meta.dirname, '../src')).join('\n')
  const literal = [...code.matchAll(/'([a-z]\w*(?:\.[\w-]+)+)'/g)].map((match) => match[1]!).filter((key) => !(key in ROUTES) && !own.includes(`'${key}': {`))
  const sections = new Set(Object.keys(en))

  it('all exist', () => {
    const used = literal.filter((key) => sections.has(key.split('.')[0]!))
    expect(used.length).toBeGreaterThan(100)
    expect([...new Set(used)].filter((key) => !catalogues.en.has(key))).toEqual([])
  })

  it('use every section', () => {
    const templates = [...code.matchAll(/`([a-z]\w*)\.[^`]*\$\{/g)].map((match) => match[1]!)
    const used = new Set([...literal.map((key) => key.split('.')[0]!), ...templates])
    used.add('details') // read as a whole
    expect([...sections].filter((section) => !used.has(section))).toEqual([])
  })
})
