/** What `scripts/build_wasm.py` wrote for learning: Python's preset, nets as programs of kernels, openings. */

import { fetchPacked, readTables } from '@/backend/engine/data'
import recipesUrl from '@/wasm/learner/recipes.json?url'
import moduleUrl from '@/wasm/learner.wasm?url'
import tables4Url from '@/wasm/learner/tables-4.bin.gz?url'
import tables5Url from '@/wasm/learner/tables-5.bin.gz?url'
import { Kernels, type WasmRecord } from '@/wasm/kernels'
import * as description from '@/wasm/learner/generated'

/** A net on boards of a size, see `Program` in `wuzi.training.learner.kernels.program`. */
export interface Program {
  boards: [batch: number, size: number, stride: number, area: number]
  operations: number[][]
  lengths: Record<string, number>
  vectors: number
  /** Place of the first cell, places from channel to channel, channels; of outputs and of the features. */
  tensors: Record<string, [place: number, row: number, channels: number]>
  clear: [start: number, count: number][]
  trained: [start: number, end: number][]
}

/** Name, shape, where its numbers lie, whether among the running statistics, and between what they begin. */
export type Weight = [name: string, shape: number[], start: number, isRunning: number, begins: [low: number, high: number]]

export interface NetRecipe {
  card: Record<string, unknown> & { architecture: string; options: Record<string, unknown>; planes: string; graph: { outputs: Record<string, string> } }
  channels: number
  weights: Weight[]
  programs: Record<string, Program>
}

/** The sections of the preset that a run in a tab goes by, with Python's names. */
export interface Preset {
  net: { architecture: string }
  selfplay: {
    games: number
    concurrency: number
    simulations: number
    full_simulations: number
    full_share: number
    doublings: number
    temperature: number
    temperature_last: number
    temperature_plies: number
    temperature_after: number
    opening_share: number
    opening_plies_min: number
    opening_plies_max: number
  }
  replay: {
    window: number
    window_max: number
    window_share: number
    fast_weight: number
    fast_value_weight: number
    decided_weight: number
    surprise_share: number
  }
  learn: {
    batch: number
    samples: number
    lr: number
    lr_last: number
    warmup: number
    weight_decay: number
    clip: number
    ema: number
    value_target: number
    policy_weight: number
    value_weight: number
    soft_policy_weight: number
    reply_weight: number
    line_weight: number
    moves_weight: number
  }
  run: { iterations: number }
}

export interface BoardRecipe {
  pairs: string[]
  checks: string[]
}

export interface Recipes {
  preset: Preset
  tree: Record<'tactical' | 'plain', Record<string, number>>
  softPower: number
  /** After so many iterations it is asked whether the policy's loss was ever below that of random moves. */
  rescue: { iterations: number; attempts: number; stride: number; losses: Record<string, number> }
  scores: number[][]
  planes: Record<string, string>
  operation: string[]
  /** By the net's short name, then by the planes that it reads. */
  nets: Record<string, Record<string, NetRecipe>>
  maps: Record<string, number[][]>
  /** By size and win length, such as `6-4`. */
  boards: Record<string, BoardRecipe>
}

/** Where the tables of threats are, for the win lengths that they have names for. */
const TABLES: Record<number, string> = { 4: tables4Url, 5: tables5Url }

/** What a visitor chooses before a run begins. */
export interface Choice {
  size: number
  winLength: number
  net: string
  simulations: number
  seed: number
  /** Whether it begins with the net of a file. */
  isOpened?: boolean
}

/** The kernels that learn, and all that is known of nets; loaded when somebody wants to learn. */
export async function loadLearner(): Promise<{ kernels: Kernels; recipes: Recipes }> {
  const [module, recipes] = await Promise.all([fetch(moduleUrl).then((found) => found.arrayBuffer()), fetch(recipesUrl).then((found) => found.json() as Promise<Recipes>)])
  return { kernels: await Kernels.load(module, description), recipes }
}

/** The tables of threats for a win length, if there are any. */
export async function loadTables(kernels: Kernels, winLength: number): Promise<WasmRecord<'TABLES'> | null> {
  const url = TABLES[winLength]
  return url ? readTables(kernels, await fetchPacked(url)) : null
}
