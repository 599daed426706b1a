/** Game files without a server, from their bytes: read into the page's trees and written from them. */

import { other } from '@/game/color'
import { LIMITS } from '@/game/facts'
import { formatCell, narrow, parseCell } from '@/game/notation'
import { fromRecord, type RecordJson, toRecord } from '@/game/record'
import { addNode, at, cellsAt, lineThrough, newTree, ROOT, type SetUp, toMoveAt } from '@/game/tree'
import { startData } from '@/backend/engine/asks'
import type { Game } from '@/backend/engine/game'
import { letterOf, RuleError } from '@/wasm/rulebook'
import type { Color, ExportName, RuleName } from '@/wire'
import { decode } from './charset'
import type { Assumed } from './names'
import { readPsq, readRec, writePsq, writeRec } from './piskvork'
import { bad, describeOpening, type GameFile, gameOfFile, rulesOf, settle } from './replay'
import { readSgf } from './sgf'
import { writeSgf } from './sgfWriter'

export { gameOfFile, rulesOf, type GameFile }
export { CHARSETS } from './charset'
export { ruleNamed } from './names'

/** What is known of a file beside its content. */
export interface ReadHints {
  charset?: string | null
  assumed?: Assumed
}

const MEDIA: Partial<Record<ExportName, string>> = { sgf: 'application/x-go-sgf', json: 'application/json' }
const MOVES = /[a-z][1-9][0-9]?|\d{1,2}\s*,\s*\d{1,2}/gi
const SAVED = /^\d{1,2}\s*\n\s*\d{1,2}\s*\n\s*\d{1,3}\s*(?:\n\s*\d{1,2}[ \t]+\d{1,2}\s*)*(?:\n[\d \t]*)?$/
const EMPTY = { date: '', end: null, opening: 'free', actions: null, headers: {} }

type Found = GameFile | RuleError
type Reader = (text: string, assumed: Assumed) => Found | Found[]
const READERS: Record<string, Reader> = { sgf: readSgf, json: readJson, psq: readPsq, rec: readRec, pos: readMoves, sav: readSaved, txt: readBoard }

/** The format of a text, by its looks. */
function formatOf(text: string): string {
  const start = text.trimStart()
  const lines = start.split(/\r\n|\r|\n/).map((line) => line.trim())
  if (/^\(\s*;/.test(start)) return 'sgf'
  if (start.startsWith('{')) return 'json'
  if (/^piskvorky/i.test(start)) return 'psq'
  if (isMoves(lines[0]!)) return 'pos'
  if (SAVED.test(start.slice(0, 400))) return 'sav'
  if (/^\d{1,2}\s*,\s*\d{1,2}(\s*,\s*-?[\d.]+)?$/.test(lines[2] ?? '')) return 'rec'
  if (/\(\s*;\s*[A-Za-z]+\s*\[/.test(start)) return 'sgf'
  if (lines.some((line) => rowOf(line) && (line.match(/[.+\-_*XxOo@●○·┼]/g)?.length ?? 0) >= 3)) return 'txt'
  throw bad(`unknown kind of game file, it begins '${start.slice(0, 30)}': expected one of ${Object.keys(READERS).join(', ')}`)
}

/** Every game of a file or of a pasted text, or in its place the error. */
export function readFiles(content: string | Uint8Array, { charset, assumed = {} }: ReadHints = {}): { format: string; files: Found[] } {
  if (typeof content !== 'string' && String.fromCharCode(...content.subarray(0, 8)) === '\xffRenLib\xff') {
    throw bad('a RenLib library (.lib): only a server and `wuzi convert` read this kind of file')
  }
  const { text, warnings } = typeof content === 'string' ? { text: content, warnings: [] } : decode(content, charset)
  const plain = text.replace(/^\ufeff/, '')
  const format = formatOf(plain)
  const files = [READERS[format]!(plain, assumed)].flat()
  for (const file of files) if (!(file instanceof RuleError)) file.warnings.unshift(...warnings)
  return { format, files }
}

/** The first game of a file or of a pasted text. */
export function readFile(content: string | Uint8Array, asked: ReadHints = {}): { format: string; file: GameFile } {
  const { format, files } = readFiles(content, asked)
  const file = files[0]!
  if (file instanceof RuleError) throw file
  if (files.length > 1) file.warnings.push(`${files.length} games in this file: the first was read`)
  return { format, file }
}

function readJson(text: string): Found[] {
  const lines = text.split('\n').filter((line) => line.trim())
  try {
    if (lines.length > 1) JSON.parse(lines[0]!)
  } catch {
    return [jsonGame(text)]
  }
  return lines.length > 1
    ? lines.map((line) => {
        try {
          return jsonGame(line)
        } catch (error) {
          return error as RuleError
        }
      })
    : [jsonGame(text)]
}

function jsonGame(text: string): GameFile {
  let data: RecordJson
  try {
    data = JSON.parse(text) as RecordJson
  } catch (error) {
    const found = /line (\d+) column (\d+)/.exec(String(error))
    throw bad(`${found ? `line ${found[1]}, column ${found[2]}: ` : ''}no JSON: the text ends or goes on where it should not`)
  }
  if (data.format !== 'wuzi-record') throw bad(`format '${String(data.format ?? '').slice(0, 40)}': expected 'wuzi-record'`)
  if (data.version !== 1) throw bad(`record version ${String(data.version)}: this wuzi reads version 1`)
  if (!Number.isInteger(data.rules?.size)) throw bad('rules.size: expected a whole number')
  try {
    const tree = fromRecord(data)
    const { line: _, ...about } = tree.about!
    return settle({ tree, ...about, warnings: [] })
  } catch (error) {
    throw error instanceof RuleError ? error : bad(error instanceof Error ? error.message : String(error))
  }
}

const withoutLink = (line: string): string => narrow(line.trim().replace(/^https?:\/\/[^\s#]*#\/?/, ''))
const withoutNumbers = (line: string): string => withoutLink(line).replace(/(?<![a-z])\d{1,3}(?:\.+|[)、])\s*/gi, ' ')

/** Whether a line is moves: `h8h9`, `1. h8 i9`, `7,7 8,8`, also in full-width letters and digits. */
function isMoves(line: string): boolean {
  const plain = withoutNumbers(line)
  return MOVES.test(((MOVES.lastIndex = 0), plain)) && !plain.replace(MOVES, '').replace(/[\s;,、]/g, '')
}

/** A move, or those of both sides, as they stand in a line of their own. */
const TURN = /^[a-z]\d{1,2}(?:[\s,;]+[a-z]\d{1,2})?$/i

/**
 * Moves as people write them, a game a line; one that begins with the number of a later move goes on, and lines that
 * are each a move or a pair are one game if no cell comes twice.
 */
function readMoves(text: string, assumed: Assumed): Found[] {
  const games: { number: number; line: string }[] = []
  text.split(/\r\n|\r|\n/).forEach((raw, i) => {
    const line = raw.trim()
    if (games.length && /^(?!1[.)、])\d{1,3}[.)、]/.test(narrow(line))) games.at(-1)!.line += ` ${line}`
    else if (line && !line.startsWith('#')) games.push({ number: i + 1, line })
  })
  const joined = games.map(({ line }) => narrow(line)).join(' ')
  const cells = joined.toLowerCase().match(/[a-z]\d{1,2}/g) ?? []
  if (games.length > 1 && games.every(({ line }) => TURN.test(narrow(line))) && new Set(cells).size === cells.length) {
    games.splice(0, games.length, { number: games[0]!.number, line: joined })
  }
  const { size = 15, rule = 'freestyle' } = assumed
  return games.map(({ number, line }) => {
    try {
      if (!isMoves(line)) throw bad(`'${line.slice(0, 30)}': expected cells like 'h8' or '7,7'`)
      const tree = newTree({ size, winLength: assumed.winLength ?? Math.min(5, size), rule })
      const cells = withoutNumbers(line).match(MOVES)!.map((part) => {
        const cell = parseCell(part, size)
        if (cell === null) throw bad(`'${part}' is no cell of a ${size}x${size} board`)
        return cell
      })
      cells.reduce((node, move, ply) => addNode(tree, node, { move, color: ply % 2 ? 'W' : 'B' }), ROOT)
      return settle({ tree, ...EMPTY, warnings: [] })
    } catch (error) {
      return bad(`line ${number}: ${(error as Error).message}`)
    }
  })
}

const SAVED_RULES: RuleName[] = ['freestyle', 'standard', 'renju']

/** What Yixin-Board saves: size, rule (or width), number of moves, and rows and columns from the upper left. */
function readSaved(text: string, assumed: Assumed): GameFile {
  const [size, second, count, ...cells] = text.trim().split(/\s+/).map(Number) as [number, number, number, ...number[]]
  if (![size, second, count, ...cells].every((number) => number >= 0 && number < 1000)) throw bad('a saved game of Yixin-Board is whole numbers: size, rule, number of moves, moves')
  const named = SAVED_RULES[second]
  if (size < LIMITS.minSize || size > LIMITS.maxSize || (!named && second !== size)) throw bad(`a ${size}x${second} board: expected a square of ${LIMITS.minSize} to ${LIMITS.maxSize}, or a rule from 0 to 2`)
  if (cells.length < 2 * count) throw bad(`${Math.floor(cells.length / 2)} moves: expected ${count}, as line 3 says`)
  const rule = named ?? assumed.rule ?? 'freestyle'
  const tree = newTree({ size, winLength: rule === 'renju' ? 5 : Math.min(assumed.winLength ?? 5, size), rule })
  const moves = Array.from({ length: count }, (_, i) => {
    const [row, col] = [cells[2 * i]!, cells[2 * i + 1]!]
    if (row >= size || col >= size) throw bad(`move ${i + 1}: ${row} ${col} is off the ${size}x${size} board`)
    return row * size + col
  })
  moves.reduce((node, move, ply) => addNode(tree, node, { move, color: ply % 2 ? 'W' : 'B' }), ROOT)
  return settle({ tree, ...EMPTY, warnings: named ? [] : [`the file names no rule: read as ${rule}`] })
}

/** The cells of a line of a diagram, without blanks and row numbers; null for a line that is no row. */
function rowOf(line: string): string | null {
  if (!line.trim() || line.trimStart().startsWith('#')) return null
  const plain = line.replace(/^\s*\d+(?=[\s|[(])|(?<=[\s|\])])\d+\s*$/g, '').replace(/[\s|]+/g, '')
  const isEdge = plain.length >= LIMITS.minSize && 'abcdefghijklmnopqrstuvwxyz'.startsWith(plain.toLowerCase())
  return !plain || /^\d+$/.test(plain) || isEdge ? null : plain
}

/** A diagram of stones, as `writeFile` draws it: the position, without the moves that led to it. */
function readBoard(text: string, assumed: Assumed): GameFile {
  const rows = text.split(/\r\n|\r|\n/).flatMap((line, i) => ({ number: i + 1, row: rowOf(line) })).filter(({ row }) => row)
  const size = rows.length
  if (size < LIMITS.minSize || size > LIMITS.maxSize) throw bad(`${size} rows: expected a board of ${LIMITS.minSize} to ${LIMITS.maxSize} rows of . X O`)
  const setup: SetUp = { black: [], white: [], empty: [], toMove: null }
  rows.forEach(({ number, row }, y) => {
    const cells = row!.replace(/[[\]()]/g, '')
    const stones = cells.length === size + 1 && cells[0]!.toLowerCase() === String.fromCharCode(97 + y) ? cells.slice(1) : cells
    if (stones.length !== size) throw bad(`line ${number}: ${stones.length} cells, expected ${size} for ${size} rows`)
    ;[...stones].forEach((char, x) => {
      if (/[Xx@●]/.test(char)) setup.black.push(y * size + x)
      else if (/[Oo○]/.test(char)) setup.white.push(y * size + x)
      else if (!/[.+\-_*·┼]/.test(char)) throw bad(`line ${number}: '${char}' is no cell, expected . X or O`)
    })
  })
  const isEmpty = !setup.black.length && !setup.white.length
  const tree = newTree({ size, winLength: Math.min(assumed.winLength ?? 5, size), rule: assumed.rule ?? 'freestyle' }, isEmpty ? null : setup)
  const file = settle({ tree, ...EMPTY, warnings: [] })
  if (!isEmpty) setup.toMove = toMoveAt(tree, ROOT)
  return file
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
  const end = game.end && { winner: game.end.winner && letterOf(game.end.winner), reason: game.end.reason }
  return { tree, date, end, opening: rules.opening, actions: describeOpening(game), headers: {}, warnings: [] }
}

/** A file in a format, as text. */
export function writeFile(file: GameFile, format: ExportName): { text: string; type: string } {
  const writers: Partial<Record<ExportName, (one: GameFile) => string>> = {
    sgf: writeSgf,
    json: writeJson,
    psq: (one) => writePsq(one, mainNodes(one, 'psq')),
    rec: (one) => writeRec(one, mainNodes(one, 'rec')),
    pos: writePos,
    txt: writeBoard,
  }
  const write = writers[format]
  if (!write) throw bad(`${format}: only a server writes this kind of file`)
  return { text: write(file), type: MEDIA[format] ?? 'text/plain' }
}

/** The nodes of the main line with stones; an error unless Black begins on the empty board. */
function mainNodes({ tree }: GameFile, format: string): number[] {
  const line = lineThrough(tree, ROOT)
  const nodes = line.filter((id) => at(tree, id).move !== null)
  const isBare = line.every((id) => {
    const { setup } = at(tree, id)
    return !setup || (!setup.black.length && !setup.white.length && !setup.empty.length && setup.toMove !== 'W')
  })
  if (!isBare || (nodes.length && at(tree, nodes[0]!).color === 'W')) throw bad(`${format} cannot hold set-up stones or a first move by white: use sgf or json`)
  return nodes
}

function writePos(file: GameFile): string {
  return mainNodes(file, 'pos').map((id) => formatCell(at(file.tree, id).move!, file.tree.rules.size)).join('') + '\n'
}

function writeJson({ tree, date, end, opening, actions, headers }: GameFile): string {
  const line = lineThrough(tree, ROOT).flatMap((id) => at(tree, id).move ?? [])
  return JSON.stringify(toRecord({ ...tree, about: { date, end, opening, actions, headers, line } }), null, 1) + '\n'
}

function writeBoard({ tree, end }: GameFile): string {
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
  const names = `${tree.players.black || '?'} - ${tree.players.white || '?'}`
  const letters = Array.from({ length: size }, (_, col) => String.fromCharCode(97 + col)).join(' ')
  const winner = end && (end.winner ? { B: 'black', W: 'white' }[end.winner] : 'draw')
  const state = end ? `${winner} (${end.reason})` : `${toMoveAt(tree, last) === 'B' ? 'black' : 'white'} to move`
  return [`# ${rule} ${size}x${size}, ${names}, ${moves} moves, ${state}`, ...rows, `   ${letters}`].join('\n') + '\n'
}
