/** A thread that plays games of a run: those whose numbers are its own. */

import { yieldToEvents } from '../yieldToEvents'
import { Chance } from './chance'
import { Net, restore, type Weights } from './net'
import { Encoder } from './planes'
import type { FromPlayer, ToPlayer } from './players'
import { loadLearner, loadTables } from './recipes'
import { gamesOf, SelfPlay, treesOf } from './selfplay'

const TELL_MS = 250

let made: Promise<{ selfplay: SelfPlay; weights: Weights }> | null = null
let doublings = 0
let isGoing = false
let isWorking = false

self.onmessage = ({ data }: MessageEvent<ToPlayer>) => void hear(data)

async function hear(message: ToPlayer): Promise<void> {
  if (message.type === 'begin') made = make(message)
  else if (message.type === 'pause') isGoing = false
  else {
    isGoing = true
    doublings = message.doublings
    const { selfplay, weights } = await made!
    restore(weights, message.net)
    if (!isWorking) await work(selfplay, weights)
  }
}

async function make({ choice, first, count }: Extract<ToPlayer, { type: 'begin' }>): Promise<{ selfplay: SelfPlay; weights: Weights }> {
  const { kernels, recipes } = await loadLearner()
  const tables = await loadTables(kernels, choice.winLength)
  const net = new Net(kernels, recipes.nets[choice.net]![recipes.planes[choice.winLength]!]!, recipes, choice.size)
  const games = Math.ceil(recipes.preset.selfplay.concurrency / count)
  const trees = treesOf(kernels, recipes, choice, net, new Encoder(kernels, tables), games)
  const selfplay = new SelfPlay(trees, gamesOf(recipes, choice), new Chance(kernels, choice.seed), first, count)
  return { selfplay, weights: net.own }
}

async function work(selfplay: SelfPlay, weights: Weights): Promise<void> {
  isWorking = true
  let told = -Infinity
  while (isGoing) {
    const ended = selfplay.step(weights, doublings)
    if (ended.length || performance.now() - told > TELL_MS) {
      told = performance.now()
      const message: FromPlayer = { ended, going: selfplay.going }
      self.postMessage(message)
    }
    await yieldToEvents()
  }
  isWorking = false
}
