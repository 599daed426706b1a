import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { detailText, needDetails, setLocale } from '@/app/i18n'
import { gameOfFile, readFile } from '@/backend/local/records'
import { loadRules } from '@/wasm/rulebook'

/** Broken files, and what the server says of them; `tests/records/test_refusals.py` reads the same. */
const REFUSED = JSON.parse(readFileSync('../tests/golden/refusals.json', 'utf8')) as { text: string; says: string }[]
/** Files that neither reader takes, of every format. */
const TABLE = '../tests/records/table'
const BROKEN = (JSON.parse(readFileSync(`${TABLE}/expected.json`, 'utf8')) as { file: string; error?: string; page_error?: string }[]).filter(
  ({ error, page_error }) => error ?? page_error,
)

beforeAll(async () => {
  await loadRules(async () => readFileSync('src/wasm/kernels.wasm'))
  await setLocale('zh-CN')
  await needDetails()
})

const inChinese = (text: string): string | null => detailText(text, 'zh-CN')
/** What stays of a sentence in English: no words but quoted ones, names of formats and of rules. */
const english = (text: string | null): string[] => (text ?? 'there is none').replace(/'[^']*'|\[[^\]]*\]|`[^`]*`/g, '').match(/[a-z]{3,} [a-z]{2,}/gi) ?? []

function refusal(content: string | Uint8Array): string | null {
  try {
    gameOfFile(readFile(content).file)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

describe('in Chinese', () => {
  it.each(REFUSED)('the server refuses $text', ({ says }) => expect([inChinese(says), english(inChinese(says))]).toEqual([expect.any(String), []]))

  it('the page refuses the same texts', () => {
    const told = REFUSED.map(({ text }) => refusal(text)).filter((text) => text !== null)
    expect(told.length).toBeGreaterThan(REFUSED.length - 6)
    expect(told.filter((text) => english(inChinese(text)).length)).toEqual([])
  })

  it('the page refuses the files of the table', () => {
    const told = BROKEN.map(({ file }) => refusal(new Uint8Array(readFileSync(`${TABLE}/files/${file}`)))).filter((text) => text !== null)
    expect(told.filter((text) => english(inChinese(text)).length)).toEqual([])
  })

  it.each([
    ['line 1: move 2: h8 is occupied by black at ply 2 (freestyle 15x15)', '第 1 行：第 2 手：h8 已有黑方的棋子（第 2 手，无禁手 15×15）'],
    ['line 1, column 14 (node 2): [zz] is no point of a 15x15 board: expected [aa] to [oo]', '第 1 行第 14 列（第 2 个节点）：[zz] 不是 15×15 棋盘上的点：应为 [aa] 至 [oo]'],
    ["line 2, column 13: broken SGF (unexpected end): the file ends: is a ')' missing?", "第 2 行第 13 列：SGF 有误：文件提前结束，是否缺少 ')'？"],
    ['a body of 2000000 bytes: expected at most 1000000', '内容有 2000000 字节，最多 1000000 字节'],
    ['body.size: Input should be less than or equal to 26', 'body.size：应不大于 26'],
    ['12 reviews are running: try again later', '已有 12 次复盘在进行，请稍后再试'],
    ['game 3: line 4: 99,8 is off the 15x15 board: expected 1 to 15', '第 3 局：第 4 行：99,8 在 15×15 棋盘之外：应为 1 至 15'],
    ["unknown rule 'foo': expected one of freestyle, renju", "未知的规则 'foo'：应为 freestyle, renju 之一"],
  ])('%s', (said, own) => expect(inChinese(said)).toBe(own))

  it('what has no known form is left to the frame around the words as they are', () => {
    expect(inChinese('something quite different went wrong')).toBeNull()
    expect(inChinese('line 3: something quite different')).toBeNull()
  })
})

it('in English nothing is said otherwise', () => expect(detailText('h8 is occupied', 'en')).toBeNull())
