/** A review in words and as it travels, as `wuzi.analysis.review.output` writes it. */

import { chanceOf } from '@/game/color'
import { formatCell } from '@/game/notation'
import { REVIEW } from '@/wasm/generated'
import { letterOf } from '@/wasm/rulebook'
import type { Said } from '@/backend/engine/asks'
import { type Language, remarkText, say, type Words } from '@/backend/engine/explain'
import type { Color, Review, ReviewMove, ReviewSide, Win } from '@/wire'
import type { WinFound } from '@/backend/engine/asks'
import { type MoveJudgement, ownRate, type ReviewBook } from './judgement'

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
    for (const key of ['missed', 'allowed'] as const) {
      const win = move[key]
      if (win) texts.push(this.say(language, key, { kind: this.say(language, win.kind), line: this.line(win.moves) }))
    }
    if (move.defence !== null && !move.missed) texts.push(this.say(language, 'defence', { move: this.name(move.defence) }))
    if (move.isLost) texts.push(this.say(language, 'lost'))
    if (move.only !== null) texts.push(this.say(language, move.only === move.move ? 'only_found' : 'only_missed', { move: this.name(move.only) }))
    if (move.loss && move.mark !== null && move.mark !== 'good') {
      texts.push(this.loss(move, language))
      if (!move.missed && move.best[0] !== move.move) texts.push(this.better(move, language))
    }
    const why = texts.length ? this.played(move, language) : ''
    return why ? [...texts, why] : texts
  }

  private played(move: MoveJudgement, language: Language): string {
    const why = this.remarks(this.book.proof(move.ply)?.said ?? [], language)
    return why ? this.say(language, 'played', { move: this.name(move.move), why }) : ''
  }

  private loss({ before, after, loss, side }: MoveJudgement, language: Language): string {
    const percent = (rate: number): string => `${whole(100 * ownRate(rate, side))} %`
    return this.say(language, 'loss', { points: whole(loss!), before: percent(before!), after: percent(after!) })
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
    const { ply, side, before, after, mark, forced, isLost, isDeep } = move
    const cell = (one: number | null): string | null => (one === null ? null : this.name(one))
    return {
      ply, before, after, mark, forced, isLost, isDeep,
      color: letterOf(side),
      move: this.name(move.move),
      loss: rounded(move.loss),
      accuracy: rounded(move.accuracy),
      best: move.best.map((one) => this.name(one)),
      missed: this.win(move.missed),
      allowed: this.win(move.allowed),
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
