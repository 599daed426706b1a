/**
 * From the bytes of a game file to text, as `wuzi.records.formats.charset` does it: a byte order mark, the charset
 * that somebody chose, UTF-8, the charset that an SGF game names, else a guess. A text is cut at the brackets that close
 * a value, since the second byte of a character may be a bracket: the moves behind a comment are always there.
 */

import { FILES } from '@/wasm/generated'
import { RuleError } from '@/wasm/rulebook'

/** The charsets that may be chosen, by the names that browsers give them. */
export const CHARSETS = Object.keys(FILES.CHARSETS)

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '')
const LOOKUP = new Map(Object.entries<readonly string[]>(FILES.CHARSETS).flatMap(([name, more]) => [name, ...more].map((one) => [plain(one), name])))
/** Characters of several bytes; each byte is a character of these patterns. */
const WIDE: Record<string, string> = {
  gb18030: '[\\x81-\\xfe](?:[\\x30-\\x39][\\x81-\\xfe][\\x30-\\x39]|[\\x40-\\x7e\\x80-\\xfe])',
  big5: '[\\x81-\\xfe][\\x40-\\x7e\\xa1-\\xfe]',
  shift_jis: '[\\x81-\\x9f\\xe0-\\xfc][\\x40-\\x7e\\x80-\\xfc]',
  'euc-jp': '\\x8f[\\xa1-\\xfe]{2}|[\\x8e\\xa1-\\xfe][\\xa1-\\xfe]',
  'euc-kr': '[\\x81-\\xfe][\\x41-\\x5a\\x61-\\x7a\\x81-\\xfe]',
}
/** What follows the bracket that closes a value. */
const CLOSES = /\s*(?:[A-Za-z]+\s*\[|\[|[;(]\s*(?:[A-Za-z]+\s*\[|[;()])|\)\s*(?:[;()]|$))/y
const GAME = /\(\s*;(?=\s*[A-Za-z]+\s*\[)/g
const SAMPLE = 6000
/** Of a first node that are looked at. */
const ROOT_BYTES = 1000
const LOST = '\ufffd'

export const findCharset = (name: string): string | null => LOOKUP.get(plain(name)) ?? null

interface Decoded {
  text: string
  warnings: string[]
}

/** The bytes as a text with one character a byte. */
function binaryOf(data: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < data.length; at += 1 << 14) parts.push(String.fromCharCode(...data.subarray(at, at + (1 << 14))))
  return parts.join('')
}

// eslint-disable-next-line no-control-regex
const isAscii = (binary: string): boolean => /^[\x00-\x7f]*$/.test(binary)
const decoded = (binary: string, charset: string): string =>
  isAscii(binary) ? binary : new TextDecoder(charset, { ignoreBOM: true }).decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)))

/** The text of a file, and what had to be guessed or cannot be read. */
export function decode(data: Uint8Array, charset?: string | null): Decoded {
  const known = charset ? findCharset(charset) : null
  if (charset && !known) throw new RuleError('bad_record', `unknown charset ${charset.slice(0, 40)}: expected one of ${CHARSETS.join(', ')}`)
  const binary = binaryOf(data)
  const mark = ([['\xef\xbb\xbf', 'utf-8'], ['\xff\xfe', 'utf-16le'], ['\xfe\xff', 'utf-16be']] as const).find(([bytes]) => binary.startsWith(bytes))
  if (mark) return noted(decoded(binary.slice(mark[0].length) || ' ', mark[1]), mark[1])
  const wide = known ? null : utf16(binary)
  if (wide) return noted(new TextDecoder(wide).decode(data), wide)
  if (known) return noted(decodeAs(binary, known), known)
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data)
    return meansUtf8(binary, text) ? { text, warnings: [] } : byGames(binary, '')
  } catch {
    return byGames(binary, 'the text is not UTF-8: ')
  }
}

/** The text of a file for a request that takes only text: a library of RenLib has one character a byte. */
export async function textOfFile(file: File): Promise<string> {
  const data = new Uint8Array(await file.arrayBuffer())
  return binaryOf(data.subarray(0, 8)) === '\xffRenLib\xff' ? binaryOf(data) : decode(data).text
}

/** The text in that charset, with replacement characters; no bracket that closes a value is swallowed. */
function decodeAs(binary: string, charset: string): string {
  return cut(binary, charset).map((piece) => decoded(piece, charset)).join(']')
}

/** The pieces between the brackets that close values. */
function cut(binary: string, charset: string): string[] {
  if (!['gb18030', 'big5', 'shift_jis'].includes(charset)) return binary.split(']')
  const pieces: string[] = []
  let start = 0
  for (const found of binary.matchAll(new RegExp(`${WIDE[charset]}|\\]`, 'g'))) {
    const end = found.index + found[0].length - 1
    if (binary[end] !== ']') continue
    CLOSES.lastIndex = end + 1
    if (found[0].length > 1 && !CLOSES.test(binary)) continue
    pieces.push(binary.slice(start, end))
    start = end + 1
  }
  return [...pieces, binary.slice(start)]
}

/** By the charset that each game of an SGF file names, else by a guess for all of it. */
function byGames(binary: string, reason: string): Decoded {
  const warnings: string[] = []
  let guessed = ''
  const texts = gamesOf(binary).map((part) => {
    const name = namedIn(part)
    let charset = name ? findCharset(name) : null
    if (charset === 'utf-8' && isHardlyUtf8(part)) {
      warnings.push(`CA[${name}] is wrong`)
      charset = null
    } else if (name && !charset) warnings.push(`CA[${name}] is no known charset`)
    let used = charset ?? 'utf-8'
    if (!charset && !isAscii(part)) {
      guessed ||= guess(binary)
      used = guessed
      warnings.push(`${reason}read as ${used} by its looks; say the charset if texts look wrong`)
    } else if (charset && charset !== 'utf-8') warnings.push(`${reason}read as ${charset}`)
    const found = noted(decodeAs(part, used), used)
    warnings.push(...found.warnings)
    return found.text
  })
  return { text: texts.join(''), warnings: [...new Set(warnings)] }
}

/** Whether more than a few bytes are no UTF-8, and more than characters are. */
function isHardlyUtf8(binary: string): boolean {
  const text = decodeAs(binary, 'utf-8')
  const lost = text.split(LOST).length - 1
  return lost > Math.max(3, (text.match(/[^\0-\x7f]/gu)?.length ?? 0) - lost)
}

function gamesOf(binary: string): string[] {
  const starts = [...binary.matchAll(GAME)].map(({ index }) => index).filter((at) => namedIn(binary, at))
  const bounds = [0, ...starts, binary.length]
  return starts.length ? bounds.slice(1).map((end, i) => binary.slice(bounds[i], end)).filter(Boolean) : [binary]
}

/** The charset that the first node of an SGF game names, as it stands there. */
function namedIn(binary: string, at = 0): string | null {
  GAME.lastIndex = at
  const start = GAME.exec(binary)
  if (!start) return null
  const root = binary.slice(GAME.lastIndex - 1, GAME.lastIndex + ROOT_BYTES)
  const end = root.search(/\]\s*(?:[;()]|$)/)
  return /[;\]\s]CA\s*\[\s*([^\]\s]{1,40})\s*\]/.exec(end < 0 ? root : root.slice(0, end + 1))?.[1] ?? null
}

/** Whether valid UTF-8 is meant so: a few characters of two bytes may be those of another charset. */
function meansUtf8(binary: string, text: string): boolean {
  if (/^[\0-\x7f]*$/.test(text) || /[^\0-\u07ff]/.test(text)) return true
  const charset = findCharset(namedIn(binary) ?? '')
  return !charset || !(charset in WIDE) || decodeAs(binary, charset).includes(LOST)
}

/** UTF-16 without a mark: two ASCII characters with zeros between them (RenLib may begin with x and 0). */
function utf16(binary: string): string | null {
  if (binary.length < 4 || binary.length % 2 || binary.startsWith('x\0')) return null
  return /^[ -~]\0[ -~]\0/.test(binary) ? 'utf-16le' : /^\0[ -~]\0[ -~]/.test(binary) ? 'utf-16be' : null
}

function noted(text: string, charset: string): Decoded {
  const lost = text.split(LOST).length - 1
  return { text, warnings: lost ? [`${lost} character(s) cannot be read as ${charset}: replaced by ${LOST}`] : [] }
}

/** The charset that reads a text best; windows-1252, the usual charset of SGF, where none does. */
export function guess(binary: string): string {
  const lines = binary.match(/[^\n]*\n?/g)!.filter((line) => !isAscii(line))
  const sample = lines.join('').slice(0, SAMPLE)
  const valid = sample.match(/[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}/g)?.length ?? 0
  if (valid > 2 && (decoded(sample, 'utf-8').split(LOST).length - 1) * 4 <= valid) return 'utf-8'
  const scores = [...Object.keys(WIDE).map((name) => [name, scoreWide(sample, name)] as const), ...Object.keys(FILES.LETTERS).map((name) => [name, scoreLetters(sample, name)] as const)]
  const [name, best] = scores.reduce((one, two) => (two[1] > one[1] ? two : one))
  return best > 0 ? name : 'windows-1252'
}

/** How well an East Asian charset reads a text: the mean over its characters that are not ASCII. */
function scoreWide(sample: string, name: string): number {
  const kinds = cut(sample, name).flatMap((piece) =>
    (piece.match(new RegExp(`${WIDE[name]}|[\\x80-\\xff]`, 'g')) ?? []).map((bytes) => worth(bytes, decoded(bytes, name), name)),
  )
  return kinds.reduce((sum, one) => sum + one, 0) / kinds.length
}

const FREQUENT: Partial<Record<string, string>> = FILES.FREQUENT
/** The first bytes of a charset's common characters; those of Shift-JIS and EUC-JP are level 1 of the Japanese standard. */
const COMMON: Record<string, RegExp> = {
  gb18030: /^[\xb0-\xd7][\xa1-\xfe]$/,
  big5: /^[\xa4-\xc6]./,
  shift_jis: /^(?:\x88[\x9f-\xfc]|[\x89-\x97].|\x98[\x40-\x72])$/,
  'euc-jp': /^[\xb0-\xcf]./,
  'euc-kr': /^[\xb0-\xc8][\xa1-\xfe]$/,
}

/** How usual a character is in texts of that charset. */
function worth(bytes: string, char: string, name: string): number {
  if (char.includes(LOST)) return -6
  if (/[\u3000-\u3020\uff01-\uff5e“”‘’…—·]/.test(char)) return 0.5
  if (FREQUENT[name]?.includes(char)) return 3
  const isKana = /[\u3041-\u30fe]/.test(char)
  const isCommon = COMMON[name]!.test(bytes)
  if (name === 'shift_jis' || name === 'euc-jp') return isKana || FREQUENT.shift_jis!.includes(char) ? 2 : isCommon ? 1 : -1.5
  return isKana ? -2 : isCommon ? 1 : -1
}

/** How well a charset of single bytes reads a text. */
function scoreLetters(sample: string, name: string): number {
  let [total, count] = [0, 0]
  const rest = decoded(sample, name).replace(/\p{L}+/gu, (word) => {
    const foreign = word.match(/[^\0-\x7f]/g)?.length ?? 0
    count += foreign
    if (foreign) total += scoreWord(word, name)
    return 'a'.repeat(word.length)
  })
  for (const { 0: char, index } of rest.matchAll(/[^\0-\x7f]/g)) {
    const isBeside = rest[index - 1] === 'a' && rest[index + 1] === 'a'
    count++
    total += '«»„“”‘’–—…•·°§№\u00a0\u00ad€¿¡´'.includes(char) && !isBeside ? 0.3 : -2
  }
  return total / count
}

/** How usual the letters of a word are that are not ASCII, all together. */
function scoreWord(word: string, name: string): number {
  const foreign = word.match(/[^\0-\x7f]/g)!
  const isCased = word.slice(1) === word.slice(1).toLowerCase() || word === word.toUpperCase()
  const isCyrillic = name !== 'windows-1250' && name !== 'windows-1252'
  const isMixed = isCyrillic ? foreign.length < word.length : foreign.length * 2 > Math.max(word.length, 3)
  if (!isCased || isMixed) return -2 * foreign.length
  const letters = [...FILES.LETTERS[name as keyof typeof FILES.LETTERS]]
  return foreign.reduce((sum, char) => {
    const rank = letters.indexOf(char.toLowerCase())
    return sum + (rank < 0 ? -1 : 2 - rank / letters.length)
  }, 0)
}
