import { describe, expect, it } from 'vitest'
import { fromLink, linkParts, requestAt } from '@/game/place'
import { fromRecord, toRecord } from '@/game/record'
import * as tree from '@/game/tree'
import { cellOf } from '@/game/notation'

const RULES = { size: 15, winLength: 5, rule: 'freestyle' }
const cell = (name: string): number => cellOf(name, 15)
const cells = (code: string): number[] => code.split(' ').map(cell)

function sample() {
  const one = tree.newTree(RULES)
  const main = tree.addLine(one, tree.ROOT, cells('h8 i9 h9 h7'))
  const [, first, second] = tree.pathTo(one, main)
  const side = tree.addLine(one, second!, cells('j10 k11'))
  const early = tree.addLine(one, first!, cells('g8'))
  return { one, main, first: first!, second: second!, side, early }
}

describe('a tree', () => {
  it('takes a known stone as known', () => {
    const { one, main, first } = sample()
    expect(tree.addMove(one, tree.ROOT, cell('h8'), 'B')).toBe(first)
    expect(Object.keys(one.nodes)).toHaveLength(8)
    expect(tree.movesAt(one, main)).toEqual(cells('h8 i9 h9 h7'))
  })

  it('knows the board and whose turn it is', () => {
    const { one, side } = sample()
    const board = tree.cellsAt(one, side)
    expect(board.filter((stone) => stone === 'B')).toHaveLength(2)
    expect(board[cell('k11')]).toBe('W')
    expect(tree.toMoveAt(one, side)).toBe('B')
  })

  it('goes by the set-up board where there is one', () => {
    const setup = { black: cells('h8 h9'), white: cells('a1'), empty: [], toMove: null }
    const one = tree.newTree(RULES, setup)
    expect(tree.toMoveAt(one, tree.ROOT)).toBe('W')
    const id = tree.addLine(one, tree.ROOT, cells('b2'))
    expect(tree.at(one, id).color).toBe('W')
  })

  it('steps along the line that leads through a node', () => {
    const { one, second, main, side } = sample()
    expect(tree.lineThrough(one, second).at(-1)).toBe(main)
    expect(tree.lineThrough(one, side)).toEqual(tree.pathTo(one, side))
  })

  it('goes round the variations of a move', () => {
    const { one, second, early } = sample()
    expect(tree.sibling(one, second, 1)).toBe(early)
    expect(tree.sibling(one, early, 1)).toBe(second)
    expect(tree.sibling(one, second, -1)).toBe(early)
    expect(tree.sibling(one, tree.ROOT, 1)).toBe(tree.ROOT)
  })

  it('removes a variation with all below it', () => {
    const { one, side, second } = sample()
    const start = tree.at(one, side).parent!
    expect(tree.removeNode(one, start)).toBe(second)
    expect(tree.at(one, second).children).toHaveLength(1)
    expect(one.nodes[side]).toBeUndefined()
    expect(tree.removeNode(one, tree.ROOT)).toBe(tree.ROOT)
  })

  it('promotes the variation that a node is in, step by step', () => {
    const { one, side, main, first } = sample()
    expect(tree.promote(one, main)).toBe(false)
    expect(tree.promote(one, side)).toBe(true)
    expect(tree.lineThrough(one, first)).toContain(side)
    expect(tree.promote(one, side)).toBe(false)
    expect(tree.promote(one, main)).toBe(true)
    expect(tree.lineThrough(one, first)).toContain(main)
  })
})

describe('a variation of a variation', () => {
  it('becomes the main line at once', () => {
    const one = tree.newTree({ size: 9, winLength: 5, rule: 'freestyle' })
    tree.addLine(one, tree.ROOT, [0, 1, 2, 3])
    const outer = tree.addLine(one, tree.pathTo(one, 1).at(-1)!, [11, 12, 13])
    const inner = tree.addLine(one, tree.at(one, tree.at(one, outer).parent!).id, [23, 24])
    expect(tree.promote(one, inner)).toBe(true)
    expect(tree.movesAt(one, tree.lineThrough(one, tree.ROOT).at(-1)!)).toEqual([0, 11, 12, 23, 24])
    expect(tree.subtree(one, tree.ROOT)).toHaveLength(10)
    expect(tree.promote(one, inner)).toBe(false)
  })
})

describe('the list of a tree', () => {
  const names = (one: tree.Tree) => tree.layout(one).map((run) => [run.depth, run.nodes.length])

  it('is one run without variations, and empty without moves', () => {
    const one = tree.newTree(RULES)
    expect(tree.layout(one)).toEqual([])
    tree.addLine(one, tree.ROOT, cells('h8 i9 h9'))
    expect(names(one)).toEqual([[0, 3]])
  })

  it('interrupts a line where variations branch off', () => {
    const { one, early, side } = sample()
    expect(names(one)).toEqual([
      [0, 2],
      [1, 1],
      [0, 1],
      [1, 2],
      [0, 1],
    ])
    expect(tree.layout(one)[1]!.nodes).toEqual([early])
    expect(tree.layout(one)[3]!.nodes).toContain(side)
  })

  it('shows every move once, however the tree grows', () => {
    let state = 7
    const random = (below: number): number => (state = (state * 48271) % 2147483647) % below
    for (let round = 0; round < 30; round++) {
      const one = tree.newTree(RULES)
      for (let i = 0; i < 60; i++) {
        const ids = Object.keys(one.nodes).map(Number)
        const from = ids[random(ids.length)]!
        tree.addMove(one, from, random(225), tree.toMoveAt(one, from))
      }
      const shown = tree.layout(one).flatMap((run) => run.nodes)
      expect(shown.toSorted((a, b) => a - b)).toEqual(
        Object.keys(one.nodes)
          .map(Number)
          .filter((id) => id !== tree.ROOT)
          .toSorted((a, b) => a - b),
      )
    }
  })
})

describe('records', () => {
  it('come back as they went', () => {
    const { one, side } = sample()
    tree.at(one, side).comment = 'Why not here?'
    tree.at(one, side).extra = { marks: [{ kind: 'triangle', cell: 'h8' }], properties: { XX: ['1'] } }
    one.players = { black: 'Ann', white: 'Ben' }
    const record = toRecord(one)
    const again = fromRecord(record)
    expect(toRecord(again)).toEqual(record)
    expect(tree.layout(again).length).toBe(tree.layout(one).length)
  })

  it('are read in their short form, with set-up stones', () => {
    const one = fromRecord({
      format: 'wuzi-record',
      version: 1,
      rules: { size: 15, win_length: 5, rule: 'renju' },
      setup: { black: ['h8'], to_move: 'white' },
      moves: ['i9', 'j10'],
    })
    const last = tree.lineThrough(one, tree.ROOT).at(-1)!
    expect(tree.toMoveAt(one, last)).toBe('W')
    expect(tree.cellsAt(one, last).filter((stone) => stone !== '.')).toHaveLength(3)
    expect(one.rules.rule).toBe('renju')
  })
})

describe('positions for the server and for links', () => {
  it('go by moves where colours alternate', () => {
    const { one, main } = sample()
    expect(requestAt(one, main)).toEqual({ ...RULES, moves: ['h8', 'i9', 'h9', 'h7'] })
  })

  it('go by stones where they do not', () => {
    const one = tree.newTree(RULES)
    const first = tree.addMove(one, tree.ROOT, cell('h8'), 'B')
    const second = tree.addMove(one, first, cell('h9'), 'B')
    const request = requestAt(one, second)
    expect(request.moves).toBeUndefined()
    expect(request.toMove).toBe('W')
    expect(request.cells?.match(/B/g)).toHaveLength(2)
  })

  it('come back from a link', () => {
    const { one, side } = sample()
    const parts = linkParts(one, side)
    expect(parts.code).toBe('h8i9j10k11')
    const found = fromLink(parts.code, parts.query)!
    expect(tree.movesAt(found.tree, found.last)).toEqual(tree.movesAt(one, side))
  })

  it('come back from a link with set-up stones', () => {
    const one = tree.newTree(RULES, { black: cells('h8 h9'), white: cells('a1'), empty: [], toMove: 'B' })
    const last = tree.addLine(one, tree.ROOT, cells('c3'))
    const parts = linkParts(one, last)
    const found = fromLink(parts.code, parts.query)!
    expect(tree.cellsAt(found.tree, found.last)).toEqual(tree.cellsAt(one, last))
    expect(tree.toMoveAt(found.tree, found.last)).toBe('W')
  })

  it.each([
    ['zz', {}],
    ['h8', { size: '99' }],
    ['h8', { black: '??' }],
  ])('refuse %s %o', (code, query) => {
    expect(fromLink(code, query)).toBeNull()
  })
})
