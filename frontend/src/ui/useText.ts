import type { Color, GameState, Language, LocalText, Rules, Seat } from '@/wire'
import { computed } from 'vue'
import { useI18n } from 'petite-vue-i18n'
import { BackendError } from '@/backend'
import { chanceOf } from '@/game/color'
import { useCatalogue } from '@/backend/catalogue'
import { displayCell, displayMove } from '@/game/notation'
import { detailText, hasText as te, localText, needDetails, numberText as n } from '@/app/i18n'
import { useSettings } from '@/features/settings/settings'

/** The text of a draw, by how the game ended; otherwise it was agreed. */
const DRAWS: Record<string, string> = { draw_full: 'full', adjudication: 'adjudicated' }

const HAN = /\p{Script=Han}/u

/** Sentences about games that several components need. */
export function useText() {
  const { t, locale } = useI18n()
  const settings = useSettings()
  const catalogue = useCatalogue()

  const local = (text: LocalText): string => localText(text, locale.value)

  /** A name; a human without one is "you" unless another human plays too, and who plays you by a link your friend. */
  function seatName(seat: Seat, seats: readonly Seat[]): string {
    if (!seat.isUnnamed) return local(seat.name)
    if (seat.isMe) return t('seat.you')
    if (seats.some((other) => other.isMe)) return t('seat.friend')
    return t(seats.every((other) => other.kind === 'human') ? 'seat.human' : 'seat.you')
  }

  /** Both players, engines with their levels. */
  function seatedPlayers(seats: readonly Seat[]): { color: Color; name: string }[] {
    return seats.map((seat) => {
      const level = catalogue.level(seat)
      return { color: seat.color, name: [seatName(seat, seats), ...(level ? [local(level.name)] : [])].join(' · ') }
    })
  }

  function day(iso: string): string {
    return new Intl.DateTimeFormat(locale.value, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso))
  }

  /** Black's chance as that of a side, in words. */
  function chance(black: number, side: Color, key = 'announce.winrate'): string {
    return t(key, { color: t(`color.${side}`), rate: percent(chanceOf(black, side)) })
  }

  /** What is read out of a stone, and of what `side` may expect after it. */
  function announced(color: Color, move: string, winrate: number | null, side: Color): string[] {
    const said = [t('announce.move', { color: t(`color.${color}`), move })]
    return winrate === null ? said : [...said, chance(winrate, side)]
  }

  function rulesText(rules: Rules): string {
    return t('rules.summary', { size: rules.size, win: rules.winLength, rule: t(`rule.${rules.rule}.name`) })
  }

  function percent(value: number): string {
    return n(value, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'negative' }) // never -0%
  }

  function moveText(move: string, size: number): string {
    return displayMove(move, size, settings.textStyle)
  }

  function cellText(cell: number, size: number): string {
    return displayCell(cell, size, settings.textStyle)
  }

  /** A sentence of the server with its moves, and its shares, as they are written everywhere else. */
  function inStyle(text: string, size: number): string {
    return text.replace(/\b[a-z][1-9]\d?\b/g, (cell) => moveText(cell, size)).replace(/(\d) %/g, '$1%')
  }

  /** The sentence that says how a game ended. */
  function outcomeText(game: Pick<GameState, 'outcome' | 'rules'>): string {
    const end = game.outcome
    if (!end) return ''
    if (!end.winner) return t(`outcome.draw.${DRAWS[end.reason] ?? 'agreed'}`)
    if (end.reason === 'forbidden' && end.forbiddenKind) {
      return t('outcome.forbiddenKind', { kind: t(`forbidden.${end.forbiddenKind}`) })
    }
    return t(`outcome.${end.reason}.${end.winner}`, { n: game.rules.winLength })
  }

  /** How a game ended, as the one person who played it sees it; for others as `outcomeText` says it. */
  function resultText(game: Pick<GameState, 'outcome' | 'rules' | 'seats'>): string {
    const winner = game.outcome?.winner
    const people = game.seats.filter((seat) => seat.kind === 'human')
    if (!winner || people.length !== 1) return outcomeText(game)
    return t(people[0]!.color === winner ? 'outcome.won' : 'outcome.lost', { how: endText(game) })
  }

  /** What ended a game, where the person did it themselves in these words. */
  function endText(game: Pick<GameState, 'outcome' | 'rules' | 'seats'>): string {
    const end = game.outcome
    const people = game.seats.filter((seat) => seat.kind === 'human')
    const isMine = people.length === 1 && end?.winner && people[0]!.color !== end.winner
    return isMine && te(`outcome.mine.${end.reason}`) ? t(`outcome.mine.${end.reason}`) : outcomeText(game)
  }

  /** What the server, an engine or a reader of files says, all of them in English: in our words, or shown as theirs. */
  function toldText(detail: string): string {
    if (!isChinese.value || !detail) return detail
    return detailText(detail, locale.value) ?? (HAN.test(detail) ? detail : t('errors.original', { detail }))
  }

  /** A notice's text: by key when the catalogue has it, else the general one with the server's words. */
  function noticeText(key: string, params: Record<string, string>): string {
    const all = { ...params, detail: toldText(params.detail ?? '') }
    return t(te(key) ? key : 'errors.unknown', all)
  }

  /** What went wrong: by its code where we know it, else with the server's own words. */
  async function failureText(error: unknown): Promise<string> {
    await needDetails()
    const code = error instanceof BackendError ? error.code : 'unknown'
    return noticeText(`errors.${code}`, { detail: error instanceof Error ? error.message : String(error) })
  }

  const isChinese = computed(() => locale.value.startsWith('zh'))
  const language = computed<Language>(() => (isChinese.value ? 'zh' : 'en'))

  const listed = (parts: readonly (string | number)[]): string => parts.join(isChinese.value ? '、' : ', ')

  return {
    t,
    te,
    n,
    locale,
    local,
    seatName,
    seatedPlayers,
    announced,
    chance,
    day,
    rulesText,
    percent,
    moveText,
    cellText,
    inStyle,
    outcomeText,
    resultText,
    endText,
    toldText,
    noticeText,
    failureText,
    isChinese,
    language,
    listed,
  }
}
