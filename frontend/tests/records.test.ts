import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { textOfFile } from '@/backend/local/charset'
import { CHARSETS, type GameFile, gameOfFile, fileOfGame, readFile, readFiles, writeFile } from '@/backend/local/records'
import { Game } from '@/backend/engine/game'
import { formatCell } from '@/game/notation'
import { fromRecord, type RecordJson, toRecord } from '@/game/record'
import { addMove, at, lineThrough, mainMoves, ROOT } from '@/game/tree'
import { loadRules, RuleError } from '@/wasm/rulebook'
import RecordBox from '@/ui/RecordBox.vue'
import type { RuleName } from '@/wire'
import { mountPage } from './mountPage'

/** What a file of the table means; `tests/records/test_table.py` says more. */
interface Entry {
  file: string
  given?: { size: number; win_length: number; rule: RuleName }
  charset?: string
  game?: number
  games?: number
  error?: string
  page_error?: string
  warnings?: string[]
  [more: string]: unknown
}

const TABLE = '../tests/records/table'
const ENTRIES = JSON.parse(readFileSync(`${TABLE}/expected.json`, 'utf8')) as Entry[]
const TOLD = ['file', 'given', 'charset', 'game', 'games', 'page_error', 'warnings', 'error']
const NAMES = { B: 'black', W: 'white' } as const

beforeAll(async () => void (await loadRules(async () => readFileSync('src/wasm/kernels.wasm'))))

function read({ file, given, charset, game = 1, games = 1 }: Entry): GameFile | RuleError {
  const assumed = given && { size: given.size, winLength: given.win_length, rule: given.rule }
  try {
    const { files } = readFiles(new Uint8Array(readFileSync(`${TABLE}/files/${file}`)), { charset, assumed })
    expect(files).toHaveLength(games)
    return files[game - 1]!
  } catch (error) {
    if (error instanceof RuleError) return error
    throw error
  }
}

/** What a file holds, as the table writes it. */
function told(file: GameFile): Record<string, unknown> {
  const { tree, end, opening, actions, headers, date } = file
  const { size, winLength, rule } = tree.rules
  const code = (cells: readonly number[]): string => cells.map((cell) => formatCell(cell, size)).join('')
  const line = lineThrough(tree, ROOT).map((id) => at(tree, id))
  const { setup } = at(tree, ROOT)
  const numbered = (pick: (node: (typeof line)[number]) => unknown) => Object.fromEntries(line.flatMap((node, i) => (pick(node) ? [[String(i), pick(node)]] : [])))
  const held: Record<string, unknown> = {
    rule,
    size,
    win_length: winLength === 5 ? null : winLength,
    black: tree.players.black,
    white: tree.players.white,
    date,
    opening: opening === 'free' ? null : opening,
    actions,
    headers,
    comments: numbered(({ comment }) => comment),
    times: numbered(({ extra }) => extra.time_ms),
    marks: line.flatMap(({ extra }) => ((extra.marks as { kind: string; cell: string; text?: string }[] | undefined) ?? []).map(({ kind, cell, text }) => [kind, cell, text].filter(Boolean).join(' '))),
    setup: setup && { black: code([...setup.black].sort((a, b) => a - b)), white: code([...setup.white].sort((a, b) => a - b)), ...(setup.toMove ? { to_move: NAMES[setup.toMove] } : {}) },
    end: end && { winner: end.winner && NAMES[end.winner], reason: end.reason },
    nodes: reachable(file) === line.length ? null : reachable(file),
  }
  try {
    gameOfFile(file)
  } catch (error) {
    held.no_game = (error as Error).message
  }
  const isSome = (value: unknown): boolean => Boolean(value) && (typeof value !== 'object' || Object.keys(value as object).length > 0)
  return { moves: code(mainMoves(tree)), ...Object.fromEntries(Object.entries(held).filter(([, value]) => isSome(value))) }
}

function reachable({ tree }: GameFile): number {
  let count = 0
  const stack = [ROOT]
  while (stack.length) {
    count++
    stack.push(...at(tree, stack.pop()!).children)
  }
  return count
}

const expected = (entry: Entry) => Object.fromEntries(Object.entries(entry).filter(([key]) => !TOLD.includes(key)))

describe('a file of the table', () => {
  it.each(ENTRIES)('$file means what it says', (entry) => {
    const file = read(entry)
    const error = entry.page_error ?? entry.error
    if (error !== undefined) {
      expect(file).toBeInstanceOf(RuleError)
      expect((file as RuleError).message).toContain(error)
      return
    }
    if (file instanceof RuleError) throw file
    expect(told(file)).toEqual(expected(entry))
    const parts = entry.warnings ?? []
    expect(file.warnings).toEqual(parts.map((part) => expect.stringContaining(part)))
  })

  const readable = ENTRIES.filter(({ error, page_error: page }) => error === undefined && page === undefined)
  it.each(readable.flatMap((entry) => (['sgf', 'json', 'psq', 'rec'] as const).map((format) => ({ name: entry.file, format, entry }))))('$name goes through $format', ({ entry, format }) => {
    const file = read(entry) as GameFile
    let text: string
    try {
      ;({ text } = writeFile(file, format))
    } catch (error) {
      expect(['psq', 'rec']).toContain(format)
      expect((error as Error).message).toContain('cannot hold set-up stones')
      return
    }
    const { file: again, format: found } = readFile(new TextEncoder().encode(text))
    expect(found).toBe(format)
    expect(file.warnings).toEqual(expect.arrayContaining(again.warnings))
    const lost = format === 'sgf' || format === 'json' ? [] : ['comments', 'marks', 'nodes', 'date', 'headers', 'opening', 'actions']
    const kept = (held: Record<string, unknown>) => Object.fromEntries(Object.entries(held).filter(([key]) => !lost.includes(key)))
    expect(kept(told(again))).toEqual(kept(expected(entry)))
  })

  it('is in the table once', () => {
    expect(ENTRIES.map(({ file }) => file).sort()).toEqual(readdirSync(`${TABLE}/files`).sort())
  })
})

describe('a game of the page', () => {
  const rules = { size: 15, winLength: 5, rule: 'freestyle' as const }
  const open = () => Game.begin({ ...rules, opening: 'free' }).play(112).play(113)

  it.each(['sgf', 'json', 'psq', 'rec'] as const)('keeps its end in %s', (format) => {
    for (const end of [{ winner: 1, reason: 'resignation' }, { winner: 2, reason: 'time' }, { winner: null, reason: 'agreement' }] as const) {
      const { text } = writeFile(fileOfGame(open().ended(end), 'Ann', 'Bob', ''), format)
      expect(gameOfFile(readFile(text).file).end).toEqual(end)
    }
  })

  it('is read from its own diagram', () => {
    const { text } = writeFile(fileOfGame(open(), 'Ann', 'Bob', ''), 'txt')
    const { format, file } = readFile(text)
    expect([format, gameOfFile(file).start.text]).toEqual(['txt', open().position.text])
  })

  it.each(['sgf', 'json'] as const)('with swap2 is one with swap2 in %s', (format) => {
    const begun = Game.begin({ ...rules, opening: 'swap2' }).act({ type: 'place', moves: [112, 113, 128] }).act({ type: 'place', moves: [100, 130] }).act({ type: 'swap' }).play(5)
    const again = gameOfFile(readFile(writeFile(fileOfGame(begun, '', '', ''), format).text).file)
    expect([again.rules.opening, again.actions, again.sideOfSeat(0)]).toEqual(['swap2', begun.actions, begun.sideOfSeat(0)])
  })

  it('keeps what its file said as long as its main line is the same', () => {
    const { file } = readFile('(;GM[4]SZ[15]RU[renju]RE[W+R]DT[2026]EV[Cup]WUZI[opening:swap1][actions:place3 keep];B[hh];W[hi];B[ij];W[ik]WUZI[time_ms:12])')
    const tree = fromRecord(toRecord(file.tree))
    const record = (): RecordJson => toRecord(tree)
    expect(record()).toMatchObject({ date: '2026', result: { winner: 'white', reason: 'resignation' }, opening: ['place3', 'keep'], headers: { event: 'Cup' }, rules: { opening: 'swap1' } })
    expect(record().nodes!.at(-1)!.time_ms).toBe(12)
    addMove(tree, lineThrough(tree, ROOT).at(-1)!, 0, 'B')
    expect(record()).toMatchObject({ date: '2026', opening: ['place3', 'keep'] })
    expect(record().result).toBeUndefined()
  })

  it('of a library of RenLib is text for the server', async () => {
    const bytes = readFileSync(`${TABLE}/files/line.lib`)
    expect(await textOfFile(new File([bytes], 'line.lib'))).toBe(bytes.toString('latin1'))
    const latin = readFileSync(`${TABLE}/files/latin1-name.sgf`)
    expect(await textOfFile(new File([latin], 'a.sgf'))).toContain('PW[René];B[hh]')
  })

  it('is read with a charset that somebody chose', () => {
    const bytes = Uint8Array.from('(;GM[4]SZ[15]RU[0]PB[\xaek];B[hh])', (char) => char.charCodeAt(0))
    expect(CHARSETS).toContain('windows-1257')
    expect(readFile(bytes, { charset: 'cp1250' }).file.tree.players.black).toBe('®k')
    expect(() => readFile(bytes, { charset: 'klingon' })).toThrow('unknown charset klingon')
  })
})

it.each(['(;A[', '\xe9(;A[', '15\n', '\n', '(;', 'h8', '1,', '. ', '\x81]', '(;GM[4', '\xe9 ', '; ('])('a long text of %j takes no time', (unit) => {
  const start = unit === '15\n' ? '15\n0\n2' : ''
  for (const end of ['', 'x', ']', ')']) {
    const bytes = Uint8Array.from(start + unit.repeat(60_000 / unit.length) + end, (char) => char.charCodeAt(0))
    try {
      readFiles(bytes)
    } catch (error) {
      expect(error).toBeInstanceOf(RuleError)
    }
  }
})

it('a file is taken with the charset that is chosen beside it', async () => {
  const taken: (string | File)[] = []
  const { page } = await mountPage(RecordBox, { busy: false, hint: '', action: 'Open', onTake: (content: string | File) => taken.push(content) })
  const file = new File([Uint8Array.from('(;GM[4]PB[\x8e\xe1];B[hh])', (char) => char.charCodeAt(0))], 'a.sgf')
  const input = page.get<HTMLInputElement>('input[type=file]')
  Object.defineProperty(input.element, 'files', { value: [file] })
  await input.trigger('change')
  await page.get('[data-test=record-charset]').setValue('windows-1250')
  await input.trigger('change')
  await vi.waitFor(() => expect(taken).toHaveLength(2))
  expect(taken).toEqual([file, '(;GM[4]PB[Žá];B[hh])'])
})
