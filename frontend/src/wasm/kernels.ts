/**
 * wuzi's kernels, compiled from Python to WebAssembly, and their memory.
 *
 * Records and arrays live in the module's memory; offsets come from `generated.ts`. Whole numbers of a kernel
 * are 64 bits wide, and are numbers here: every one that the page reads is below 2 ** 53, save hash keys.
 */

import { KERNELS, RECORDS } from './generated'
import type * as learner from './learner/generated'

type AllRecords = typeof RECORDS & typeof learner.RECORDS
export type RecordName = keyof AllRecords
export type KernelName = keyof typeof KERNELS | keyof typeof learner.KERNELS
export type FieldName<R extends RecordName> = keyof AllRecords[R]['fields'] & string
type Argument = number | bigint | WasmRecord<RecordName> | WasmArray
type View = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | Float32Array | Float64Array

interface Field {
  readonly at: number
  readonly type: string
  readonly shape: readonly number[]
}

interface Parameter {
  readonly name: string
  readonly kind: string
  readonly dims?: number
}

interface Shape {
  readonly returns: string
  readonly parameters: readonly Parameter[]
}

interface Layout {
  readonly bytes: number
  readonly fields: Readonly<Record<string, Field>>
}

/** The kernels of a module and the records that they take. */
export interface Description {
  readonly RECORDS: Readonly<Record<string, Layout>>
  readonly KERNELS: Readonly<Record<string, Shape>>
}

const records: Record<string, Layout> = { ...RECORDS }
const shapes: Record<string, Shape> = { ...KERNELS }

/** What kernels ask their host for. */
const { exp, log, log2, pow, tanh } = Math
const HOST = { env: { exp, expf: exp, log, logf: log, log2, pow, tanh, tanhf: tanh } }

const BYTES: Record<string, number> = {
  bool: 1, int8: 1, uint8: 1, int16: 2, uint16: 2, int32: 4, uint32: 4, int64: 8, uint64: 8, float32: 4, float64: 8,
}

const VIEWS = {
  int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array,
  float32: Float32Array, float64: Float64Array,
} as const

/** One record of the module's memory. */
export class WasmRecord<R extends RecordName> {
  constructor(
    private readonly kernels: Kernels,
    readonly name: R,
    readonly at: number,
  ) {}

  /** A number of the record, at an index where the field is an array (row by row). */
  get(field: FieldName<R>, index = 0): number {
    const { type, place } = this.place(field, index)
    return this.kernels.read(type, place)
  }

  /** Sets a number of the record. */
  set(field: FieldName<R>, value: number, index = 0): void {
    const { type, place } = this.place(field, index)
    this.kernels.write(type, place, value)
  }

  /** A number of 64 bits, whole. */
  getBig(field: FieldName<R>, index = 0): bigint {
    return new DataView(this.kernels.memory.buffer).getBigUint64(this.place(field, index).place, true)
  }

  /** Sets a number of 64 bits. */
  setBig(field: FieldName<R>, value: bigint): void {
    new DataView(this.kernels.memory.buffer).setBigUint64(this.place(field, 0).place, value, true)
  }

  /** The bytes of a field, to be used before any kernel is called or memory asked for. */
  bytes(field: FieldName<R>): Uint8Array {
    const { type, shape } = this.field(field)
    const { place } = this.place(field, 0)
    return this.kernels.bytes(place, BYTES[type]! * shape.reduce((a, b) => a * b, 1))
  }

  private field(name: string): Field {
    return records[this.name]!.fields[name]!
  }

  private place(name: string, index: number): { type: string; place: number } {
    const { at, type } = this.field(name)
    return { type, place: this.at + at + index * BYTES[type]! }
  }
}

/** An array in the module's memory, of numbers or of records. */
export class WasmArray {
  constructor(
    private readonly kernels: Kernels,
    readonly kind: string,
    readonly shape: readonly number[],
    readonly at: number,
  ) {}

  private made: readonly (number | bigint)[] | null = null

  /** The array as Numba passes it. */
  get header(): readonly (number | bigint)[] {
    const strides = this.shape.map((_, i) => this.shape.slice(i + 1).reduce((a, b) => a * b, this.itemBytes))
    const sizes = [...this.shape, ...strides].map(BigInt)
    return (this.made ??= [0, 0, BigInt(this.items), BigInt(this.itemBytes), this.at, ...sizes])
  }

  get items(): number {
    return this.shape.reduce((a, b) => a * b, 1)
  }

  get itemBytes(): number {
    return bytesOf(this.kind)
  }

  get(index: number): number {
    return this.kernels.read(this.kind, this.at + index * this.itemBytes)
  }

  set(index: number, value: number): void {
    this.kernels.write(this.kind, this.at + index * this.itemBytes, value)
  }

  /** A number of one of the records of the array, at a place where the field is an array. */
  getField(index: number, field: string, place = 0): number {
    const { at, type } = records[this.kind]!.fields[field]!
    return this.kernels.read(type, this.at + index * this.itemBytes + at + place * BYTES[type]!)
  }

  /** One of the records of the array. */
  record<R extends RecordName>(index: number): WasmRecord<R> {
    return new WasmRecord<R>(this.kernels, this.kind as R, this.at + index * this.itemBytes)
  }

  /** Some of the items of an array of one dimension, in the same memory. */
  part(start: number, end: number): WasmArray {
    return new WasmArray(this.kernels, this.kind, [end - start], this.at + start * this.itemBytes)
  }

  /** Makes all of it zeros. */
  clear(): void {
    this.kernels.bytes(this.at, this.items * this.itemBytes).fill(0)
  }

  /** The numbers themselves, to be used before any kernel is called or memory asked for. */
  view(): View {
    const type = VIEWS[this.kind as keyof typeof VIEWS]
    if (!type) throw new Error(`an array of ${this.kind} has no view; use get and set`)
    return new type(this.kernels.memory.buffer, this.at, this.items)
  }
}

/** An instance of the module. Memory that was given out stays so until the instance ends. */
export class Kernels {
  readonly memory: WebAssembly.Memory
  private readonly functions: Record<string, (...args: (number | bigint)[]) => number>
  private readonly slots: number
  private top: number

  constructor(instance: WebAssembly.Instance) {
    const { memory, __heap_base: base, ...functions } = instance.exports
    this.memory = memory as WebAssembly.Memory
    this.functions = functions as typeof this.functions
    this.top = (base as WebAssembly.Global).value as number
    this.slots = this.allocate(64)
  }

  /** Loads a module; another than the first one brings its description. */
  static async load(module: BufferSource, more?: Description): Promise<Kernels> {
    Object.assign(records, more?.RECORDS)
    Object.assign(shapes, more?.KERNELS)
    return new Kernels((await WebAssembly.instantiate(module, HOST)).instance)
  }

  /** A record of zeros. */
  record<R extends RecordName>(name: R): WasmRecord<R> {
    return new WasmRecord(this, name, this.allocate(bytesOf(name)))
  }

  /** An array of zeros, of a type of numbers or of records. */
  array(kind: string, ...shape: number[]): WasmArray {
    return new WasmArray(this, kind, shape, this.allocate(shape.reduce((a, b) => a * b, bytesOf(kind))))
  }

  /** The first items of an array, in another shape but in the same memory. */
  arrayPart(whole: WasmArray, ...shape: number[]): WasmArray {
    return new WasmArray(this, whole.kind, shape, whole.at)
  }

  /** Calls a kernel; what it returns. */
  call(name: KernelName, ...args: Argument[]): number {
    const { parameters, returns } = shapes[name]!
    if (args.length !== parameters.length) {
      throw new Error(`kernel ${name} takes ${parameters.length} arguments, not ${args.length}`)
    }
    const flat: (number | bigint)[] = [this.slots, this.slots + 32]
    parameters.forEach((parameter, i) => flat.push(...flattened(name, parameter, args[i]!)))
    const code = this.functions[name]!(...flat)
    if (code !== 0) throw new Error(`kernel ${name} failed with ${code}`)
    return returns === 'void' ? 0 : this.read(returns, this.slots)
  }

  /** Calls a kernel whose answer is a number of 64 bits. */
  callBig(name: KernelName, ...args: Argument[]): bigint {
    this.call(name, ...args)
    return new DataView(this.memory.buffer).getBigUint64(this.slots, true)
  }

  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at, length)
  }

  read(type: string, at: number): number {
    const data = new DataView(this.memory.buffer)
    switch (type) {
      case 'int8': return data.getInt8(at)
      case 'bool': case 'uint8': return data.getUint8(at)
      case 'int16': return data.getInt16(at, true)
      case 'uint16': return data.getUint16(at, true)
      case 'int32': return data.getInt32(at, true)
      case 'uint32': return data.getUint32(at, true)
      case 'int64': return Number(data.getBigInt64(at, true))
      case 'uint64': return Number(data.getBigUint64(at, true))
      case 'float32': return data.getFloat32(at, true)
      case 'float64': return data.getFloat64(at, true)
      default: throw new Error(`no number is of type ${type}`)
    }
  }

  write(type: string, at: number, value: number): void {
    const data = new DataView(this.memory.buffer)
    switch (type) {
      case 'int8': case 'bool': case 'uint8': return data.setUint8(at, value)
      case 'int16': case 'uint16': return data.setUint16(at, value, true)
      case 'int32': case 'uint32': return data.setUint32(at, value, true)
      case 'int64': case 'uint64': return data.setBigInt64(at, BigInt(value), true)
      case 'float32': return data.setFloat32(at, value, true)
      case 'float64': return data.setFloat64(at, value, true)
      default: throw new Error(`no number is of type ${type}`)
    }
  }

  private allocate(size: number): number {
    const at = Math.ceil(this.top / 64) * 64
    this.top = at + size
    const missing = this.top - this.memory.buffer.byteLength
    if (missing > 0) this.memory.grow(Math.ceil(missing / 65536))
    return at
  }
}

function bytesOf(kind: string): number {
  return records[kind]?.bytes ?? BYTES[kind]!
}

/** An argument as Numba passes it: a record by its address, an array by its header. */
function flattened(kernel: string, parameter: Parameter, value: Argument): readonly (number | bigint)[] {
  const wrong = () => new Error(`kernel ${kernel}, argument ${parameter.name}: expected ${expected(parameter)}`)
  if (parameter.dims !== undefined) {
    if (!(value instanceof WasmArray) || value.kind !== parameter.kind || value.shape.length !== parameter.dims) {
      throw wrong()
    }
    return value.header
  }
  if (parameter.kind in records) {
    if (!(value instanceof WasmRecord) || value.name !== parameter.kind) throw wrong()
    return [value.at]
  }
  if (typeof value !== 'number' && typeof value !== 'bigint') throw wrong()
  return [parameter.kind.endsWith('int64') ? BigInt(value) : Number(value)]
}

function expected(parameter: Parameter): string {
  return parameter.dims === undefined ? parameter.kind : `${parameter.kind} of ${parameter.dims} dimensions`
}
