/**
 * What the server and the readers of files say, in Chinese.
 *
 * They speak English in sentences of fixed form. The English texts of this folder are those forms, each with names for
 * what varies; a sentence of that form is said in the other language with the same values, which may be sentences again
 * ("line 3: move 5: h8 is occupied").
 */

type Texts = Record<string, string>

/** Longer sentences are none of ours. */
const LONGEST = 600
/** What is quoted may be anything. */
const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]/g
/** Two English words in a row, or a colon: a sentence, and no value. */
const IS_SENTENCE = /[a-z]{2,} [a-z]{2,}|: |, column /i

const patterns = new Map<string, RegExp>()

/** The form as a pattern; a name that comes again has the same value again. */
function patternOf(form: string): RegExp {
  const known = patterns.get(form)
  if (known) return known
  const names = new Set<string>()
  const source = form.split(/\{(\w+)\}/).map((part, i) => {
    if (i % 2 === 0) return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    const isNew = !names.has(part)
    names.add(part)
    return isNew ? `(?<${part}>.+?)` : `\\k<${part}>`
  })
  const made = new RegExp(`^${source.join('')}$`, 's')
  patterns.set(form, made)
  return made
}

/** The sentence in the other language; null where it, or a sentence within it, has no form that we know. */
export function inOther(text: string, forms: Texts, texts: Texts): string | null {
  if (text.length > LONGEST) return null
  for (const [key, form] of Object.entries(forms)) {
    const found = patternOf(form).exec(text)
    if (!found) continue
    const values = Object.entries(found.groups ?? {}).map(([name, value]) => [name, inOther(value, forms, texts)] as const)
    if (values.some(([, value]) => value === null)) continue
    const said = Object.fromEntries(values)
    return texts[key]!.replace(/\{(\w+)\}/g, (_, name: string) => said[name]!)
  }
  return IS_SENTENCE.test(text.replace(QUOTED, '')) ? null : text
}
