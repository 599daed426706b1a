/** The tables and nets of the engine, as `wuzi site` wrote them: fetched when a rule first needs them. */

import type { RuleName } from '@/wire'
import { type Kernels, type RecordName, WasmArray, type WasmRecord } from '@/wasm/kernels'

/** A part of a file: bytes of a record's field, or an array of its own. */
interface Section {
  record: 'TABLES' | 'CODEBOOK' | 'PARAMETERS_RECORD' | null
  field: string
  type: string
  shape: number[]
  bytes: number
}

/** What the kernels read of one rule and win length. */
export interface EngineData {
  tables: WasmRecord<'TABLES'>
  net: WasmRecord<'CODEBOOK'>
  parameters: WasmRecord<'PARAMETERS_RECORD'>
}

/** The parts of a file: a line of JSON names its sections, then come their bytes. */
function partsOf(content: Uint8Array): (Section & { from: Uint8Array })[] {
  const end = content.indexOf(10)
  const { sections } = JSON.parse(new TextDecoder().decode(content.subarray(0, end))) as { sections: Section[] }
  let at = end + 1
  return sections.map((one) => ({ ...one, from: content.subarray(at, (at += one.bytes)) }))
}

/** Reads a file that holds nothing but the tables of threats. */
export function readTables(kernels: Kernels, content: Uint8Array): WasmRecord<'TABLES'> {
  const tables = kernels.record('TABLES')
  for (const { field, from } of partsOf(content)) tables.bytes(field as never).set(from)
  return tables
}

/** Reads a file with all that an engine needs. */
export function readData(kernels: Kernels, content: Uint8Array): EngineData {
  const data: EngineData = {
    tables: kernels.record('TABLES'),
    net: kernels.record('CODEBOOK'),
    parameters: kernels.record('PARAMETERS_RECORD'),
  }
  const records = { TABLES: data.tables, CODEBOOK: data.net, PARAMETERS_RECORD: data.parameters }
  const arrays: Record<string, WasmArray> = {}
  for (const { record, field, type, shape, bytes, from } of partsOf(content)) {
    if (record) (records[record] as WasmRecord<RecordName>).bytes(field as never).set(from)
    else {
      arrays[field] = kernels.array(type, ...shape)
      kernels.bytes(arrays[field].at, bytes).set(from)
    }
  }
  if (arrays.windows && arrays.lines) kernels.call('fill_rows', data.net, data.tables, arrays.windows, arrays.lines)
  return data
}

/** The files by rule and win length, relative to the page; some hold only the tables of threats. */
export type DataFiles = Record<string, { file: string; hasNet: boolean }>

export const dataName = (rule: RuleName, winLength: number): string => `${rule}-${winLength}`

/** Fetches a file that was compressed when the site was made, whatever its host does. */
export async function fetchPacked(url: string): Promise<Uint8Array> {
  const response = await fetch(url)
  if (!response.ok || !response.body) throw new Error(`${url}: HTTP ${response.status}`)
  const plain = response.body.pipeThrough(new DecompressionStream('gzip'))
  return new Uint8Array(await new Response(plain).arrayBuffer())
}

/** The data of rules, each made once. */
export class DataShelf {
  private readonly known = new Map<string, Promise<EngineData>>()

  constructor(
    private readonly kernels: Kernels,
    private readonly base: string,
    readonly files: DataFiles,
  ) {}

  /** Whether the engine knows these rules. */
  hasNet({ rule, winLength }: { rule: RuleName; winLength: number }): boolean {
    return this.files[dataName(rule, winLength)]?.hasNet ?? false
  }

  /** Whether threats have names under these rules. */
  hasTables({ rule, winLength }: { rule: RuleName; winLength: number }): boolean {
    return dataName(rule, winLength) in this.files
  }

  async get({ rule, winLength }: { rule: RuleName; winLength: number }): Promise<EngineData> {
    const name = dataName(rule, winLength)
    const file = this.files[name]?.file
    if (!file) throw new Error(`there is no engine data for ${name}`)
    let found = this.known.get(name)
    if (!found) {
      found = fetchPacked(new URL(file, this.base).href).then((content) => readData(this.kernels, content))
      found.catch(() => this.known.delete(name))
      this.known.set(name, found)
    }
    return found
  }
}
