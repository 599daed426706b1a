/** Net files as `wuzi` reads and writes them: weights as safetensors, and the card beside them. */

import type { Snapshot } from './net'
import type { Choice, NetRecipe, Recipes, Weight } from './recipes'

const ENCODER = new TextEncoder()
/** Version of the card. */
const SCHEMA = 1

/** What is wrong with a file that was opened, by a name that the page has words for. */
export class NetFileError extends Error {
  constructor(readonly code: 'files' | 'weights' | 'net' | 'board' | 'damaged') {
    super(code)
  }
}

export interface Check {
  moves: string
  value: number
  policy: number[]
}

interface Card {
  architecture: string
  options: Record<string, unknown>
  planes: string
  rules: { size: number; win_length: number; rule: string }
  weights_sha256: string
}

const itemsOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1)
const arrayOf = ([, shape, start, isRunning]: Weight, { parameters, running }: Snapshot): Float32Array =>
  (isRunning ? running : parameters).subarray(start, start + itemsOf(shape))

/** The content of a weights file. */
export function packWeights(recipe: NetRecipe, net: Snapshot): Uint8Array<ArrayBuffer> {
  const header: Record<string, unknown> = {}
  let end = 0
  for (const [name, shape] of recipe.weights) header[name] = { dtype: 'F32', shape, data_offsets: [end, (end += 4 * itemsOf(shape))] }
  const text = JSON.stringify(header)
  const words = ENCODER.encode(text.padEnd(8 * Math.ceil(text.length / 8)))
  const out = new Uint8Array(8 + words.length + end)
  new DataView(out.buffer).setBigUint64(0, BigInt(words.length), true)
  out.set(words, 8)
  let at = 8 + words.length
  for (const weight of recipe.weights) {
    const numbers = arrayOf(weight, net)
    out.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), at)
    at += numbers.byteLength
  }
  return out
}

/** The content of its card. */
export async function cardOf(recipe: NetRecipe, choice: Choice, weights: Uint8Array<ArrayBuffer>, checks: readonly Check[], made: Record<string, unknown>, name: string): Promise<string> {
  const rules = { size: choice.size, win_length: choice.winLength, rule: 'freestyle' }
  const card = { ...recipe.card, name, rules, weights_sha256: await sha256(weights), recipe: made, checks: checks.map((one) => ({ rules, ...one })) }
  const lines = Object.entries(card).map(([key, value]) => ` ${JSON.stringify(key)}: ${JSON.stringify(value)}`)
  return `{\n${lines.join(',\n')}\n}\n`
}

async function sha256(content: Uint8Array<ArrayBuffer>): Promise<string> {
  return Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', content)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The net of the contents of its two files, of a kind that learns here; a `NetFileError` for another. */
export async function readNet(recipes: Recipes, weights: Uint8Array<ArrayBuffer>, cardText: string): Promise<{ net: string; size: number; winLength: number; snapshot: Snapshot }> {
  const card = parsedCard(cardText)
  const { size, win_length: winLength } = card.rules
  if (!recipes.boards[`${size}-${winLength}`] || card.rules.rule !== 'freestyle') throw new NetFileError('board')
  const own = Object.entries(recipes.nets).find(([, byPlanes]) => {
    const known = byPlanes[card.planes]?.card
    return known?.architecture === card.architecture && Object.entries(known.options).every(([key, value]) => card.options[key] === value)
  })
  if (!own || recipes.planes[winLength] !== card.planes) throw new NetFileError('net')
  if (globalThis.crypto?.subtle && (await sha256(weights)) !== card.weights_sha256) throw new NetFileError('damaged')
  return { net: own[0], size, winLength, snapshot: unpacked(own[1][card.planes]!, weights) }
}

function parsedCard(text: string): Card {
  try {
    const card = JSON.parse(text) as Card & { schema: number }
    if (card.schema === SCHEMA && card.rules && card.options) return card
  } catch {
    // It is no card, then.
  }
  throw new NetFileError('files')
}

function unpacked(recipe: NetRecipe, content: Uint8Array<ArrayBuffer>): Snapshot {
  const { lengths } = Object.values(recipe.programs)[0]!
  const found: Snapshot = { parameters: new Float32Array(lengths.parameters!), running: new Float32Array(lengths.running!) }
  try {
    const length = Number(new DataView(content.buffer, content.byteOffset).getBigUint64(0, true))
    const header = JSON.parse(new TextDecoder().decode(content.subarray(8, 8 + length))) as Record<string, { dtype: string; data_offsets: [number, number] }>
    for (const weight of recipe.weights) {
      const { dtype, data_offsets: [from, to] } = header[weight[0]]!
      const bytes = content.slice(8 + length + from, 8 + length + to)
      const own = arrayOf(weight, found)
      if (dtype !== 'F32' || bytes.length !== own.byteLength) throw new NetFileError('weights')
      own.set(new Float32Array(bytes.buffer))
    }
  } catch {
    throw new NetFileError('weights')
  }
  if (![...found.parameters, ...found.running].every(Number.isFinite)) throw new NetFileError('weights')
  return found
}
