/**
 * wuzi's kernels, compiled from Python to WebAssembly, and their memory.
 *
 * Records and arrays live in the module's memory; offsets come from `generated.ts`. Whole numbers of a kernel
 * are 64 bits wide, and are numbers here: every one that the page reads is below 2 ** 53, save hash keys.
 */

import { KERNELS, RECORDS } from './generated'

export type RecordName = keyof typeof RECORDS
export type KernelName = keyof typeof KERNELS
export type FieldName<R extends RecordName> = keyof (typeof RECORDS)[R]['fields'] & string
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
    return (RECORDS[this.name].fields as Record<string, Field>)[name]!
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
    const { at, type } = (RECORDS[this.kind as RecordName].fields as Record<string, Field>)[field]!
    return this.kernels.read(type, this.at + index * this.itemBytes + at + place * BYTES[type]!)
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

  static async load(module: BufferSource): Promise<Kernels> {
    return new Kernels((await WebAssembly.instantiate(module)).instance)
  }

  /** A record of zeros. */
  record<R extends RecordName>(name: R): WasmRecord<R> {
    return new WasmRecord(this, name, this.allocate(RECORDS[name].bytes))
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
    const { parameters, returns } = KERNELS[name]
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
  return kind in RECORDS ? RECORDS[kind as RecordName].bytes : BYTES[kind]!
}

/** An argument as Numba passes it: a record by its address, an array by its header. */
function flattened(kernel: string, parameter: Parameter, value: Argument): (number | bigint)[] {
  const wrong = () => new Error(`kernel ${kernel}, argument ${parameter.name}: expected ${expected(parameter)}`)
  if (parameter.dims !== undefined) {
    if (!(value instanceof WasmArray) || value.kind !== parameter.kind || value.shape.length !== parameter.dims) {
      throw wrong()
    }
    const strides = value.shape.map((_, i) => value.shape.slice(i + 1).reduce((a, b) => a * b, value.itemBytes))
    const sizes = [...value.shape, ...strides].map(BigInt)
    return [0, 0, BigInt(value.items), BigInt(value.itemBytes), value.at, ...sizes]
  }
  if (parameter.kind in RECORDS) {
    if (!(value instanceof WasmRecord) || value.name !== parameter.kind) throw wrong()
    return [value.at]
  }
  if (typeof value !== 'number' && typeof value !== 'bigint') throw wrong()
  return [parameter.kind.endsWith('int64') ? BigInt(value) : Number(value)]
}

function expected(parameter: Parameter): string {
  return parameter.dims === undefined ? parameter.kind : `${parameter.kind} of ${parameter.dims} dimensions`
}
