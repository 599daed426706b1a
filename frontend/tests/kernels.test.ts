import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { Kernels } from '@/wasm/kernels'

let kernels: Kernels

beforeAll(async () => {
  kernels = await Kernels.load(readFileSync('src/wasm/kernels.wasm'))
})

describe('the kernels as WebAssembly', () => {
  it.each([
    [3, 3, [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872], 255168],
    [5, 4, [25, 600, 13800], 0],
  ])('count the games of %ix%i as Python does', (size, winLength, nodes, finished) => {
    const state = kernels.record('STATE')
    const counts = kernels.array('int64', nodes.length)
    kernels.call('reset', state, size, winLength, 0)
    expect(kernels.call('perft', state, nodes.length, counts)).toBe(finished)
    expect(nodes.map((_, ply) => counts.get(ply))).toEqual(nodes)
  })

  it('know the winner, and take a stone back', () => {
    const state = kernels.record('STATE')
    kernels.call('reset', state, 15, 5, 0)
    const point = (row: number, column: number) => (row + 5) * 32 + column + 5
    for (let column = 0; column < 5; column++) {
      kernels.call('push', state, point(7, column))
      if (column < 4) kernels.call('push', state, point(9, column))
    }
    expect([state.get('result'), state.get('ply'), state.get('cells', point(7, 4))]).toEqual([1, 9, 1])
    kernels.call('pop', state)
    expect([state.get('result'), state.get('ply'), state.get('cells', point(7, 4))]).toEqual([0, 8, 0])
  })

  it('refuse what is no argument of a kernel', () => {
    const state = kernels.record('STATE')
    expect(() => kernels.call('perft', state, 3)).toThrow('takes 3 arguments, not 2')
    expect(() => kernels.call('pop', kernels.record('PATTERNS'))).toThrow('argument state: expected STATE')
    const words = kernels.array('int32', 4)
    expect(() => kernels.call('perft', state, 3, words)).toThrow('argument nodes: expected int64 of 1 dimensions')
  })
})
