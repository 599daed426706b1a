/** The engine's worker in Node: the page's own code, told and heard as the page does, with files read from disk. */

import { readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { vi } from 'vitest'
import type { AskName, Asks, FromWorker, GameData, ToWorker } from '@/backend/engine/asks'
import { gameData } from '@/backend/engine/asks'
import { gameOf } from '@/backend/local/positions'
import type { Facts } from '@/backend/local/facts'
import { formatCell, parseCode } from '@/game/notation'
import type { RulesIn } from '@/wire'

/** What `wuzi site` writes for the engine: facts.json and the files that it names; see tests/wasm/test_page_messages.py. */
const FOLDER = process.env.WUZI_SITE_DATA!
/** Of how many rows one is asked. */
const EVERY = Number(process.env.WUZI_MESSAGES_EVERY)
/** The engine of the messages, and its table of 16 MB. */
export const ENGINE = 'engine:fresh=true,table_mb=16'
const TABLE_BITS = 20

export const facts = JSON.parse(readFileSync(`${FOLDER}/facts.json`, 'utf8')) as Facts

/** A position of a message. */
export interface Question {
  rules: Required<RulesIn>
  moves: string
}

/** The rows of a file of golden messages. */
export function rowsOf<T>(name: string): T[] {
  return JSON.parse(gunzipSync(readFileSync(`../tests/golden/messages/${name}.json.gz`)).toString()) as T[]
}

/** The places of the rows to ask. */
export const chosen = (count: number): number[] => [...Array(count).keys()].filter((place) => place % EVERY === 0)

export const cellsIn = ({ rules, moves }: Question): number[] => parseCode(moves, rules.size)!

/** The game of a message; the kernels must be loaded. */
export function gameIn({ rules, moves }: Question): GameData {
  const { size, winLength, rule } = rules
  const cells = parseCode(moves, size)!
  return gameData(gameOf({ size, winLength, rule, moves: cells.map((cell) => formatCell(cell, size)) }))
}

/** A message as it is kept: through JSON, and numbers with nine digits. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, one: unknown) => (typeof one === 'number' ? Number(one.toFixed(9)) + 0 : one))
}

export type Ask = <A extends AskName>(name: A, asks: Asks[A]['asks']) => Promise<Asks[A]['answer']>

/** Starts the worker of this test file. */
export async function hired(): Promise<Ask> {
  const waiting = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>()
  const scope = {
    onmessage: null as ((event: { data: ToWorker }) => void) | null,
    postMessage(sent: FromWorker): void {
      const message = structuredClone(sent)
      if (message.type === 'done') waiting.get(message.id)!.resolve(message.answer as never)
      if (message.type === 'failed') waiting.get(message.id)!.reject(new Error(message.message))
    },
  }
  vi.stubGlobal('self', scope)
  vi.stubGlobal('fetch', async (url: string) => new Response(readFileSync(url.startsWith('file:') ? fileURLToPath(url) : `.${url}`)))
  await import('@/backend/engine/worker')
  const { loadRules } = await import('@/wasm/rulebook')
  const { fetchModule } = await import('@/backend/module')
  const tell = (message: ToWorker): void => scope.onmessage!({ data: structuredClone(message) })
  tell({ type: 'begin', base: `${pathToFileURL(FOLDER).href}/`, facts, tableBits: TABLE_BITS })
  await loadRules(fetchModule)
  let id = 0
  return (name, asks) =>
    new Promise((resolve, reject) => {
      waiting.set(++id, { resolve, reject })
      tell({ type: 'ask', id, name, asks, reportMs: null, share: 1 })
    })
}
