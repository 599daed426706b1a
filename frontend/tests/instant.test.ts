import { flushPromises } from '@vue/test-utils'
import { readFileSync } from 'node:fs'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { backend } from '@/backend'
import { useGame } from '@/features/play/game'
import { useLayers } from '@/features/analysis/layers'
import { useStudy } from '@/features/analysis/study'
import { positionAfter, positionOf, refusedAt, rulebook } from '@/game/legality'
import { cellOf } from '@/game/notation'
import { FakeServer, human, makeGame } from './fakeServer'

const RULES = { size: 9, winLength: 5, rule: 'freestyle' }
let server: FakeServer

function board(black: string[], white: string[], size = 9): string[] {
  const cells = Array<string>(size ** 2).fill('.')
  for (const move of black) cells[cellOf(move, size)] = 'B'
  for (const move of white) cells[cellOf(move, size)] = 'W'
  return cells
}
const FOUR = board(['a9', 'b9', 'c9', 'd9'], ['a8', 'b8', 'c8', 'd8'])
const looks = (): unknown[] => server.calls.filter((call) => call.path.startsWith('/positions'))

beforeEach(() => {
  localStorage.clear()
  setActivePinia(createPinia())
  server = new FakeServer()
})

describe('before the rule book is loaded', () => {
  it('the server is the one who looks at boards, and no stone is placed in a study', async () => {
    expect(refusedAt(RULES, FOUR, 'B', cellOf('a9', 9))).toBeNull()
    expect(positionOf(RULES, FOUR, 'B')).toBeNull()
    expect(useStudy().play(cellOf('h8', 15))).toBe(false)
    await flushPromises()
    expect(looks()).toHaveLength(1)
  })

  it('a failed load is tried again', async () => {
    server.offline = true
    expect(await rulebook()).toBeNull()
    server.offline = false
    expect(await rulebook()).not.toBeNull()
  })
})

describe('with the rule book', () => {
  beforeEach(async () => void (await rulebook()))

  it('the page knows why a point cannot be played', () => {
    const refused = (move: string, cells = FOUR) => refusedAt(RULES, cells, 'B', cellOf(move, 9))
    expect([refused('a9'), refused('a8'), refused('e9')]).toEqual(['occupied', 'occupied', null])
    const won = positionAfter(RULES, FOUR, 'B', cellOf('e9', 9))!
    expect(won.end).toEqual({ winner: 1, reason: 'line' })
    expect(won.winningLines).toEqual([[0, 1, 2, 3, 4]])
    expect(refused('i1', [...won.text])).toBe('over')
    expect(positionAfter(RULES, FOUR, 'B', 0)).toBeNull()
    expect(positionOf(RULES, board(['a9', 'b9', 'c9', 'd9', 'e9'], ['a8', 'b8', 'c8', 'd8', 'e8']), 'B'), 'no game has two winners').toBeNull()
  })

  it('boards are looked at without the server, in its words', async () => {
    const body = { size: 15, winLength: 5, rule: 'renju' as const, moves: ['f8', 'a1', 'g8', 'c1', 'h9', 'e1', 'h10', 'a3'] }
    const found = await backend.request('positions.look_at', { body })
    expect([found.forbidden, found.toMove, found.ply, found.legal]).toEqual([[{ move: 'h8', kind: 'double_three' }], 'B', 8, 217])
    const asked = backend.request('positions.look', { code: 'h8h8' })
    await expect(asked).rejects.toMatchObject({ code: 'illegal_move', status: 422 })
    expect(looks()).toEqual([])
  })

  it('the threats on a board are those that the server finds', async () => {
    const golden = JSON.parse(readFileSync('../tests/golden/files/threats.json', 'utf8')) as { moves: string[]; threats: unknown[] }
    const body = { moves: golden.moves }
    expect((await backend.request('positions.look_at', { body, threats: true })).threats).toEqual(golden.threats)
    expect((await backend.request('positions.look_at', { body })).threats).toBeNull()
    expect(looks()).toEqual([])
  })

  it('shows threats before the server has said how they win', async () => {
    const [study, layers] = [useStudy(), useLayers()]
    layers.choice.layer = 'threats'
    for (const move of ['h8', 'a1', 'h9', 'b1', 'h10', 'c3']) study.play(cellOf(move, 15))
    await vi.waitFor(() => expect(layers.made).not.toBeNull())
    expect(server.calls.filter((call) => call.path === '/layers')).toEqual([])
    expect(layers.made!.threats).toMatchObject({ found: expect.arrayContaining([expect.objectContaining({ kind: 'open_three', color: 'B' })]) as unknown, lines: [] })
    expect(layers.loading).toBe(true)
  })

  it('a study takes no stone where one lies, nor after the end', async () => {
    const study = useStudy()
    study.replace({ ...study.doc, rules: RULES })
    for (const move of ['a9', 'a8', 'b9', 'b8', 'c9', 'c8', 'd9', 'd8']) expect(study.play(cellOf(move, 9))).toBe(true)
    expect(study.play(cellOf('a9', 9))).toBe(false)
    expect([study.play(cellOf('e9', 9)), study.play(cellOf('e8', 9))]).toEqual([true, false])
  })

  it('a win is seen while the stone is still on its way', async () => {
    const moves = ['a15', 'a14', 'b15', 'b14', 'c15', 'c14', 'd15', 'd14']
    server.put(makeGame({ moves, seats: [human('B'), human('W')] }))
    const store = useGame()
    await store.open('game1')
    await flushPromises()
    expect(store.ahead).toBeNull()
    const sent = store.pick(cellOf('e15', 15))
    expect(store.ahead?.winningLines).toEqual([[0, 1, 2, 3, 4]])
    await sent
    expect(store.ahead).toBeNull()
    store.close()
  })
})
