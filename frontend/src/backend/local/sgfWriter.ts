/** Writing SGF: from a file's tree to text, as `wuzi.records.formats.sgf_writer` writes it. */

import { parseCell } from '@/game/notation'
import { at, ROOT, toMoveAt, type Tree, type TreeNode } from '@/game/tree'
import { FILES } from '@/wasm/generated'
import { endText } from './names'
import type { GameFile } from './replay'
import { escaped, HEADERS, LETTERS, type Mark, pairText, PRIVATE, type Properties } from './sgf'

const OWN: readonly string[] = FILES.NODE_NAMES

export function writeSgf({ tree, date, end, opening, actions, headers }: GameFile): string {
  const { size, winLength, rule } = tree.rules
  const { black, white } = tree.players
  const head: Properties = { FF: ['4'], GM: ['4'], CA: ['UTF-8'], AP: [escaped(headers.application ?? 'wuzi')], SZ: [String(size)], RU: [rule] }
  const texts: Record<string, string> = { PB: black, PW: white, DT: date, RE: end ? endText(end) : '' }
  for (const [name, header] of Object.entries(HEADERS)) if (header !== 'application') texts[name] = headers[header] ?? ''
  for (const [name, text] of Object.entries(texts)) if (text) head[name] = [escaped(text)]
  const own: [string, string][] = winLength === 5 ? [] : [['win_length', String(winLength)]]
  if (opening !== 'free') own.push(['opening', opening])
  if (actions) own.push(['actions', actions.join(' ')])
  if (end && losesReason(end)) own.push(['reason', end.reason])
  const known = Object.values(HEADERS)
  own.push(...Object.entries(headers).filter(([key]) => !known.includes(key)))
  if (own.length) head[PRIVATE] = own.map(([key, value]) => pairText(key, value))
  const pieces = ['(']
  const stack: (number | string)[] = [ROOT]
  while (stack.length) {
    const one = stack.pop()!
    if (typeof one === 'string') pieces.push(one)
    else {
      const { children } = at(tree, one)
      const held = propertiesOf(tree, at(tree, one), size)
      const all = one === ROOT ? merged(head, held) : held
      const names = Object.keys(all).sort((a, b) => Number(b === 'FF') - Number(a === 'FF') || (a < b ? -1 : 1))
      pieces.push(';', ...names.map((name) => name + all[name]!.map((raw) => `[${raw}]`).join('')))
      if (children.length === 1) stack.push(children[0]!)
      else for (const child of [...children].reverse()) stack.push(')', child, '(')
    }
  }
  return filled([...pieces, ')', '\n'])
}

/** Whether SGF's result alone does not bring back the reason. */
const losesReason = ({ winner, reason }: { winner: string | null; reason: string }): boolean =>
  winner ? ['crash', 'illegal', 'adjudication', 'draw_full', 'agreement'].includes(reason) : !['draw_full', 'agreement'].includes(reason)

const merged = (one: Properties, two: Properties): Properties => {
  const all = { ...one }
  for (const [name, raws] of Object.entries(two)) all[name] = [...(all[name] ?? []), ...raws]
  return all
}

/** Lines are broken between pieces, before they grow too long in UTF-8. */
function filled(pieces: string[]): string {
  const encoder = new TextEncoder()
  let width = 0
  return pieces
    .map((piece) => {
      const { length } = encoder.encode(piece)
      const breaks = width > 0 && width + length > FILES.LINE_WIDTH
      width = (breaks ? 0 : width) + length
      return breaks ? `\n${piece}` : piece
    })
    .join('')
}

function propertiesOf(tree: Tree, { id, move, color, setup, comment, extra }: TreeNode, size: number): Properties {
  const point = (cell: number): string => `${LETTERS[cell % size]}${LETTERS[Math.floor(cell / size)]}`
  const held: Properties = {}
  if (move !== null) held[color ?? toMoveAt(tree, id)] = [point(move)]
  for (const [name, cells] of Object.entries({ AB: setup?.black, AW: setup?.white, AE: setup?.empty })) if (cells?.length) held[name] = cells.map(point)
  if (setup?.toMove) held.PL = [setup.toMove]
  if (comment) held.C = [escaped(comment)]
  for (const { kind, cell, text = '' } of (extra.marks as Mark[] | undefined) ?? []) {
    const name = (FILES.MARKS as Record<string, string>)[kind]!
    ;(held[name] ??= []).push(point(parseCell(cell, size)!) + (kind === 'label' ? `:${escaped(text)}` : ''))
  }
  if (typeof extra.time_ms === 'number') held[PRIVATE] = [`time_ms:${extra.time_ms}`]
  const kept = Object.fromEntries(Object.entries((extra.properties as Properties | undefined) ?? {}).filter(([name]) => !OWN.includes(name)))
  return merged(held, kept)
}
