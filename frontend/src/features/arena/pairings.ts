import type { FormatName } from '@/wire'

/** How many pairs of players meet. */
export function pairingCount(format: FormatName, players: number): number {
  if (players < 2) return 0
  if (format === 'gauntlet') return players - 1
  return format === 'ladder' ? 2 * players - 3 : (players * (players - 1)) / 2
}
