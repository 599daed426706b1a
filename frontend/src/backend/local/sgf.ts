/** SGF, as far as a page needs it: moves, set-up stones, comments and variations; other properties are kept as they are. */

import { LIMITS } from '@/game/facts'
import { parseCell } from '@/game/notation'
import { addNode, at, newTree, ROOT, type SetUp, toMoveAt, type Tree, type TreeNode } from '@/game/tree'
import { FILES } from '@/wasm/generated'
import { RuleError } from '@/wasm/rulebook'
import { type GameFile, ruleNamed } from './records'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const OWN: readonly string[] = FILES.NODE_NAMES
const HEAD = ['FF', 'GM', 'CA', 'AP', 'SZ', 'RU', 'PB', 'PW', 'DT', 'RE', 'WUZI']

type Properties = Record<string, string[]>
interface Raw {
  properties: Properties
  children: Raw[]
}

const bad = (message: string): RuleError => new RuleError('bad_record', message)
const plain = (raw: string): string => raw.replace(/\\\r?\n/g, '').replace(/\\([\s\S])/g, '$1')
const escaped = (text: string): string => text.replace(/[\]\\]/g, '\\$&')

/** The nodes of the first game of a text. */
function parsed(text: string): Raw {
  let root: Raw | null = null
  let now: Raw | null = null
  const branches: (Raw | null)[] = []
  const token = /\s*(?:([();])|([A-Za-z]+)\s*((?:\[(?:\\[\s\S]|[^\]\\])*\]\s*)+))/y
  for (token.lastIndex = 0; ; ) {
    const found = token.exec(text)
    if (!found) throw bad(`no SGF: the game does not end properly`)
    const [, sign, name, values] = found
    if (sign === '(') branches.push(now)
    else if (sign === ')') {
      now = branches.pop() ?? null
      if (!branches.length) break
    } else if (sign === ';') {
      const node: Raw = { properties: {}, children: [] }
      now?.children.push(node)
      root ??= node
      now = node
    } else {
      if (!now) throw bad('no SGF: a property before the first node')
      const all = [...values!.matchAll(/\[((?:\\[\s\S]|[^\]\\])*)\]/g)].map((one) => one[1]!)
      const key = name!.replace(/[a-z]/g, '')
      now.properties[key] = [...(now.properties[key] ?? []), ...all]
    }
  }
  if (!root) throw bad('no SGF: there is no node')
  return root
}

function cellOf(raw: string, size: number): number {
  const value = plain(raw).trim()
  if (/^[a-z]{2}$/i.test(value)) {
    const [col, row] = [...value.toLowerCase()].map((letter) => LETTERS.indexOf(letter)) as [number, number]
    if (col < size && row < size) return row * size + col
  }
  const cell = parseCell(value, size)
  if (cell === null) throw bad(`[${value.slice(0, 20)}] is no point of a ${size}x${size} board`)
  return cell
}

function cellsOf(raws: string[] | undefined, size: number): number[] {
  return (raws ?? []).flatMap((raw) => {
    const [from, to] = raw.split(':').map((one) => cellOf(one, size)) as [number, number | undefined]
    if (to === undefined) return [from]
    const cells: number[] = []
    for (let row = Math.floor(from / size); row <= Math.floor(to / size); row++) for (let col = from % size; col <= to % size; col++) cells.push(row * size + col)
    return cells
  })
}

function partsOf(properties: Properties, size: number): Partial<TreeNode> {
  const color = properties.B ? ('B' as const) : properties.W ? ('W' as const) : null
  const raw = color && properties[color]![0]!
  const isPass = raw !== null && (!raw.trim() || (/^tt$/i.test(raw.trim()) && size < 20))
  const [black, white, empty] = ['AB', 'AW', 'AE'].map((name) => cellsOf(properties[name], size)) as [number[], number[], number[]]
  const turn = properties.PL?.[0]?.trim().toUpperCase()
  const toMove = turn?.startsWith('B') ? ('B' as const) : turn?.startsWith('W') ? ('W' as const) : null
  const setup: SetUp | null = black.length || white.length || empty.length || toMove ? { black, white, empty, toMove } : null
  const kept = Object.entries(properties).filter(([name]) => !OWN.includes(name) && !HEAD.includes(name))
  return {
    move: raw === null || isPass ? null : cellOf(raw, size),
    color: isPass ? null : color,
    setup,
    comment: plain(properties.C?.[0] ?? ''),
    extra: kept.length ? { properties: Object.fromEntries(kept) } : {},
  }
}

export function readSgf(text: string): GameFile {
  const root = parsed(text.slice(text.indexOf('(')))
  const head = (name: string): string => plain(root.properties[name]?.[0] ?? '').trim()
  const size = Number(/^\d+/.exec(head('SZ'))?.[0] ?? 15)
  if (!(size >= LIMITS.minSize && size <= LIMITS.maxSize)) throw bad(`SZ[${head('SZ')}]: expected ${LIMITS.minSize} to ${LIMITS.maxSize}`)
  const own = Object.fromEntries((root.properties.WUZI ?? []).map((pair) => plain(pair).split(':')))
  const rule = head('RU') ? ruleNamed(head('RU')) : 'freestyle'
  const tree = newTree({ size, winLength: Number(own.win_length ?? Math.min(5, size)), rule: rule ?? 'freestyle' })
  Object.assign(at(tree, ROOT), partsOf(root.properties, size))
  tree.players = { black: head('PB'), white: head('PW') }
  if (at(tree, ROOT).move !== null) {
    // A move in the first node: the board before it is empty.
    const { move, color, comment } = at(tree, ROOT)
    Object.assign(at(tree, ROOT), { move: null, color: null, comment: '' })
    addNode(tree, ROOT, { move, color, comment })
  }
  const first = at(tree, ROOT).children[0] ?? ROOT
  const stack = root.children.map((raw) => ({ raw, parent: first })).reverse()
  while (stack.length) {
    const { raw, parent } = stack.pop()!
    const id = addNode(tree, parent, partsOf(raw.properties, size))
    stack.push(...raw.children.map((child) => ({ raw: child, parent: id })).reverse())
  }
  return { tree, date: head('DT'), result: resultOf(head('RE')), warnings: rule ? [] : [`unknown rule ${head('RU')}: read as freestyle`] }
}

/** A result in few letters: `B+`, `W+R`, `0`. */
function resultOf(text: string): string {
  if (/^(0|draw|jigo)$/i.test(text)) return '0'
  const found = /^(b|w|black|white)\s*\+\s*(.*)$/i.exec(text)
  if (!found) return ''
  const suffix = /^r/i.test(found[2]!) ? 'R' : /^t/i.test(found[2]!) ? 'T' : ''
  return `${found[1]![0]!.toUpperCase()}+${suffix}`
}

export function writeSgf({ tree, date, result }: GameFile): string {
  const { size, winLength, rule } = tree.rules
  const { black, white } = tree.players
  const head = { FF: '4', AP: 'wuzi', CA: 'UTF-8', DT: date, GM: '4', PB: black, PW: white, RE: result, RU: rule, SZ: String(size) }
  const first = Object.entries(head).flatMap(([name, value]) => (value ? [`${name}[${escaped(value)}]`] : []))
  if (winLength !== 5) first.push(`WUZI[win_length:${winLength}]`)
  const parts: string[] = []
  const stack: (number | string)[] = [ROOT]
  while (stack.length) {
    const one = stack.pop()!
    if (typeof one === 'string') parts.push(one)
    else {
      const { children } = at(tree, one)
      parts.push(`;${one === ROOT ? first.join('') : ''}${propertiesOf(tree, at(tree, one), size)}`)
      if (children.length === 1) stack.push(children[0]!)
      else for (const child of [...children].reverse()) stack.push(')', child, '(')
    }
  }
  return `(${wrapped(parts)})\n`
}

/** Lines are broken between nodes, before they grow too long. */
function wrapped(parts: string[]): string {
  let width = 1
  return parts
    .map((part) => {
      const breaks = part.startsWith(';') && width + part.length > FILES.LINE_WIDTH && width > 1
      width = (breaks ? 0 : width) + part.length
      return breaks ? `\n${part}` : part
    })
    .join('')
}

function propertiesOf(tree: Tree, { id, move, color, setup, comment, extra }: TreeNode, size: number): string {
  const point = (cell: number): string => `[${LETTERS[cell % size]}${LETTERS[Math.floor(cell / size)]}]`
  const list = (name: string, cells: number[]): string => (cells.length ? name + cells.map(point).join('') : '')
  const played = move === null ? '' : `${color ?? toMoveAt(tree, id)}${point(move)}`
  const stones = setup ? list('AB', setup.black) + list('AW', setup.white) + list('AE', setup.empty) + (setup.toMove ? `PL[${setup.toMove}]` : '') : ''
  const words = comment ? `C[${escaped(comment)}]` : ''
  const kept = Object.entries((extra.properties as Properties | undefined) ?? {}).map(([name, raws]) => name + raws.map((raw) => `[${raw}]`).join(''))
  return played + stones + words + kept.join('')
}

