import { other } from '@/game/color'
import type { Line } from '@/game/line'
import type { Color, ReviewMove, Win } from '@/wire'

const SYMBOLS = { good: '', inaccuracy: '?!', mistake: '?', blunder: '??' } as const

/** What stands behind a move: ?!, ?, ??, or □ for the only defence, found. */
export function symbolOf(move: ReviewMove): string {
  if (move.mark && move.mark !== 'good') return SYMBOLS[move.mark]
  return move.only !== null && move.only === move.move ? '□' : ''
}

/** Whether the move lost something. */
export function isBad(move: ReviewMove): boolean {
  return move.mark !== null && move.mark !== 'good'
}

/** The name of what a bad move is: what is proved of it goes before what the analyst believes. */
export function verdictOf(move: ReviewMove): string {
  if (move.mark === 'blunder') return 'blunder'
  if (losesByForce(move)) return 'loses'
  return move.openWin ? 'winLeft' : move.mark!
}

/** Whether the other side wins by force after the move, by a proof, where not every move loses. */
export const losesByForce = ({ loses, isLost }: ReviewMove): boolean => loses !== null && !isLost

/** The forced win that the mover had, and that the move let go or may have let go. */
export const winBefore = ({ missed, openWin }: ReviewMove): Win | null => missed ?? openWin

/** What would have been better than a bad move; null for others, and where nothing was. */
export function betterThan(move: ReviewMove): string | null {
  const found = winBefore(move)?.moves[0] ?? move.defence ?? move.best[0] ?? null
  return isBad(move) && found !== move.move ? found : null
}

/** The lines that can be looked at beside a move, with the name of their text below `review`. */
export function linesOf(move: ReviewMove): { key: string; line: Line }[] {
  const { ply, color, loses, defence, best } = move
  const win = winBefore(move)
  const found: { key: string; line: Line }[] = []
  if (win) found.push({ key: 'missedLine', line: { from: ply, color, moves: win.moves } })
  else if (isBad(move) && best.length && best[0] !== move.move) found.push({ key: 'betterLine', line: { from: ply, color, moves: best } })
  if (loses) found.push({ key: 'allowedLine', line: { from: ply + 1, color: other(color), moves: loses.moves } })
  if (defence && !win && best[0] !== defence) found.push({ key: 'defenceLine', line: { from: ply, color, moves: [defence] } })
  return found
}

/** What is proved of a position: this side wins, whatever the other replies. */
export interface Theorem {
  /** The moves of the game that are on the board. */
  from: number
  attacker: Color
  /** Whether the attacker has the first move; else the other side may choose it. */
  attackerBegins: boolean
  /** The win, if the attacker begins. */
  moves: readonly string[]
  /** The one reply of the other side that does not lose. */
  only: string | null
}

/** A sentence of a review: proved, what the analyst believes, or what lies on the board. */
export interface Sentence {
  text: string
  kind: 'theorem' | 'opinion' | 'fact'
  theorem: Theorem | null
  /** Of the line that shows it. */
  key: string | null
}

/** The sentences about a move, in the order in which they are written. */
export function sentencesOf(move: ReviewMove, texts: readonly string[]): Sentence[] {
  const { ply, color, missed, allowed, openWin, loses, isLost, only } = move
  const opponent = other(color)
  const before = (win: Win): Omit<Sentence, 'text'> => ({
    kind: 'theorem', key: 'missedLine', theorem: { from: ply, attacker: color, attackerBegins: true, moves: win.moves, only: null },
  })
  const after = (win: Win): Omit<Sentence, 'text'> => ({
    kind: 'theorem', key: 'allowedLine', theorem: { from: ply + 1, attacker: opponent, attackerBegins: true, moves: win.moves, only: null },
  })
  const chosen = (saves: string | null): Omit<Sentence, 'text'> => ({
    kind: 'theorem', key: saves === null && loses ? 'allowedLine' : null, theorem: { from: ply, attacker: opponent, attackerBegins: false, moves: [], only: saves },
  })
  const opinion: Omit<Sentence, 'text'> = { kind: 'opinion', key: null, theorem: null }
  const hadWin = winBefore(move) !== null
  const isMarked = Boolean(move.loss) && isBad(move)
  const kinds = [
    ...(missed ? [before(missed)] : []),
    ...(allowed ? [after(allowed)] : []),
    ...(openWin ? [before(openWin)] : []),
    ...(loses && !isLost && !allowed ? [after(loses)] : []),
    ...(move.defence !== null && !hadWin ? [opinion] : []),
    ...(isLost ? [chosen(null)] : move.seemsLost ? [opinion] : []),
    ...(only === null ? [] : [chosen(only)]),
    ...(isMarked ? [opinion] : []),
    ...(isMarked && !hadWin && move.best[0] !== move.move ? [opinion] : []),
  ]
  return texts.map((text, i) => ({ text, ...(kinds[i] ?? { kind: 'fact', key: null, theorem: null }) }))
}
