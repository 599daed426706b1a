import type { Analysis, MoveInfo } from '@/wire'
import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { defineComponent, h, nextTick } from 'vue'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { rulebook } from '@/game/legality'
import { draftOf, resized, touch, treeOf } from '@/features/analysis/draft'
import { aboveUsual, compact, gradeOf, heatOf, marksOf, mate, withProof } from '@/features/analysis/marks'
import { addLine, cellsAt, newTree, ROOT, toMoveAt } from '@/game/tree'
import { cellOf } from '@/game/notation'
import { useAnalysis } from '@/features/analysis/analysis'
import { useCatalogue } from '@/backend/catalogue'
import { useLayers } from '@/features/analysis/layers'
import { useStudy } from '@/features/analysis/study'
import { useBalance } from '@/features/analysis/useBalance'
import EnginePanel from '@/features/analysis/EnginePanel.vue'
import ToastHost from '@/ui/ToastHost.vue'
import WinrateGraph from '@/ui/WinrateGraph.vue'
import { FakeServer, handicapGame } from './fakeServer'
import { mountPage } from './mountPage'

const candidate = (move: string, winrate: number | null, more: Partial<MoveInfo> = {}): MoveInfo => ({
  move,
  order: 0,
  visits: 100,
  winrate,
  prior: null,
  value: null,
  score: null,
  pv: [move],
  winIn: null,
  ...more,
})

function report(...moveInfos: MoveInfo[]): Omit<Analysis, 'id'> {
  const rootInfo = {
    currentPlayer: 'B' as const,
    visits: 500,
    winrate: moveInfos[0]?.winrate ?? null,
    nodes: 500,
    simulations: 0,
    depth: 3,
    maxDepth: 5,
    nps: 1000,
    time: 0.5,
  }
  return { isDuringSearch: true, turnNumber: 0, rootInfo, moveInfos, visits: null, policy: null }
}

describe('marks', () => {
  it('grade candidates by what they lose for the side to move', () => {
    const infos = [candidate('h8', 0.4), candidate('h9', 0.41), candidate('h10', 0.6), candidate('h11', null)]
    const marks = marksOf(infos, 'W', 15)
    expect(marks.map((mark) => mark.grade)).toEqual(['best', 'best', 'weak', 'fair'])
    expect(marks.map((mark) => mark.rank)).toEqual([1, 2, 3, 4])
    expect(marks[2]!.loss).toBeCloseTo(0.2)
    expect(gradeOf(0.9)).toBe('bad')
  })

  it.each([
    [7, '7'],
    [999, '999'],
    [1234, '1.2k'],
    [9949, '9.9k'],
    [45_600, '46k'],
    [999_499, '999k'],
    [999_500, '1.0M'],
    [12_345_678, '12M'],
  ])('write %d as %s', (count, text) => {
    expect(compact(count)).toBe(text)
  })

  it('write proven ends with the sign of the side whose chances are shown', () => {
    expect([mate(5, 'B', 'B'), mate(-4, 'B', 'B')]).toEqual(['M5', '−M4'])
    expect([mate(5, 'W', 'B'), mate(-4, 'W', 'B')]).toEqual(['−M5', 'M4'])
  })

  it('scale a heat map and label its strongest cells', () => {
    const heat = heatOf([null, 0, 5, 10, 0.1], String)
    expect(heat.values).toEqual([null, 0, 0.5, 1, 0.01])
    expect([...heat.labels]).toEqual([
      [3, '10'],
      [2, '5'],
    ])
    expect(heatOf([-4, 2], String, true).labels.get(0)).toBe('-4')
    expect(heatOf([-4, 0.1], String, true).labels.get(1)).toBe('0.1')
  })

  it('set cells apart from the usual value', () => {
    expect(aboveUsual([3, 3, 3, 9, null, 1])).toEqual([0, 0, 0, 6, null, 0])
  })
})

describe('a proved win', () => {
  const win = { color: 'W' as const, toMove: true, kind: 'vct' as const, verdict: 'win' as const, moves: ['f8', 'e7', 'g8'] }

  it('stands first in the table, whatever the search believed of it', () => {
    const found = withProof(report(candidate('h8', 0.4), candidate('f8', 0.266, { visits: 7 })), win)
    expect(found.rootInfo.winrate).toBe(0)
    expect(found.moveInfos.map(({ move, winrate, order, visits }) => [move, winrate, order, visits])).toEqual([['f8', 0, 0, 7], ['h8', 0.4, 1, 100]])
    expect(found.moveInfos[0]!.pv).toEqual(win.moves)
  })

  it('changes nothing where the search has one, or where there is none', () => {
    const known = report(candidate('a1', 0, { winIn: 5 }))
    expect(withProof(known, win)).toBe(known)
    expect(withProof(known, undefined)).toBe(known)
    expect(withProof(report(candidate('h8', 0.4)), win).moveInfos.map(({ move }) => move)).toEqual(['f8'])
  })
})

describe('a board that is set up', () => {
  const RULES = { size: 9, winLength: 5, rule: 'freestyle' }
  const centre = cellOf('e5', 9)

  it('takes stones, changes them and gives them back', () => {
    const draft = draftOf(newTree(RULES), ROOT)
    touch(draft, centre, 'turn')
    touch(draft, centre + 1, 'turn')
    expect([draft.cells[centre], draft.cells[centre + 1], draft.toMove]).toEqual(['B', 'W', 'B'])
    touch(draft, centre, 'W')
    expect(draft.cells[centre]).toBe('W')
    touch(draft, centre, 'W')
    touch(draft, centre + 1, 'erase')
    expect(draft.cells.every((stone) => stone === '.')).toBe(true)
  })

  it('becomes a study of the same stones', () => {
    const tree = newTree(RULES)
    const draft = draftOf(tree, addLine(tree, ROOT, [centre, 0]))
    draft.toMove = 'W'
    const made = treeOf(draft)
    expect(cellsAt(made, ROOT)).toEqual(draft.cells)
    expect(toMoveAt(made, ROOT)).toBe('W')
    expect(treeOf(draftOf(newTree(RULES), ROOT)).nodes[ROOT]!.setup).toBeNull()
  })

  it('keeps its stones about the centre when its size changes', () => {
    const draft = draftOf(newTree(RULES), ROOT)
    touch(draft, centre, 'B')
    touch(draft, 0, 'W')
    const larger = resized(draft, 15)
    expect(larger.cells[cellOf('h8', 15)]).toBe('B')
    expect(resized(larger, 9).cells).toEqual(draft.cells)
    expect(resized(draft, 5).cells.filter((stone) => stone !== '.')).toEqual(['B'])
  })
})

describe('a balance', () => {
  const Balance = defineComponent({
    setup(_, { expose }) {
      expose(useBalance(() => 'B'))
      return () => h(ToastHost)
    },
  })

  /** The message after a search has given Black these chances, and whether it has the tick of a success. */
  async function told(winrate: number, locale: 'en' | 'zh-CN' = 'en') {
    localStorage.clear()
    const server = new FakeServer()
    server.balance = { moves: ['i6'], winrate }
    const { page } = await mountPage(Balance, {}, { locale })
    await useCatalogue().load()
    await (page.vm as unknown as ReturnType<typeof useBalance>).find()
    await nextTick()
    const toast = page.get('[data-test="toast"]')
    const found = { text: toast.get('p').text(), ticked: toast.classes('info') }
    page.unmount()
    return found
  }

  it.each([0.4, 0.5, 0.6])('is one where the search after the move says so: %d', async (winrate) => {
    const { text, ticked } = await told(winrate)
    expect(text).toContain('After I6 both sides stand about alike.')
    expect(text).toContain(`Black then has ${100 * winrate}%.`)
    expect(ticked).toBe(true)
  })

  it.each([0, 0.39, 0.71, 1])('is none where that search says otherwise: %d', async (winrate) => {
    const { text, ticked } = await told(winrate)
    expect(text).toMatch(/^No move was found that balances this position; I6 comes nearest\./)
    expect(text).toContain(`Black then has ${100 * winrate}%.`)
    expect(ticked).toBe(false)
  })

  it('is told in Chinese too', async () => {
    expect((await told(1, 'zh-CN')).text).toBe('没有找到能使局面均衡的一手，I6 最接近。按这次单独的搜索，此后黑方胜率 100%。')
  })
})

describe('the curve of the win rates', () => {
  it.each([
    [[null, 0.7, null], 1],
    [[0.5, 0.7, null], 0],
    [[null, null], 0],
  ])('of %j has %i dots: one point alone would not be seen', async (winrates, dots) => {
    const { page } = await mountPage(WinrateGraph, { winrates, ply: 2, shown: 1, side: 'B' })
    expect(page.findAll('.dot')).toHaveLength(dots)
    page.unmount()
  })
})

describe('live analysis', () => {
  let server: FakeServer
  const sent = () => server.sockets.flatMap((socket) => socket.sent.map((text) => JSON.parse(text) as Record<string, unknown>))
  const starts = () => sent().filter((message) => message.type === 'start')
  const say = (message: object): void => server.say(message as never)

  beforeEach(async () => {
    vi.useFakeTimers()
    localStorage.clear()
    sessionStorage.clear()
    server = new FakeServer()
    await rulebook()
    setActivePinia(createPinia())
    await useCatalogue().load()
  })
  afterEach(() => {
    useAnalysis().close()
    vi.useRealTimers()
  })

  async function begun() {
    const [analysis, study] = [useAnalysis(), useStudy()]
    await flushPromises() // an engine is chosen
    analysis.start()
    await vi.advanceTimersByTimeAsync(10)
    const id = String(starts().at(-1)!.id)
    return { analysis, study, id }
  }

  it('asks when the line is up, shows reports, and keeps the last one', async () => {
    const { analysis, study, id } = await begun()
    expect(starts()).toHaveLength(1)
    say({ type: 'queued', id, ahead: 2 })
    expect([analysis.phase, analysis.ahead]).toEqual(['queued', 2])
    say({ type: 'info', id, seq: 1, ...report(candidate('h8', 0.6)) })
    expect(analysis.phase).toBe('running')
    say({ type: 'done', id, seq: 2, ...report(candidate('h9', 0.7)) })
    expect(analysis.phase).toBe('done')
    expect(study.node.score?.winrate).toBe(0.7)
  })

  it('says where it was ended for others', async () => {
    const { page } = await mountPage(EnginePanel)
    await useCatalogue().load()
    const { id } = await begun()
    say({ type: 'info', id, seq: 1, ...report(candidate('h8', 0.6)), madeRoom: true })
    await nextTick()
    expect(page.find('[data-test="made-room"]').exists()).toBe(false)
    say({ type: 'done', id, seq: 2, ...report(candidate('h8', 0.6)), madeRoom: true })
    await nextTick()
    expect(page.get('[data-test="made-room"]').text()).toContain('others were waiting')
    useAnalysis().start()
    await nextTick()
    expect(page.find('[data-test="made-room"]').exists()).toBe(false)
    page.unmount()
  })

  it('drops reports of another question', async () => {
    const { analysis, id } = await begun()
    say({ type: 'info', id: 'old', seq: 1, ...report(candidate('a1', 0.1)) })
    expect(analysis.report).toBeNull()
    say({ type: 'info', id, seq: 1, ...report(candidate('h8', 0.6)) })
    expect(analysis.report?.moveInfos[0]?.move).toBe('h8')
  })

  it('follows the position, and shows at once what it knows', async () => {
    const { analysis, study, id } = await begun()
    say({ type: 'done', id, seq: 1, ...report(candidate('h8', 0.6)) })
    study.play(cellOf('h8', 15))
    await flushPromises()
    expect(analysis.report).toBeNull()
    await vi.advanceTimersByTimeAsync(200)
    expect(starts()).toHaveLength(2)
    expect((starts()[1]!.position as { moves: string[] }).moves).toEqual(['h8'])
    analysis.stop()
    study.step(-1)
    await flushPromises()
    expect(analysis.report?.moveInfos[0]?.move).toBe('h8')
    expect(analysis.phase).toBe('done')
  })

  it('is asked once when one leafs through positions', async () => {
    const { study } = await begun()
    for (const move of ['h8', 'h9', 'h10']) {
      study.play(cellOf(move, 15))
      await vi.advanceTimersByTimeAsync(20)
    }
    await vi.advanceTimersByTimeAsync(200)
    expect(starts()).toHaveLength(2)
  })

  it('thinks longer about one position where that is wanted, and about the next one as before', async () => {
    const { analysis, study } = await begun()
    const limits = () => starts().map((one) => (one as unknown as { limit: { time: number } }).limit.time)
    analysis.choice.limit = 2
    await vi.advanceTimersByTimeAsync(500)
    analysis.deepen()
    study.play(cellOf('h8', 15))
    await vi.advanceTimersByTimeAsync(500)
    expect(limits().slice(-3)).toEqual([2, 16, 2])
  })

  it('stops, and does not begin again by itself', async () => {
    const { analysis, study, id } = await begun()
    say({ type: 'info', id, seq: 1, ...report(candidate('h8', 0.6)) })
    analysis.stop()
    expect(sent().at(-1)).toEqual({ type: 'stop', id })
    study.play(0)
    await vi.advanceTimersByTimeAsync(500)
    expect(starts()).toHaveLength(1)
  })

  it('says when the line is lost and back, and leaves it to the lane to ask again', async () => {
    const { analysis } = await begun()
    server.socket!.fail()
    expect(analysis.link).toBe('lost')
    await vi.advanceTimersByTimeAsync(3000)
    expect(analysis.link).toBe('online')
    expect(starts()).toHaveLength(1)
  })

  it('says what the server refuses', async () => {
    const { analysis, id } = await begun()
    say({ type: 'error', id, code: 'limit_exceeded', message: 'too many' })
    expect([analysis.phase, analysis.on, analysis.problem?.code]).toEqual(['error', false, 'limit_exceeded'])
  })

  it('does not begin anew for another layer: it has the maps of all', async () => {
    const layers = useLayers()
    const { analysis, id } = await begun()
    expect(starts()[0]!.include).toEqual(['visits', 'policy'])
    say({ type: 'done', id, seq: 1, ...report(candidate('h8', 0.6)) })
    for (const layer of ['threats', 'visits', 'policy'] as const) {
      layers.choice.layer = layer
      await vi.advanceTimersByTimeAsync(500)
    }
    expect(starts()).toHaveLength(1)
    expect(analysis.phase).toBe('done')
  })

  it('opens a game whose stones lay before its moves as it is', async () => {
    server.put(handicapGame({ winrates: [null, null, null, 0.5, 0.6, 0.7] }))
    const study = useStudy()
    await study.openGame('game1')
    expect([study.cells.join(''), study.toMove]).toEqual([server.games.get('game1')!.cells, 'W'])
    expect(study.line.map((id) => study.doc.nodes[id]!.score?.winrate)).toEqual([0.5, 0.6, 0.7])
    await study.openGame('game1')
    expect(Object.keys(study.doc.nodes)).toHaveLength(3)
  })

  it('opens a game as it was judged, not as its players saw it', async () => {
    server.put(handicapGame({ winrates: [null, null, null, 0.5, 0.6, 0.7] }))
    const study = useStudy()
    await study.openGame('game1', [0.4, null, 0])
    expect(study.line.map((id) => study.doc.nodes[id]!.score?.winrate)).toEqual([0.4, undefined, 0])
  })

  it('keeps the study over a reload', async () => {
    const study = useStudy()
    study.play(cellOf('h8', 15))
    study.comment('Begins well')
    study.save()
    setActivePinia(createPinia())
    expect(useStudy().node.comment).toBe('Begins well')
    expect(useStudy().moves).toEqual([cellOf('h8', 15)])
  })
})
