/** Gradient steps of a small net by the kernels that learn in Python, too: what `KernelLearner` does there. */

import type { Kernels, WasmArray } from '@/wasm/kernels'
import { Net, type Snapshot, snapshotOf, restore, type Weights } from './net'
import type { NetRecipe, Preset, Recipes } from './recipes'

/** Positions and what is to be learned of them; the planes are where the net reads them. */
export interface Batch {
  count: number
  policy: WasmArray
  replies: WasmArray
  lines: WasmArray
  results: WasmArray
  left: WasmArray
  values: Float32Array
  policyWeights: Float32Array
  valueWeights: Float32Array
}

export type Losses = Record<'loss' | 'policy' | 'value', number>

/** Everything of a learner that a reload must not lose. */
export interface LearnerState {
  steps: number
  own: Snapshot
  average: Snapshot
  moments: [Float32Array, Float32Array]
}

/** Of the kernel `adam`: decay is off the weights. */
const APART = 1

export class Learner {
  readonly net: Net
  /** The averaged weights, which play. */
  readonly average: Weights
  steps = 0
  private readonly moments: [WasmArray, WasmArray]
  private readonly targets: Record<'ended' | 'soft', WasmArray>
  private readonly numbers: Record<'values' | 'policyWeights' | 'valueWeights' | 'known', WasmArray>

  constructor(
    private readonly kernels: Kernels,
    recipe: NetRecipe,
    private readonly recipes: Recipes,
    size: number,
  ) {
    this.net = new Net(kernels, recipe, recipes, size)
    this.average = this.net.weights()
    const count = this.net.program.lengths.parameters!
    this.moments = [kernels.array('float32', count), kernels.array('float32', count)]
    const { batch, cells } = this.net
    this.targets = { ended: kernels.array('float32', batch, 3), soft: kernels.array('float32', batch, cells) }
    const row = (): WasmArray => kernels.array('float32', batch)
    this.numbers = { values: row(), policyWeights: row(), valueWeights: row(), known: row() }
  }

  private get options(): Preset['learn'] {
    return this.recipes.preset.learn
  }

  /** Draws the weights that a run begins with. */
  begin(draw: (count: number) => Float64Array): void {
    this.net.begin(draw)
    restore(this.average, snapshotOf(this.net.own))
  }

  /** Begins with these weights. */
  beginFrom(net: Snapshot): void {
    for (const weights of [this.net.own, this.average]) restore(weights, net)
  }

  state(): LearnerState {
    const [first, second] = this.moments.map((one) => Float32Array.from(one.view())) as [Float32Array, Float32Array]
    return { steps: this.steps, own: snapshotOf(this.net.own), average: snapshotOf(this.average), moments: [first, second] }
  }

  restore({ steps, own, average, moments }: LearnerState): void {
    this.steps = steps
    restore(this.net.own, own)
    restore(this.average, average)
    moments.forEach((one, i) => this.moments[i]!.view().set(one))
  }

  /** One step, when `progress` (0 to 1) of the run is done; the losses before it. */
  step(batch: Batch, progress: number): Losses {
    const { kernels, net, options } = this
    const { work, program } = net
    const rate = this.rate(progress)
    net.pass(batch.count, net.own, true)
    work.weight_gradients.clear()
    const gradients = work.gradients.view()
    for (const [start, count] of program.clear) gradients.fill(0, start, start + count)
    const found = this.losses(batch)
    kernels.call('backward', ...net.args(), net.operations, net.boards)
    const parts = program.trained.map(([start, end]) => [work.parameters, work.weight_gradients, ...this.moments].map((one) => one.part(start, end)))
    const norm = Math.sqrt(parts.reduce((sum, [, steps]) => sum + kernels.call('squared_norm', steps!), 0))
    if (!Number.isFinite(norm) || !Number.isFinite(found.loss)) throw new Error(`the loss is ${found.loss} at a learning rate of ${rate}, or its gradient is not finite`)
    this.steps++
    const scale = Math.min(1, options.clip / (norm + 1e-6))
    for (const [weights, steps, first, second] of parts) {
      kernels.call('adam', weights!, steps!, first!, second!, this.steps, scale, rate, options.weight_decay, APART)
    }
    const share = 1 - Math.min(options.ema, (1 + this.steps) / (10 + this.steps))
    kernels.call('move_towards', this.average.parameters, work.parameters, share)
    kernels.call('move_towards', this.average.running, work.running, share)
    return found
  }

  private rate(progress: number): number {
    const { lr, lr_last: last, warmup } = this.options
    const share = (1 + Math.cos(Math.PI * Math.min(1, Math.max(0, progress)))) / 2
    return Math.min(1, (this.steps + 1) / (warmup + 1)) * (last + (lr - last) * share)
  }

  /** The losses; the gradients of the outputs are then where the backward pass begins. */
  private losses(batch: Batch): Losses {
    const { kernels, net, options, numbers, targets } = this
    const { cells, size } = net
    const count = batch.count
    numbers.values.view().set(batch.values)
    numbers.policyWeights.view().set(batch.policyWeights)
    numbers.valueWeights.view().set(batch.valueWeights)
    const at = (name: string): [number, number] => {
      const [place, row] = net.program.tensors[name]!
      return [place, row]
    }
    const entropy = (name: string, target: WasmArray, weights: WasmArray, share: number): number =>
      kernels.call('cross_entropy', ...net.args(), ...at(name), target, weights, share)

    const policy = entropy('policy', batch.policy, numbers.policyWeights, options.policy_weight)
    const value = this.valueLoss(batch, entropy)
    let loss = options.policy_weight * policy + options.value_weight * value

    const [shares, soft] = [batch.policy.view(), targets.soft.view()]
    const [replies, known] = [batch.replies.view(), numbers.known.view()]
    for (let b = 0; b < count; b++) {
      let [whole, replied] = [0, 0]
      for (let i = b * cells; i < (b + 1) * cells; i++) {
        whole += soft[i] = Math.pow(shares[i]!, this.recipes.softPower)
        replied += replies[i]!
      }
      for (let i = b * cells; i < (b + 1) * cells; i++) soft[i]! /= whole
      known[b] = replied > 0 ? batch.policyWeights[b]! : 0
    }
    loss += options.soft_policy_weight * entropy('soft_policy', targets.soft, numbers.policyWeights, options.soft_policy_weight)
    loss += options.reply_weight * entropy('reply_policy', batch.replies, numbers.known, options.reply_weight)
    const labels = kernels.arrayPart(batch.lines, count, size, size)
    const [moves] = at('moves_left')
    loss += options.moves_weight * kernels.call('squares', ...net.args(), moves, batch.left, numbers.valueWeights, options.moves_weight)
    loss += options.line_weight * kernels.call('cell_classes', ...net.args(), ...at('final_line'), net.boards, labels, numbers.valueWeights, options.line_weight)
    return { loss, policy, value }
  }

  /** Cross-entropy of win, draw and loss, and the squared error of what they are worth. */
  private valueLoss({ count, results }: Batch, entropy: (name: string, target: WasmArray, weights: WasmArray, share: number) => number): number {
    const { kernels, net, options, numbers, targets } = this
    const { value_target: part, value_weight: weight } = options
    const ended = targets.ended.view().fill(0)
    for (let b = 0; b < count; b++) ended[3 * b + 1 - Math.sign(results.get(b))] = 1
    const [place, row] = net.program.tensors.wdl_logits!
    const loss = (1 - part) * entropy('wdl_logits', targets.ended, numbers.valueWeights, weight * (1 - part))
    return loss + part * kernels.call('wdl_loss', ...net.args(), place, row, numbers.values, numbers.valueWeights, weight * part)
  }
}
