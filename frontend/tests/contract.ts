import type * as ours from '@/api/types'
import type { components } from '@/api/schema'

/**
 * Checked by the compiler, not at run time: our hand-written wire types have the fields of the server's
 * schema (`npm run types` fetches it anew). A renamed field fails `npm run build`.
 */

type Server = components['schemas']
type SameKeys<A, B> = [keyof A] extends [keyof B] ? ([keyof B] extends [keyof A] ? true : never) : never
type HasKeys<Ours, Theirs> = [keyof Ours] extends [keyof Theirs] ? true : never

export const sameFields: {
  state: SameKeys<ours.GameState, Server['GameState']>
  summary: SameKeys<ours.GameSummary, Server['GameSummary']>
  rules: SameKeys<ours.RulesSpec, Server['RulesOut']>
  seat: SameKeys<ours.Seat, Server['SeatOut']>
  seatRequest: SameKeys<ours.SeatRequest, Server['SeatIn']>
  outcome: SameKeys<ours.Outcome, Server['OutcomeOut']>
  thinking: SameKeys<ours.Thinking, Server['ThinkingOut']>
  forbidden: SameKeys<ours.ForbiddenPoint, Server['ForbiddenOut']>
  text: SameKeys<ours.LocalText, Server['LocalText']>
  level: SameKeys<ours.EngineLevel, Server['LevelOut']>
  engine: SameKeys<ours.EngineInfo, Server['EngineOut']>
  request: HasKeys<ours.NewGameRequest, Server['NewGame']>
  hint: HasKeys<ours.HintMove, Server['HintOut']>
  position: HasKeys<ours.PositionInfo, Server['PositionOut']>
  version: HasKeys<ours.VersionInfo, Server['Version']>
  health: HasKeys<ours.Health, Server['Health']>
} = {
  state: true, summary: true, rules: true, seat: true, seatRequest: true, outcome: true, thinking: true, forbidden: true,
  text: true, level: true, engine: true, request: true, hint: true, position: true, version: true, health: true,
}
