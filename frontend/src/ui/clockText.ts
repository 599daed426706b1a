/** Seconds as minutes and seconds, with tenths where they count. */
export function clockText(seconds: number, hasTenths: boolean): string {
  const shown = hasTenths ? Math.floor(seconds * 10) / 10 : seconds
  const rest = shown % 60
  return `${Math.floor(shown / 60)}:${hasTenths ? rest.toFixed(1).padStart(4, '0') : String(Math.floor(rest)).padStart(2, '0')}`
}
