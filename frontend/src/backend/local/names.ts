/** The words that game files use for rules, sizes and results, as `wuzi.records.words` has them. */

import { LIMITS, REASONS } from '@/game/facts'
import type { RecordEnd } from '@/game/tree'
import { FILES } from '@/wasm/generated'
import { RuleError } from '@/wasm/rulebook'
import type { RuleName } from '@/wire'

/** What is assumed where a file does not say it. */
export interface Assumed {
  size?: number
  winLength?: number
  rule?: RuleName
}

const NAMES = new Map(Object.entries<readonly string[]>(FILES.RULE_NAMES).flatMap(([rule, names]) => names.map((name) => [name, rule as RuleName])))

/** The rule that a file's text means, or null. Files add the opening rule behind a sign, as further words or as a number. */
export function ruleNamed(text: string): RuleName | null {
  const head = text.toLowerCase().split(/[(（,，;；:：/|+]/)[0]!
  const words = head.split(/\s+/).filter(Boolean)
  for (const candidate of [head, ...words.map((_, i) => words.slice(0, words.length - 1 - i).join(' '))]) {
    const name = candidate.replace(/[-_\s]/g, '')
    const found = NAMES.get(name) ?? NAMES.get(name.replace(/\d+$/, ''))
    if (name && found) return found
  }
  return FILES.RENJU_BEGINS.some((begin) => head.trim().startsWith(begin)) ? 'renju' : null
}

/** The size of a square board that is played here. */
export function boardSize(text: string, what: string): number {
  const found = /^(\d{1,4})(?:\s*[:x]\s*(\d{1,4}))?$/.exec(text)
  if (!found) throw new RuleError('bad_record', `${what}[${text.slice(0, 20)}]: expected a board size such as 15`)
  const size = Number(found[1])
  if (found[2] && Number(found[2]) !== size) throw new RuleError('bad_record', `${what}[${text}]: wuzi plays square boards only`)
  if (size < LIMITS.minSize || size > LIMITS.maxSize) throw new RuleError('bad_record', `${what}[${text}]: expected ${LIMITS.minSize} to ${LIMITS.maxSize}`)
  return size
}

/** Lower-case texts that say: no result. */
export const UNKNOWN_RESULTS = ['', '?', '*', 'void', 'unfinished', '未完', '未知']
const DRAWS = ['0', 'draw', 'jigo', 'd', '1/2-1/2', '和', '和棋', '平', '平局']
const ENDS: Record<string, string> = {
  ...Object.fromEntries(['r', 'resign', 'resignation', '认输', '中盘'].map((name) => [name, 'resignation'])),
  ...Object.fromEntries(['t', 'time', 'timeout', '超时'].map((name) => [name, 'time'])),
  ...Object.fromEntries(['f', 'forfeit'].map((name) => [name, 'adjudication'])),
}

/** The end that an SGF result means, or null. A win without a reason is a row, a draw a full board: the board decides. */
export function endNamed(text: string): RecordEnd | null {
  const plain = text.trim().replace(/\s+/g, ' ').toLowerCase()
  if (DRAWS.includes(plain)) return { winner: null, reason: 'draw_full' }
  const found = /^(b|w|black|white|黑|白)(?:方|棋)?\s*(?:\+|wins?\b|中盘胜|胜)\s*(.*)$/.exec(plain)
  if (!found) return null
  const reason = plain.includes('中盘') ? 'resignation' : (ENDS[found[2]!.replace(/^[() ]+|[() ]+$/g, '')] ?? 'line')
  return { winner: ['b', 'black', '黑'].includes(found[1]!) ? 'B' : 'W', reason }
}

/** How SGF writes an end. */
export function endText({ winner, reason }: RecordEnd): string {
  if (!winner) return '0'
  return `${winner}+${({ resignation: 'R', time: 'T', crash: 'F', illegal: 'F' } as Record<string, string>)[reason] ?? ''}`
}

/** The reason of that name; an error that lists them for another. */
export function reasonNamed(text: string): string {
  if (!(text in REASONS)) throw new RuleError('bad_record', `end reason ${text.slice(0, 40)}: expected one of ${Object.keys(REASONS).join(', ')}`)
  return text
}
