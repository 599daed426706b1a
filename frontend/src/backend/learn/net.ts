/** The memory of a net that learns or plays, and its passes. */

import type { Kernels, WasmArray, WasmRecord } from '@/wasm/kernels'
import type { NetRecipe, Program, Recipes } from './recipes'

/** The arrays of a learner, in the order of Python's `Work`. */
const PARTS = ['values', 'gradients', 'parameters', 'weight_gradients', 'running', 'saved', 'packed', 'mask', 'sums'] as const
const LANES = 16
const TANH = 7

/** The numbers of a net: what is trained, and the statistics of its norms. */
export interface Weights {
  parameters: WasmArray
  running: WasmArray
}

/** What a net says of some positions: logits by cell, and values for the side to move. */
export interface Answers {
  logits: Float32Array
  values: Float32Array
}

/** A copy of weights outside the module's memory. */
export interface Snapshot {
  parameters: Float32Array
  running: Float32Array
}

const up = (count: number): number => Math.ceil(count / LANES) * LANES

export class Net {
  readonly program: Program
  readonly work: Record<(typeof PARTS)[number], WasmArray>
  readonly operations: WasmArray
  readonly boards: WasmRecord<'BOARDS'>
  /** The positions that are looked at next: planes [batch, channels, size, size]. */
  readonly planes: WasmArray
  readonly cells: number

  constructor(
    readonly kernels: Kernels,
    readonly recipe: NetRecipe,
    recipes: Recipes,
    readonly size: number,
  ) {
    const program = (this.program = recipe.programs[size]!)
    this.cells = size ** 2
    this.work = Object.fromEntries(PARTS.map((name) => [name, kernels.array('float32', program.lengths[name]!)])) as typeof this.work
    this.operations = kernels.array('OPERATION', program.operations.length)
    program.operations.forEach((numbers, i) => {
      const record = this.operations.record<'OPERATION'>(i)
      recipes.operation.forEach((name, k) => record.set(name as 'kind', Number(numbers[k])))
    })
    this.boards = kernels.record('BOARDS')
    ;(['batch', 'size', 'stride', 'area'] as const).forEach((name, i) => this.boards.set(name, program.boards[i]!))
    this.planes = kernels.array('float32', this.batch, recipe.channels, size, size)
    this.fillMask()
  }

  get batch(): number {
    return this.program.boards[0]
  }

  /** Room for other weights of the same net. */
  weights(): Weights {
    const { parameters, running } = this.program.lengths
    return { parameters: this.kernels.array('float32', parameters!), running: this.kernels.array('float32', running!) }
  }

  /** The weights that are trained. */
  get own(): Weights {
    return this.work
  }

  /** Draws a beginning, by numbers from 0 to 1 of which there are always enough. */
  begin(draw: (count: number) => Float64Array): void {
    const { parameters, running } = this.work
    for (const [, shape, start, isRunning, [low, high]] of this.recipe.weights) {
      const count = shape.reduce((a, b) => a * b, 1)
      const numbers = low < high ? draw(count) : null
      const out = (isRunning ? running : parameters).view()
      for (let i = 0; i < count; i++) out[start + i] = numbers ? low + (high - low) * numbers[i]! : low
    }
  }

  /** Computes the first `count` of some planes, by default of those here; norms go by the batch where it trains. */
  pass(count: number, weights: Weights = this.own, isTraining = false, planes = this.planes): void {
    this.setCount(count)
    const { kernels, work, program, boards } = this
    const [place, row] = program.tensors.features!
    kernels.call('take_planes', planes, work.values, place, row, boards)
    kernels.call('forward', ...this.args(weights), this.operations, boards, Number(isTraining))
  }

  /** What a net with these weights answers to the first `count` of some planes. */
  answersTo(planes: WasmArray, count: number, weights: Weights): Answers {
    this.pass(count, weights, false, planes)
    const logits = this.numbers('policy', count)
    const wdl = this.numbers('wdl_logits', count)
    const values = Float32Array.from({ length: count }, (_, b) => {
      const [win, draw, loss] = [wdl[3 * b]!, wdl[3 * b + 1]!, wdl[3 * b + 2]!]
      const most = Math.max(win, draw, loss)
      const [w, d, l] = [Math.exp(win - most), Math.exp(draw - most), Math.exp(loss - most)]
      return (w - l) / (w + d + l)
    })
    return { logits, values }
  }

  /** The arguments that stand for a learner's arrays. */
  args(weights: Weights = this.own): WasmArray[] {
    return PARTS.map((name) => (name === 'parameters' || name === 'running' ? weights[name] : this.work[name]))
  }

  /** An output of vectors, one after the other. */
  private numbers(name: string, count: number): Float32Array {
    const [place, row, channels] = this.program.tensors[name]!
    const values = this.work.values.view()
    const out = new Float32Array(count * channels)
    for (let c = 0; c < channels; c++) for (let b = 0; b < count; b++) out[b * channels + c] = values[place + c * row + b]!
    return out
  }

  private setCount(count: number): void {
    if (this.boards.get('batch') === count) return
    this.boards.set('batch', count)
    const onBoards = up(count * this.program.boards[3])
    for (let i = 0; i < this.program.operations.length; i++) {
      const record = this.operations.record<'OPERATION'>(i)
      // The mask of boards comes first, then that of vectors.
      const isBoard = record.get('mask') === 0
      record.set('count', isBoard ? onBoards : record.get('kind') >= TANH ? count : up(count))
    }
  }

  private fillMask(): void {
    const [batch, size, stride, area] = this.program.boards
    const mask = this.work.mask.view()
    for (let b = 0; b < batch; b++) {
      for (let r = 0; r < size; r++) mask.fill(1, b * area + r * stride, b * area + r * stride + size)
    }
    mask.fill(1, this.program.vectors, this.program.vectors + batch)
  }
}

/** A copy of weights. */
export const snapshotOf = ({ parameters, running }: Weights): Snapshot => ({
  parameters: Float32Array.from(parameters.view()),
  running: Float32Array.from(running.view()),
})

/** Puts a copy back. */
export function restore({ parameters, running }: Weights, from: Snapshot): void {
  parameters.view().set(from.parameters)
  running.view().set(from.running)
}
