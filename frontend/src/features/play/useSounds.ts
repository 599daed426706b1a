import { useSettings } from '@/features/settings/settings'

let context: AudioContext | null = null

function knock(audio: AudioContext, frequency: number, seconds: number, volume: number, at = 0): void {
  const start = audio.currentTime + at
  const tone = audio.createOscillator()
  const gain = audio.createGain()
  tone.type = 'triangle'
  tone.frequency.setValueAtTime(frequency, start)
  tone.frequency.exponentialRampToValueAtTime(frequency * 0.45, start + seconds)
  gain.gain.setValueAtTime(volume, start)
  gain.gain.exponentialRampToValueAtTime(0.001, start + seconds)
  tone.connect(gain).connect(audio.destination)
  tone.start(start)
  tone.stop(start + seconds)
}

/** Short synthetic sounds; silent until the person has touched the page, as browsers demand. */
export function useSounds(): { stone: () => void; end: () => void } {
  const settings = useSettings()

  function ready(): AudioContext | null {
    if (!settings.values.sound || !('AudioContext' in window) || !navigator.userActivation?.hasBeenActive) return null
    context ??= new AudioContext()
    return context
  }

  function stone(): void {
    const audio = ready()
    if (!audio) return
    knock(audio, 900, 0.07, 0.22)
    knock(audio, 240, 0.09, 0.3)
  }

  function end(): void {
    const audio = ready()
    if (!audio) return
    ;[392, 523, 659].forEach((frequency, i) => knock(audio, frequency * 2, 0.35, 0.12, i * 0.12))
  }

  return { stone, end }
}
