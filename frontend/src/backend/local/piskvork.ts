/** Piskvork's psq and Gomotur's rec, as `wuzi.records.formats.piskvork` has them. */

import { LIMITS } from '@/game/facts'
import { addNode, at, newTree, type RecordEnd, ROOT } from '@/game/tree'
import type { RuleName } from '@/wire'
import { type Assumed, reasonNamed, ruleNamed } from './names'
import { bad, type GameFile, settle } from './replay'

const HUMANS = ['homo-1', 'homo-2']
const REC_SIZE = 20
const MOVE = /^\s*(\d{1,4})\s*,\s*(\d{1,4})\s*(?:,\s*(-?\d{1,12}(?:\.\d{0,9})?)\s*)?$/
const LIKE_MOVE = /^\s*-?\d+\s*,\s*-?\d+\s*(?:,.*)?$/
const KEYS = ['win_length', 'size', 'reason']
const BOARD_REASONS = ['line', 'draw_full', 'forbidden']
const CODES: Record<string, number> = { time: 15, crash: 3, illegal: 7 }
const ENDS: Record<string, string | null> = { 0: null, '-1': null, 7: 'illegal', 9: 'time', 15: 'time' }
/** Managers call a draw when this many cells, or fewer, are left. */
const ALMOST_FULL = 25

interface Stone {
  line: number
  x: number
  y: number
  timeMs: number | null
}
interface Trailer {
  winner: string
  rule: RuleName | null
  values: Record<string, string>
}

const linesOf = (text: string): string[] => text.trimEnd().split(/\r\n|\r|\n/).map((line) => line.trim())

function stonesIn(lines: string[], from: number): { stones: Stone[]; rest: string[] } {
  const stones: Stone[] = []
  let i = from
  for (; i < lines.length && (!lines[i] || MOVE.test(lines[i]!)); i++) {
    const found = MOVE.exec(lines[i]!)
    if (!found) continue
    const timeMs = Math.floor(Number(found[3] ?? 0) + 0.5)
    stones.push({ line: i + 1, x: Number(found[1]), y: Number(found[2]), timeMs: timeMs > 0 ? timeMs : null })
  }
  if (lines.slice(i).some((line) => LIKE_MOVE.test(line))) throw bad(`line ${i + 1}: '${lines[i]!.slice(0, 40)}' among the moves: expected '8,8,120'`)
  return { stones, rest: lines.slice(i).filter(Boolean) }
}

/** Takes the line that names winner and rule off the end, if it is there. */
function trailerOf(rest: string[]): Trailer | null {
  const parts = (rest.at(-1) ?? '').split(',').map((part) => part.trim())
  if (parts.length < 2 || !['0', '1', '2', '?'].includes(parts[0]!) || !/\p{L}/u.test(parts[1]!)) return null
  rest.pop()
  const values: Record<string, string> = {}
  for (const part of parts.slice(2)) {
    const [key, value] = [part.split('=')[0]!, part.slice(part.indexOf('=') + 1)]
    if (!KEYS.includes(key) || !part.includes('=') || !value) throw bad(`last line: unknown field ${part.slice(0, 40)}, expected one of ${KEYS.join(', ')}`)
    values[key] = value
  }
  return { winner: parts[0]!, rule: ruleNamed(parts[1]!), values }
}

function numberIn(text: string, what: string): number {
  if (!/^\d{1,4}$/.test(text)) throw bad(`${what} ${text.slice(0, 20)}: expected a whole number`)
  return Number(text)
}

function endOf(code: number | null, trailer: Trailer | null, moves: number, size: number): RecordEnd | null {
  let reason = code === null ? null : code in ENDS ? ENDS[code]! : 'crash'
  if (trailer?.values.reason) reason = reasonNamed(trailer.values.reason)
  if (trailer && trailer.winner !== '?') {
    const winner = ({ 1: 'B', 2: 'W' } as const)[trailer.winner as '1'] ?? null
    return { winner, reason: reason ?? (winner ? 'line' : 'draw_full') }
  }
  if (reason) return { winner: moves % 2 ? 'B' : 'W', reason }
  return code === 0 && moves >= size * size - ALMOST_FULL && moves > ALMOST_FULL ? { winner: null, reason: 'adjudication' } : null
}

function made(size: number, origin: number, found: { stones: Stone[]; trailer: Trailer | null; names: string[]; end: RecordEnd | null; warnings: string[] }, assumed: Assumed): GameFile {
  const { stones, trailer, names, end, warnings } = found
  if (!trailer?.rule) warnings.unshift(`the file names no rule: read as ${assumed.rule ?? 'freestyle'}`)
  const length = trailer?.values.win_length
  const winLength = length ? numberIn(length, 'win_length') : trailer ? 5 : Math.min(assumed.winLength ?? 5, size)
  const tree = newTree({ size, winLength, rule: trailer?.rule ?? assumed.rule ?? 'freestyle' })
  const [black, white] = names
  tree.players = { black: black!, white: white! }
  let node = ROOT
  stones.forEach(({ line, x, y, timeMs }, ply) => {
    const [col, row] = [x - origin, y - origin]
    if (col < 0 || col >= size || row < 0 || row >= size) throw bad(`line ${line}: ${x},${y} is off the ${size}x${size} board: expected ${origin} to ${size - 1 + origin}`)
    node = addNode(tree, node, { move: row * size + col, color: ply % 2 ? 'W' : 'B', extra: timeMs ? { time_ms: timeMs } : {} })
  })
  return settle({ tree, date: '', end, opening: 'free', actions: null, headers: {}, warnings })
}

const nameless = (names: string[]): string[] => names.map((name, i) => (name === HUMANS[i] ? '' : name))

export function readPsq(text: string, assumed: Assumed = {}): GameFile {
  const lines = linesOf(text)
  const header = /^Piskvorky\s+(\d{1,4})\s*x\s*(\d{1,4})(?:\s*,\s*-?\d+\s*:\s*-?\d+\s*,\s*([01]))?\s*$/i.exec(lines[0] ?? '')
  if (!header) throw bad(`line 1: '${lines[0]!.slice(0, 40)}', expected a line such as 'Piskvorky 15x15, 0:0, 0'`)
  const size = Number(header[1])
  if (header[1] !== header[2] || size < LIMITS.minSize || size > LIMITS.maxSize) throw bad(`line 1: a ${header[1]}x${header[2]} board, expected a square of ${LIMITS.minSize} to ${LIMITS.maxSize}`)
  const { stones, rest } = stonesIn(lines, 1)
  const trailer = trailerOf(rest)
  const warnings: string[] = []
  const code = rest.length && rest.length !== 2 && /^-?\d{1,6}$/.test(rest.at(-1)!) ? Number(rest.pop()) : null
  if (rest.length && rest.length !== 2) warnings.push(`${rest.length} lines after the moves: expected two names, or none, and a code`)
  const names = nameless([rest[0] ?? '', rest[1] ?? ''])
  if (header[3] === '1') names.reverse()
  return made(size, 1, { stones, trailer, names, end: endOf(code, trailer, stones.length, size), warnings }, assumed)
}

export function readRec(text: string, assumed: Assumed = {}): GameFile {
  const lines = linesOf(text)
  if (lines.length < 2) throw bad(`line ${lines.length + 1}: the file ends, expected a player's name`)
  const { stones, rest } = stonesIn(lines, 2)
  const trailer = trailerOf(rest)
  const told = trailer?.values.size
  const size = told ? numberIn(told, 'size') : trailer ? REC_SIZE : (assumed.size ?? REC_SIZE)
  const code = /^-?\d{1,6}$/.test(rest[0] ?? '') ? Number(rest.shift()) : null
  const warnings = trailer || assumed.size ? [] : [`rec files do not say the board size: read as ${size}x${size}`]
  if (!stones.length && code === null) throw bad("line 3: expected a move such as '7,7,120'")
  if (rest.length) warnings.push(`ignored after the moves: '${rest[0]!.slice(0, 40)}'`)
  return made(size, 0, { stones, trailer, names: nameless(lines.slice(0, 2)), end: endOf(code, trailer, stones.length, size), warnings }, assumed)
}

function moveLines({ tree }: GameFile, nodes: number[], origin: number): string[] {
  const { size } = tree.rules
  return nodes.map((id) => {
    const { move, extra } = at(tree, id)
    return `${(move! % size) + origin},${Math.floor(move! / size) + origin},${typeof extra.time_ms === 'number' ? extra.time_ms : 0}`
  })
}

function lastLines({ tree, end }: GameFile, usualSize: number | null): string[] {
  const { size, winLength, rule } = tree.rules
  const winner = end ? ({ B: '1', W: '2' } as const)[end.winner as 'B'] ?? '0' : '?'
  const isOpen = !end || ['resignation', 'agreement', 'adjudication'].includes(end.reason)
  const more = [
    ...(winLength === 5 ? [] : [`win_length=${winLength}`]),
    ...(usualSize === null || usualSize === size ? [] : [`size=${size}`]),
    ...(end && !BOARD_REASONS.includes(end.reason) && !(end.reason in CODES) ? [`reason=${end.reason}`] : []),
  ]
  return [String(isOpen ? -1 : (CODES[end.reason] ?? 0)), [winner, rule.charAt(0).toUpperCase() + rule.slice(1), ...more].join()]
}

function namesOf({ tree }: GameFile, format: string): string[] {
  const names = [tree.players.black || HUMANS[0]!, tree.players.white || HUMANS[1]!]
  const move = names.find((name) => LIKE_MOVE.test(name))
  if (move) throw bad(`player name ${move}: ${format} would read it as a move`)
  return names
}

export function writePsq(file: GameFile, nodes: number[]): string {
  const { players, rules } = file.tree
  const names = players.black || players.white ? namesOf(file, 'psq') : []
  return [`Piskvorky ${rules.size}x${rules.size}, 0:0, 0`, ...moveLines(file, nodes, 1), ...names, ...lastLines(file, null)].join('\n') + '\n'
}

export function writeRec(file: GameFile, nodes: number[]): string {
  return [...namesOf(file, 'rec'), ...moveLines(file, nodes, 0), ...lastLines(file, REC_SIZE)].join('\n') + '\n'
}
