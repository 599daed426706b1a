/** SGF as `wuzi.records.formats.sgf_reader` reads it: moves, set-up stones, comments, marks, times and variations; other properties are kept. */

import { parseCell } from '@/game/notation'
import { addNode, at, lineThrough, newTree, ROOT, type SetUp, subtree, toMoveAt, type Tree, type TreeNode } from '@/game/tree'
import { FILES } from '@/wasm/generated'
import { RuleError } from '@/wasm/rulebook'
import type { RuleName } from '@/wire'
import { type Assumed, boardSize, endNamed, reasonNamed, ruleNamed, UNKNOWN_RESULTS } from './names'
import { bad, type GameFile, settle } from './replay'

export const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
export const HEADERS: Record<string, string> = FILES.HEADERS
const MARKS = Object.entries(FILES.MARKS)
export const PRIVATE = 'WUZI'
const RESERVED = ['win_length', 'opening', 'actions', 'reason', 'time_ms']
const GAMES: Record<string, string> = { 1: 'Go', 2: 'Othello', 3: 'chess', 11: 'Hex' }
const SIZE_OF_GO = 19
const MOST_BROKEN = 20
const RAW = String.raw`[^\\\]]*(?:\\[\s\S][^\\\]]*)*`
const NEXT_GAME = /\(\s*;\s*(?:[A-Z]{1,8}\[[^\]]{0,99}\]\s*){0,9}?(?:GM|FF|SZ|RU|PB|CA)\[/g
/** GomokuQuest's names for proposed stones and for those of the side that chose. */
const QUEST = /^(?:QPR\d?|QSL[A-Z]?\d?)$/

export type Properties = Record<string, string[]>
interface RawNode {
  at: number
  parent: number
  properties: Properties
}
export interface Mark {
  kind: string
  cell: string
  text?: string
}

/** The meaning of a raw value: escapes removed, line breaks as line feeds. */
const plain = (raw: string): string => raw.replace(/\n\r|\r\n|\r/g, '\n').replace(/[\t\f\v]/g, ' ').replace(/\\(?:\n|([\s\S]))/g, (_, one: string | undefined) => one ?? '')
const simple = (raw: string): string => plain(raw).trim().replace(/\s+/g, ' ')
/** The raw value that encodes a text. */
export const escaped = (text: string): string => text.replace(/[\]\\]/g, '\\$&')
export const pairText = (key: string, value: string): string => `${escaped(key).replace(/:/g, '\\:')}:${escaped(value)}`

/** The halves of a composed value. */
function pairOf(raw: string): [string, string] | null {
  const found = /^[^\\:]*(?:\\[\s\S][^\\:]*)*:/.exec(raw)
  return found && [found[0].slice(0, -1), raw.slice(found[0].length)]
}

function place(text: string, offset: number): string {
  const before = text.slice(0, offset)
  return `line ${before.split('\n').length}, column ${offset - before.lastIndexOf('\n')}`
}

/** The nodes of the game at a place of a text, parents first, and where it ends. */
function parsed(text: string, start: number): { nodes: RawNode[]; end: number } {
  const token = new RegExp(String.raw`\s*(?:\[(${RAW})\]|([A-Za-z]{1,64})|([();]))`, 'y')
  const nodes: RawNode[] = []
  const branches: number[] = []
  let [current, after] = [-1, '']
  let values: string[] | null = null
  for (token.lastIndex = start; ; ) {
    const here = token.lastIndex
    const broken = (what: string): RuleError => bad(`${place(text, here + /^\s*/.exec(text.slice(here))![0].length)}: broken SGF (${what})`)
    const found = token.exec(text)
    if (!found) throw bad(`${place(text, here)}: broken SGF (unexpected end): is a ')' or a ']' missing?`)
    const [, value, name, sign] = found
    if (value !== undefined) {
      if (!values) throw broken('unexpected value')
      values.push(value)
      after = ']'
    } else if (after === 'name') throw broken('property with no values')
    else if (name !== undefined) {
      if (after === '(' || after === ')') throw broken('property outside a node')
      values = nodes.at(-1)!.properties[name.replace(/[a-z]/g, '')] ??= []
      after = 'name'
    } else {
      if ((after === '(' && sign !== ';') || (after === ')' && sign === ';')) throw broken(`unexpected ${sign}`)
      values = null
      after = sign!
      if (sign === '(') branches.push(current)
      else if (sign === ';') {
        nodes.push({ at: token.lastIndex - 1, parent: current, properties: {} })
        current = nodes.length - 1
      } else {
        current = branches.pop()!
        if (!branches.length) return { nodes, end: token.lastIndex }
      }
    }
  }
}

/** All games of a text, or in the place of one that cannot be read the error. */
export function readSgf(text: string, assumed: Assumed = {}): (GameFile | RuleError)[] {
  const found: (GameFile | RuleError)[] = []
  const start = /\(\s*;/g
  let broken = 0
  for (let game = start.exec(text); game && broken < MOST_BROKEN; game = start.exec(text)) {
    let end = text.length
    try {
      const tree = parsed(text, game.index)
      end = tree.end
      found.push(new GameReader(text, assumed).read(tree.nodes))
    } catch (error) {
      if (!(error instanceof RuleError)) throw error
      found.push(error)
      broken++
      NEXT_GAME.lastIndex = game.index + 1
      const next = NEXT_GAME.exec(text)
      if (next && next.index < end) end = next.index
    }
    start.lastIndex = end
  }
  if (!found.length) throw bad("no SGF game: expected '(;' somewhere")
  return found
}

/** Reads one game; knows where it is, for messages. */
class GameReader {
  private readonly warnings = new Set<string>()
  private readonly passes = new Map<number, { told: string; at: number; index: number }>()
  private size = 0
  private at = 0
  private index = 0

  constructor(
    private readonly text: string,
    private readonly assumed: Assumed,
  ) {}

  read(nodes: RawNode[]): GameFile {
    let file: GameFile
    let ending = 0
    try {
      file = this.file(nodes)
      ending = this.leaveOutPasses(file.tree)
    } catch (error) {
      if (!(error instanceof RuleError)) throw error
      throw bad(`${place(this.text, this.at)} (node ${this.index + 1}): ${error.message}`)
    }
    file.warnings.push(...this.warnings)
    settle(file)
    if (ending > 1 && !file.end) file.tree.about!.end = file.end = { winner: null, reason: 'agreement' }
    return file
  }

  private file(nodes: RawNode[]): GameFile {
    const { properties } = nodes[0]!
    this.at = nodes[0]!.at
    const own = this.privateOf(this.take(properties, PRIVATE))
    const rules = this.rules(properties, own)
    const head = (name: string): string => simple((this.take(properties, name) ?? []).join(' '))
    const end = this.end(properties, own)
    const { opening = 'free', actions } = own
    for (const key of RESERVED) {
      if (key === 'time_ms' && own[key] !== undefined) this.warnings.add(`${PRIVATE}[${key}:...] says nothing here: left out`)
      delete own[key]
    }
    const headers: Record<string, string> = {}
    for (const [name, header] of Object.entries(HEADERS)) if (properties[name]) headers[header] = head(name)
    if (headers.application?.split(':')[0] === 'wuzi') delete headers.application
    const tree = newTree(rules)
    tree.players = { black: head('PB'), white: head('PW') }
    const file: GameFile = { tree, date: head('DT'), end, opening, actions: actions === undefined ? null : actions.split(/\s+/).filter(Boolean), headers: { ...headers, ...own }, warnings: [] }
    for (const name of ['FF', 'CA']) this.take(properties, name)
    this.grow(tree, nodes)
    return file
  }

  /** Hangs all nodes on the tree, in the order of the file. */
  private grow(tree: Tree, nodes: RawNode[]): void {
    const made: number[] = []
    nodes.forEach(({ at: offset, parent: above, properties }, index) => {
      ;[this.at, this.index] = [offset, index]
      let parent = index ? made[above]! : ROOT
      const stones = this.questStones(properties)
      if (!index) {
        const parts = this.parts(properties, ROOT)
        if (parts.move !== null) {
          this.warnings.add('the first node holds a move: read as the first move')
          parent = addNode(tree, ROOT, parts)
        } else Object.assign(at(tree, ROOT), parts)
      }
      for (const cell of stones) parent = addNode(tree, parent, { move: cell, color: toMoveAt(tree, parent) })
      if (index && (Object.keys(properties).length || !stones.length)) parent = addNode(tree, parent, this.parts(properties, tree.next))
      made.push(parent)
    })
  }

  private questStones(properties: Properties): number[] {
    const names = Object.keys(properties).filter((name) => QUEST.test(name))
    const cells = names.flatMap((name) => this.take(properties, name)!.flatMap((raw) => raw.split(',')).filter((raw) => raw.trim()))
    if (cells.length) this.warnings.add("GomokuQuest's opening stones are read as the first moves")
    return cells.map((raw) => this.cell(raw))
  }

  /** Checks where the passes stand, and cuts variations there; how many end the main line. */
  private leaveOutPasses(tree: Tree): number {
    const ending: { told: string; at: number; index: number }[] = []
    const line = lineThrough(tree, ROOT)
    for (const id of line) {
      const pass = this.passes.get(id)
      if (pass) ending.push(pass)
      else if (ending.length && at(tree, id).move !== null) {
        ;({ at: this.at, index: this.index } = ending[0]!)
        throw bad(`${ending[0]!.told} is a pass: there are no passes in gomoku`)
      }
    }
    for (const id of this.passes.keys()) {
      const node = tree.nodes[id]
      if (!node?.children.length || line.includes(id)) continue
      for (const below of subtree(tree, id).slice(1)) delete tree.nodes[below]
      node.children = []
      this.warnings.add('a variation ends at a pass: there are no passes in gomoku')
    }
    if (ending.length) this.warnings.add(`${ending[0]!.told} is a pass: left out, there are no passes in gomoku${ending.length > 1 ? ', and two of them a draw' : ''}`)
    return ending.length
  }

  private rules(properties: Properties, own: Record<string, string>): Tree['rules'] {
    const [game, ru] = ['GM', 'RU'].map((name) => simple((this.take(properties, name) ?? []).join(' '))) as [string, string]
    let rule = ru ? ruleNamed(ru) : null
    const named = `GM[${game.slice(0, 20)}]${GAMES[game] ? ` (${GAMES[game]})` : ''}`
    if (!game) this.warnings.add('GM is missing: read as gomoku')
    else if (game !== '4' && !rule && !this.assumed.rule) throw bad(`${named}: expected GM[4], gomoku and renju; give the rule if it is gomoku`)
    else if (game !== '4') this.warnings.add(`${named} is not gomoku: read as gomoku because of ${rule ? `RU[${ru.slice(0, 40)}]` : 'the rule that was given'}`)
    if (!rule) {
      rule = this.assumed.rule ?? ('freestyle' as RuleName)
      this.warnings.add(`${ru ? `RU[${ru.slice(0, 40)}] is unknown` : 'RU is missing'}: read as ${rule}`)
    }
    const given = this.take(properties, 'SZ')
    this.size = given ? boardSize(simple(given[0]!), 'SZ') : game === '1' ? SIZE_OF_GO : (this.assumed.size ?? 15)
    if (!given) this.warnings.add(`SZ is missing: read as ${this.size}x${this.size}`)
    const length = own.win_length ?? String(rule === 'renju' ? 5 : Math.min(this.assumed.winLength ?? 5, this.size))
    if (!/^\d{1,4}$/.test(length)) throw bad(`win_length ${length.slice(0, 20)}: expected a number such as 5`)
    return { size: this.size, winLength: Number(length), rule }
  }

  private end(properties: Properties, own: Record<string, string>): GameFile['end'] {
    const said = (properties.RE ?? []).map(simple).join(' ')
    if (UNKNOWN_RESULTS.includes(said.toLowerCase())) {
      if (said === '' || said === '?') delete properties.RE
      return null
    }
    const end = endNamed(said)
    if (!end) {
      this.warnings.add(`RE[${said.slice(0, 40)}] is no known result: ignored`)
      return null
    }
    delete properties.RE
    return own.reason === undefined ? end : { ...end, reason: reasonNamed(own.reason) }
  }

  /** What a node holds, without its children; `id` is the one that it will have. */
  private parts(properties: Properties, id: number): Partial<TreeNode> {
    if (this.take(properties, '')) this.warnings.add('a property named in small letters only was left out')
    const colors = (['B', 'W'] as const).filter((name) => properties[name])
    if (colors.length > 1) throw bad('a black and a white move in one node')
    const setup = this.setup(properties)
    let move: number | null = null
    const color = colors[0] ?? null
    if (color) {
      if (setup) throw bad('a move and set-up stones in one node')
      const raws = this.take(properties, color)!
      if (raws.length > 1) throw bad(`${raws.length} moves in one node: expected one`)
      const value = simple(raws[0]!).toLowerCase()
      if (!value || (value === 'tt' && this.size < 20)) this.passes.set(id, { told: `${color}[${simple(raws[0]!)}]`, at: this.at, index: this.index })
      else move = this.cell(raws[0]!)
    }
    const comment = (this.take(properties, 'C') ?? []).map(plain).join('\n')
    const marks = this.marks(properties)
    const extra: Record<string, unknown> = marks.length ? { marks } : {}
    const own = this.privateOf(this.take(properties, PRIVATE))
    if (own.time_ms !== undefined) {
      if (!/^\d{1,12}$/.test(own.time_ms)) throw bad(`time_ms ${own.time_ms.slice(0, 20)}: expected milliseconds, a whole number`)
      extra.time_ms = Number(own.time_ms)
      delete own.time_ms
    }
    const more = Object.entries(own).map(([key, value]) => pairText(key, value))
    const kept = more.length ? { ...properties, [PRIVATE]: more } : properties
    if (Object.keys(kept).length) extra.properties = kept
    return { move, color: move === null ? null : color, setup, comment, extra }
  }

  private setup(properties: Properties): SetUp | null {
    if (!['AB', 'AW', 'AE', 'PL'].some((name) => properties[name])) return null
    const [black, white, empty] = ['AB', 'AW', 'AE'].map((name) => this.cells(this.take(properties, name) ?? [])) as [number[], number[], number[]]
    const turn = this.take(properties, 'PL')
    const told = simple((turn ?? []).join(' ')).toLowerCase()
    const toMove = ['b', 'black', '1'].includes(told) ? 'B' : ['w', 'white', '2'].includes(told) ? 'W' : null
    if (turn && !toMove) throw bad(`PL[${told.slice(0, 20)}]: expected B or W`)
    return { black, white, empty, toMove }
  }

  private marks(properties: Properties): Mark[] {
    const marks: Mark[] = []
    for (const [kind, name] of MARKS) {
      const raws = properties[name]
      if (!raws) continue
      try {
        const found = raws.flatMap((raw): Mark[] => {
          if (kind !== 'label') return this.cells([raw]).map((cell) => ({ kind, cell: this.named(cell) }))
          const pair = pairOf(raw)
          if (!pair) throw bad(`[${simple(raw).slice(0, 20)}]: expected a point, a colon and a label`)
          const text = simple(pair[1])
          return [{ kind, cell: this.named(this.cell(pair[0])), ...(text ? { text } : {}) }]
        })
        marks.push(...found)
        delete properties[name]
      } catch (error) {
        this.warnings.add(`${name} is kept as it is: ${(error as Error).message}`)
      }
    }
    return marks
  }

  private named(cell: number): string {
    return `${LETTERS[cell % this.size]}${this.size - Math.floor(cell / this.size)}`
  }

  private privateOf(raws: string[] | null): Record<string, string> {
    return Object.fromEntries(
      (raws ?? []).map((raw) => {
        const pair = pairOf(raw)
        if (!pair) throw bad(`${PRIVATE} property: expected key:value`)
        return pair.map(simple) as [string, string]
      }),
    )
  }

  private take(properties: Properties, name: string): string[] | null {
    const found = properties[name] ?? null
    delete properties[name]
    return found
  }

  /** The cell that a raw value names; capitals and renju cells are told. */
  private cell(raw: string): number {
    const value = simple(raw)
    if (/^[a-z]{2}$/i.test(value)) {
      const [col, row] = [...value.toLowerCase()].map((letter) => LETTERS.indexOf(letter)) as [number, number]
      if (col < this.size && row < this.size) {
        if (value !== value.toLowerCase()) this.warnings.add('points are written as capital letters')
        return row * this.size + col
      }
    } else {
      const cell = /^[a-z]/i.test(value) ? parseCell(value, this.size) : null
      if (cell !== null) {
        this.warnings.add('points are written as renju cells (letter and row number from the bottom)')
        return cell
      }
    }
    const last = LETTERS[this.size - 1]!.repeat(2)
    throw bad(`[${value.slice(0, 20)}] is no point of a ${this.size}x${this.size} board: expected [aa] to [${last}]`)
  }

  private cells(raws: string[]): number[] {
    const found = raws.flatMap((raw) => {
      const pair = pairOf(raw)
      if (!pair) return [this.cell(raw)]
      const [from, to] = pair.map((one) => this.cell(one)) as [number, number]
      const [top, left, bottom, right] = [Math.floor(from / this.size), from % this.size, Math.floor(to / this.size), to % this.size]
      if (top > bottom || left > right) throw bad(`rectangle [${simple(raw).slice(0, 20)}]: expected the upper left corner first`)
      return Array.from({ length: (bottom - top + 1) * (right - left + 1) }, (_, i) => (top + Math.floor(i / (right - left + 1))) * this.size + left + (i % (right - left + 1)))
    })
    return found
  }
}
