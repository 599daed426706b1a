/** The thread that learns: works in slices, hears the page between them, and keeps the run after each iteration. */

import type { Ask, FromLearner, Report, SavedNet, Speed, ToLearner } from './messages'
import { cardOf, NetFileError, packWeights, readNet } from './netFile'
import { playersHere, PlayerThreads } from './players'
import { type Choice, loadLearner, loadTables } from './recipes'
import { type KeptNet, LearnRun, type Look } from './run'
import { type KeptRun, RunStore } from './store'
import type { Snapshot } from './net'
import { yieldToEvents } from '../yieldToEvents'

const REPORT_MS = 200
const SHOWN_GAMES = 4

let loaded = loadLearner()
const store = new RunStore()
let run: LearnRun | null = null
let players: PlayerThreads | null = null
let speed: Speed = 'full'
/** Whether it shall work, and whether it does: after a pause a slice may still be under way. */
let isGoing = false
let isWorking = false
/** Trainings that learned nothing before this one. */
let givenUp = 0
let told = -Infinity

const tell = (message: FromLearner): void => self.postMessage(message)

self.onmessage = ({ data }: MessageEvent<ToLearner>) => {
  hear(data).catch((error: unknown) => {
    if (error instanceof NetFileError) tell({ type: 'refused', code: error.code })
    else tell({ type: 'failed', id: data.type === 'ask' ? data.id : null, message: error instanceof Error ? error.message : String(error) })
  })
}

async function hear(message: ToLearner): Promise<void> {
  switch (message.type) {
    case 'open': {
      const kept = await store.load()
      if (!kept) return tell({ type: 'none' })
      await make(kept.state.choice, kept)
      return report()
    }
    case 'begin':
      await make(message.choice)
      return first()
    case 'from': {
      const { recipes } = await loaded
      const { snapshot, ...fits } = await readNet(recipes, message.weights, message.card)
      await make({ ...message.choice, ...fits, isOpened: true }, null, snapshot)
      return first()
    }
    case 'go':
      speed = message.speed
      return go()
    case 'pause':
      isGoing = false
      return
    case 'ask':
      tell({ type: 'answer', id: message.id, answer: await answer(run!, message.ask) })
  }
}

async function make(choice: Choice, kept: KeptRun | null = null, from: Snapshot | null = null): Promise<void> {
  const { kernels, recipes } = await loaded
  const tables = await loadTables(kernels, choice.winLength)
  players?.end()
  players = playersHere() > 0 ? new PlayerThreads(choice, kept?.state.begun ?? 0, playersHere()) : null
  run = new LearnRun(kernels, recipes, choice, tables, { keep: (...parts) => void store.keep(...parts) }, players)
  if (kept) run.restore(kept.state, kept.nets, kept.games)
  if (from) run.beginFrom(from)
}

/** A fresh run takes the place of the one that was kept. */
async function first(): Promise<void> {
  await store.clear()
  await store.keep(run!.state(), run!.nets[0]!, [])
  report()
}

/** Another seed takes the place of one with which nothing was learned, in memory of its own. */
async function rescue({ choice, recipes }: LearnRun): Promise<void> {
  givenUp++
  loaded = loadLearner()
  await make({ ...choice, seed: choice.seed + recipes.rescue.stride })
  await first()
}

async function go(): Promise<void> {
  isGoing = true
  if (isWorking || !run) return
  isWorking = true
  report()
  try {
    do {
      if (run.isHopeless && givenUp < run.recipes.rescue.attempts) await rescue(run)
      await work(run)
    } while (isGoing && run.isHopeless)
  } finally {
    isGoing = isWorking = false
    report()
  }
}

async function work(own: LearnRun): Promise<void> {
  let begun = performance.now()
  await own.work(async () => {
    if (performance.now() - told >= REPORT_MS) report()
    const spent = performance.now() - begun
    await (speed === 'half' ? new Promise((resume) => setTimeout(resume, spent)) : yieldToEvents())
    begun = performance.now()
    return !isGoing
  })
}

function report(): void {
  if (!run) return
  told = performance.now()
  const { choice, phase, iteration, iterations, seconds, curves, games, going, nets, lastGame } = run
  const last = lastGame && { moves: lastGame.moves, line: lastGame.line, result: lastGame.result }
  const found: Report = {
    ...{ choice, phase, iteration, iterations, seconds, curves, last, givenUp },
    state: isGoing ? 'going' : run.isOver ? 'over' : 'paused',
    games,
    nets: nets.map((net) => net.seconds),
    going: going.slice(0, SHOWN_GAMES),
  }
  tell({ type: 'report', report: found })
}

async function answer(own: LearnRun, ask: Ask): Promise<Look | SavedNet> {
  const net = ask.net === null ? own.nets.at(-1)! : own.nets[ask.net]!
  if (ask.kind === 'save') return saved(own, net)
  if (ask.kind === 'look') return own.look(ask.moves, net)
  return own.search(ask.moves, net, ask.simulations, async () => {
    await yieldToEvents()
    return false
  })
}

async function saved(own: LearnRun, net: KeptNet): Promise<SavedNet> {
  const { choice, recipe } = own
  const name = `learned-${choice.size}x${choice.size}-${choice.winLength}-i${net.iteration}`
  const made = { method: 'selfplay', preset: 'tiny', learner: 'kernels', where: 'browser', ...choice, iteration: net.iteration, seconds: Math.round(net.seconds) }
  const weights = packWeights(recipe, net)
  return { name, weights, card: await cardOf(recipe, choice, weights, own.checks(net), made, name) }
}
