/** A review in words and as it travels, as `wuzi.analysis.review.output` writes it. */

import { chanceOf } from '@/game/color'
import { formatCell } from '@/game/notation'
import { REVIEW } from '@/wasm/generated'
import { letterOf } from '@/wasm/rulebook'
import type { Said } from '@/backend/engine/asks'
import { type Language, remarkText, say, type Words } from '@/backend/engine/explain'
import type { Color, Resigned, Review, ReviewMove, ReviewSide, Win } from '@/wire'
import type { WinFound } from '@/backend/engine/asks'
import { type Given, type MoveJudgement, ownRate, type ReviewBook } from './judgement'

const rounded = (value: number | null): number | null => (value === null ? null : Number(value.toFixed(3)))

export class ReviewTexts {
  private readonly size: number

  constructor(
    private readonly book: ReviewBook,
    private readonly words: Words,
  ) {
    this.size = book.game.rules.size
  }

  private name(cell: number): string {
    return formatCell(cell, this.size)
  }

  private say(language: Language, key: string, values: Record<string, string | number> = {}): string {
    return say(this.words, language, `review.${key}`, values).replace('….', '…')
  }

  private line(moves: number[], most: number = REVIEW.LINE_MOVES): string {
    const text = moves.slice(0, most).map((cell) => this.name(cell)).join(' ')
    return moves.length > most ? `${text} …` : text
  }

  private remarks(said: Said[], language: Language): string {
    return said.map((one) => remarkText(this.words, language, one, this.size)).join(language === 'zh' ? '，' : ', ')
  }

  /** What is to be said of a move, most important first. */
  move(move: MoveJudgement, language: Language): string[] {
    const texts: string[] = []
    const { missed, allowed, openWin } = move
    const claims = { missed, allowed, open_win: openWin, loses: move.isLost || allowed ? null : move.loses }
    for (const [key, win] of Object.entries(claims)) if (win) texts.push(this.winText(key, language, win))
    const hadWin = missed !== null || openWin !== null
    if (move.defence !== null && !hadWin) texts.push(this.say(language, 'defence', { move: this.name(move.defence) }))
    if (move.isLost || move.seemsLost) texts.push(this.say(language, move.isLost ? 'lost' : 'seems_lost'))
    if (move.only !== null) texts.push(this.say(language, move.only === move.move ? 'only_found' : 'only_missed', { move: this.name(move.only) }))
    if (move.loss && move.mark !== null && move.mark !== 'good') {
      texts.push(this.loss(move, language))
      if (!hadWin && move.best[0] !== move.move) texts.push(this.better(move, language))
    }
    const why = texts.length ? this.played(move, language) : ''
    return why ? [...texts, why] : texts
  }

  /** A sentence with a forced win. */
  private winText(key: string, language: Language, win: WinFound, values: Record<string, string> = {}): string {
    return this.say(language, key, { kind: this.say(language, win.kind), line: this.line(win.moves), ...values })
  }

  /** A game that was given up too early. */
  resigned(given: Given | null): Resigned | null {
    if (!given) return null
    const key = this.book.game.end?.winner ? 'resigned' : 'agreed'
    const text = (language: Language): string => {
      const color = this.say(language, given.side === 1 ? 'black' : 'white')
      if (given.win) return this.winText(key, language, given.win, { color })
      return this.say(language, `${key}_ahead`, { color, rate: `${whole(100 * given.winrate)} %` })
    }
    return { color: letterOf(given.side), win: this.win(given.win), winrate: rounded(given.winrate)!, text: { en: text('en'), zh: text('zh') } }
  }

  private played(move: MoveJudgement, language: Language): string {
    const why = this.remarks(this.book.proof(move.ply)?.said ?? [], language)
    return why ? this.say(language, 'played', { move: this.name(move.move), why }) : ''
  }

  private loss({ before, after, side }: MoveJudgement, language: Language): string {
    const percent = (rate: number): string => `${whole(100 * ownRate(rate, side))} %`
    return this.say(language, 'loss', { color: this.say(language, side === 1 ? 'black' : 'white'), before: percent(before!), after: percent(after!) })
  }

  private better({ best, ply }: MoveJudgement, language: Language): string {
    const line = this.line(best, REVIEW.BETTER_MOVES)
    const why = this.remarks((this.book.look(ply, 'deep')?.said ?? []).slice(0, 1), language)
    return this.say(language, why ? 'better_why' : 'better', { line, why })
  }

  private win(win: WinFound | null): Win | null {
    return win && { kind: win.kind, moves: win.moves.map((cell) => this.name(cell)) }
  }

  moveOut(move: MoveJudgement): ReviewMove {
    const { ply, side, before, after, mark, forced, wins, isLost, seemsLost, isDeep } = move
    const cell = (one: number | null): string | null => (one === null ? null : this.name(one))
    return {
      ply, before, after, mark, forced, wins, isLost, seemsLost, isDeep,
      color: letterOf(side),
      move: this.name(move.move),
      loss: rounded(move.loss),
      accuracy: rounded(move.accuracy),
      best: move.best.map((one) => this.name(one)),
      missed: this.win(move.missed),
      allowed: this.win(move.allowed),
      openWin: this.win(move.openWin),
      loses: this.win(move.loses),
      defence: cell(move.defence),
      only: cell(move.only),
      text: { en: this.move(move, 'en'), zh: this.move(move, 'zh') },
    }
  }
}

export function sideOut({ accuracy, meanLoss, agreement, ...counts }: ReviewSide): ReviewSide {
  return { ...counts, accuracy: rounded(accuracy), meanLoss: rounded(meanLoss), agreement: rounded(agreement) }
}

/** A whole number as Python writes it: halves go to the even one. */
function whole(value: number): string {
  const below = Math.floor(value)
  const isHalf = value - below === 0.5
  return String(isHalf ? below + (below % 2) : Math.round(value))
}

/** A row a move; lines are cells separated by blanks, win rates those of a side, or of each mover. */
export function reviewTable({ moves }: Review, language: Language, side?: Color): string {
  const quoted = (value: string): string => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)
  const rows = moves.map((move) => {
    const win = (one: Win | null): string => (one?.moves ?? []).join(' ')
    const found = move.only === null ? '' : String(move.only === move.move)
    const [before, after] = [move.before, move.after].map((rate) => rounded(rate === null ? null : chanceOf(rate, side ?? move.color)))
    const figures = [move.ply + 1, move.color, move.move, before, after, move.loss, move.accuracy, move.mark]
    const text = move.text[language].join(language === 'zh' ? '' : ' ')
    return [...figures, move.best.join(' '), win(move.missed), win(move.allowed), move.defence, move.only, found, text]
  })
  return [REVIEW.COLUMNS, ...rows].map((row) => row.map((value) => quoted(String(value ?? ''))).join()).join('\n') + '\n'
}
