/** Game files without a server: SGF, psq, JSON and pasted moves, read into the page's trees and written from them. */

import { other } from '@/game/color'
import { LIMITS } from '@/game/facts'
import { formatCell, parseCell } from '@/game/notation'
import { fromRecord, type RecordJson, toRecord } from '@/game/record'
import { rulesProblem } from '@/game/rules'
import { addLine, addNode, at, cellsAt, lineThrough, newTree, ROOT, type SetUp, toMoveAt, type Tree } from '@/game/tree'
import { startData } from '@/backend/engine/asks'
import { Game } from '@/backend/engine/game'
import { FILES } from '@/wasm/generated'
import { letterOf, Position, RuleError, sideOf } from '@/wasm/rulebook'
import type { Color, ExportName, RuleName } from '@/wire'
import { readSgf, writeSgf } from './sgf'

/** A game file: its tree, and what trees of the page do not hold. */
export interface GameFile {
  tree: Tree
  date: string
  /** As SGF writes it: `B+`, `W+R`, `0`; empty where it is not known. */
  result: string
  warnings: string[]
}

const MEDIA: Partial<Record<ExportName, string>> = { sgf: 'application/x-go-sgf', json: 'application/json' }

/** The rule that a file's text means, or null. */
export function ruleNamed(text: string): RuleName | null {
  const plain = text.replace(/[(（].*/s, '').toLowerCase().replace(/[-_\s]/g, '')
  const found = Object.entries<readonly string[]>(FILES.RULE_NAMES).find(([, names]) => names.includes(plain))
  return (found?.[0] as RuleName | undefined) ?? null
}

const bad = (message: string): RuleError => new RuleError('bad_record', message)

/** What a text is: a kind of game file, or moves that somebody pasted. */
export function readFile(text: string): { format: string; file: GameFile } {
  const start = text.trimStart()
  const [format, file] = start.startsWith('(')
    ? (['sgf', readSgf(text)] as const)
    : start.startsWith('{')
      ? (['json', readJson(text)] as const)
      : /^piskvorky\s/i.test(start)
        ? (['psq', readPsq(text)] as const)
        : (['pos', readMoves(text)] as const)
  gameOfFile(file) // what cannot be played is no game
  return { format, file }
}

function readJson(text: string): GameFile {
  let data: RecordJson & { date?: string; result?: { winner: string | null; reason: string } | null }
  try {
    data = JSON.parse(text) as typeof data
  } catch (error) {
    throw bad(`no JSON: ${String(error)}`)
  }
  if (data.format !== 'wuzi-record') throw bad(`format ${String(data.format).slice(0, 40)}: expected wuzi-record`)
  if (data.version !== 1) throw bad(`record version ${String(data.version)}: this wuzi reads version 1`)
  try {
    const winner = data.result?.winner
    const suffix = ({ resignation: 'R', time: 'T' } as Record<string, string>)[data.result?.reason ?? ''] ?? ''
    const result = data.result ? (winner ? `${winner === 'black' ? 'B' : 'W'}+${suffix}` : '0') : ''
    return { tree: fromRecord(data), date: data.date ?? '', result, warnings: [] }
  } catch (error) {
    throw bad(error instanceof Error ? error.message : String(error))
  }
}

function readPsq(text: string): GameFile {
  const lines = text.trimEnd().split(/\r?\n/).map((line) => line.trim())
  const header = /^Piskvorky\s+(\d{1,4})\s*x\s*(\d{1,4})(?:\s*,\s*-?\d+\s*:\s*-?\d+\s*,\s*([01]))?$/i.exec(lines[0]!)
  const size = Number(header?.[1])
  if (!header || header[1] !== header[2] || size < LIMITS.minSize || size > LIMITS.maxSize) throw bad("line 1: expected a line such as 'Piskvorky 15x15, 0:0, 0'")
  const moves: number[] = []
  let i = 1
  for (; i < lines.length; i++) {
    const found = /^(\d{1,4})\s*,\s*(\d{1,4})(?:\s*,\s*-?\d+)?$/.exec(lines[i]!)
    if (!found && lines[i]) break
    if (!found) continue
    const [col, row] = [Number(found[1]) - 1, Number(found[2]) - 1]
    if (col < 0 || col >= size || row < 0 || row >= size) throw bad(`line ${i + 1}: ${lines[i]} is off the ${size}x${size} board`)
    moves.push(row * size + col)
  }
  const rest = lines.slice(i).filter(Boolean)
  const last = /^([012?])\s*,\s*([^,]*[A-Za-z][^,]*)(?:,(.*))?$/.exec(rest.at(-1) ?? '')
  if (last) rest.pop()
  const values = Object.fromEntries((last?.[3] ?? '').split(',').map((part) => part.trim().split('=')))
  const code = rest.length && rest.length !== 2 && /^-?\d{1,6}$/.test(rest.at(-1)!) ? rest.pop() : undefined
  const rule = last ? ruleNamed(last[2]!) : null
  const tree = newTree({ size, winLength: Number(values.win_length ?? Math.min(5, size)), rule: rule ?? 'freestyle' })
  addLine(tree, ROOT, moves)
  const names = [rest[0] ?? '', rest[1] ?? ''].map((name, n) => (name === `homo-${n + 1}` ? '' : name))
  if (header[3] === '1') names.reverse()
  tree.players = { black: names[0]!, white: names[1]! }
  const winner = last ? { '1': 'B+', '2': 'W+', '0': '0' }[last[1]!] : undefined
  const result = winner && winner !== '0' && code === '15' ? `${winner}T` : (winner ?? '')
  return { tree, date: '', result, warnings: rule ? [] : ['the file names no rule: read as freestyle'] }
}

/** Moves as people write them: `h8h9`, `1. h8 i9`, `7,7 8,8`; the board is 15x15 freestyle. */
function readMoves(text: string): GameFile {
  const plain = text.trim().replace(/^https?:\/\/[^\s#]*#\/?/, '').replace(/\b\d{1,3}\s*[.、)]\s*/g, ' ')
  const parts = plain.match(/[a-z]\s?[1-9][0-9]?|\d{1,2}\s*,\s*\d{1,2}/gi) ?? []
  if (plain.replace(/[a-z]\s?[1-9][0-9]?|\d{1,2}\s*,\s*\d{1,2}|[\s;,|-]/gi, '')) throw bad(`unknown kind of game file, it begins '${text.trim().slice(0, 30)}'`)
  const tree = newTree({ size: 15, winLength: 5, rule: 'freestyle' })
  const cells = parts.map((part) => {
    const cell = parseCell(part.replace(/\s/g, ''), 15)
    if (cell === null) throw bad(`${part} is no cell of a 15x15 board`)
    return cell
  })
  addLine(tree, ROOT, cells)
  return { tree, date: '', result: '', warnings: [] }
}

/** The game of a file's main line, through the rule book. */
export function gameOfFile({ tree, result }: GameFile): Game {
  const rules = { ...tree.rules, rule: tree.rules.rule as RuleName, opening: 'free' as const }
  const problem = rulesProblem(rules)
  if (problem) throw bad(`no game has these rules (${problem}): ${rules.rule}, ${rules.winLength} in a row on ${rules.size}x${rules.size}`)
  const setup = at(tree, ROOT).setup
  const cells = cellsAt(tree, ROOT).map((cell) => '.BW'.indexOf(cell))
  const start = setup ? Position.of(rules, Int8Array.from(cells), sideOf(toMoveAt(tree, ROOT))) : undefined
  let game = Game.begin(rules, start)
  for (const id of lineThrough(tree, ROOT)) {
    const { move, color, setup: later } = at(tree, id)
    if (id !== ROOT && later) throw bad('set-up stones in the middle of a game')
    if (move === null) continue
    if (color && color !== letterOf(game.toMove)) throw bad(`move ${formatCell(move, rules.size)}: it is the other side's turn`)
    game = game.play(move)
  }
  const found = /^([BW])\+([RT])$/.exec(result)
  if (game.end || !found) return game
  return game.ended({ winner: sideOf(found[1] as Color), reason: found[2] === 'R' ? 'resignation' : 'time' })
}

/** How SGF writes the end of a game. */
export function resultText({ end }: Game): string {
  if (!end) return ''
  if (end.winner === null) return '0'
  const suffix = ({ resignation: 'R', time: 'T' } as Record<string, string>)[end.reason] ?? ''
  return `${letterOf(end.winner)}+${suffix}`
}

/** A played game as a file. */
export function fileOfGame(game: Game, black: string, white: string, date: string): GameFile {
  const { rules, start } = game
  const named = (side: number): number[] => [...start.cells.keys()].filter((cell) => start.cells[cell] === side)
  const isPlain = !startData(start)
  const setup: SetUp | null = isPlain ? null : { black: named(1), white: named(2), empty: [], toMove: letterOf(start.toMove) }
  const tree = newTree(rules, setup)
  tree.players = { black, white }
  let node = ROOT
  let color: Color = letterOf(start.toMove)
  for (const move of game.moves) {
    node = addNode(tree, node, { move, color })
    color = other(color)
  }
  return { tree, date, result: resultText(game), warnings: [] }
}

/** A file in a format, as text. */
export function writeFile(file: GameFile, format: ExportName): { text: string; type: string } {
  const writers: Partial<Record<ExportName, (one: GameFile) => string>> = { sgf: writeSgf, psq: writePsq, json: writeJson, pos: writePos, txt: writeBoard }
  const write = writers[format]
  if (!write) throw bad(`${format}: only a server writes this kind of file`)
  return { text: write(file), type: MEDIA[format] ?? 'text/plain' }
}

function mainMoves({ tree }: GameFile, format: string): number[] {
  if (at(tree, ROOT).setup) throw bad(`${format} cannot hold set-up stones or a first move by white: use sgf or json`)
  return lineThrough(tree, ROOT).flatMap((id) => at(tree, id).move ?? [])
}

function writePsq(file: GameFile): string {
  const { size, winLength, rule } = file.tree.rules
  const { black, white } = file.tree.players
  const moves = mainMoves(file, 'psq').map((cell) => `${(cell % size) + 1},${Math.floor(cell / size) + 1},0`)
  const names = black || white ? [black || 'homo-1', white || 'homo-2'] : []
  const [winner, code] = file.result ? [({ B: '1', W: '2' } as Record<string, string>)[file.result[0]!] ?? '0', file.result.endsWith('T') ? '15' : file.result.endsWith('R') ? '-1' : '0'] : ['?', '-1']
  const more = [...(winLength === 5 ? [] : [`win_length=${winLength}`]), ...(file.result.endsWith('R') ? ['reason=resignation'] : [])]
  const last = [winner, rule.charAt(0).toUpperCase() + rule.slice(1), ...more].join()
  return [`Piskvorky ${size}x${size}, 0:0, 0`, ...moves, ...names, code, last].join('\n') + '\n'
}

function writePos(file: GameFile): string {
  return mainMoves(file, 'pos').map((cell) => formatCell(cell, file.tree.rules.size)).join('') + '\n'
}

function writeJson({ tree, date, result }: GameFile): string {
  const { players, nodes, ...record } = toRecord(tree)
  const winner = ({ B: 'black', W: 'white' } as Record<string, string>)[result[0] ?? ''] ?? null
  const reason = ({ R: 'resignation', T: 'time' } as Record<string, string>)[result.at(-1) ?? ''] ?? (winner ? 'line' : 'draw_full')
  const about = { ...(date ? { date } : {}), ...(result ? { result: { winner, reason } } : {}) }
  return JSON.stringify({ ...record, players, ...about, nodes }, null, 1) + '\n'
}

function writeBoard({ tree }: GameFile): string {
  const { size, rule } = tree.rules
  const last = lineThrough(tree, ROOT).at(-1)!
  const cells = cellsAt(tree, last)
  const moves = lineThrough(tree, ROOT).filter((id) => at(tree, id).move !== null).length
  const { move } = at(tree, last)
  const rows = Array.from({ length: size }, (_, row) => {
    const text = cells.slice(row * size, (row + 1) * size).map((cell) => ({ B: 'X', W: 'O' })[cell] ?? '.')
    const line = ` ${text.join(' ')} `
    const col = move !== null && Math.floor(move / size) === row ? move % size : null
    const shown = col === null ? line : `${line.slice(0, 2 * col)}[${line[2 * col + 1]}]${line.slice(2 * col + 3)}`
    return `${String(size - row).padStart(2)}${shown}`.trimEnd()
  })
  const names = `${tree.players.black} - ${tree.players.white}`
  const letters = Array.from({ length: size }, (_, col) => String.fromCharCode(97 + col)).join(' ')
  const turn = toMoveAt(tree, last) === 'B' ? 'black' : 'white'
  return [`# ${rule} ${size}x${size}, ${names}, ${moves} moves, ${turn} to move`, ...rows, `   ${letters}`].join('\n') + '\n'
}

