import { onMounted, onUnmounted } from 'vue'
import { useSettings } from '@/features/settings/settings'

const NAVIGATION = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'Escape'])

/** Single-key commands of a page; never while typing or in a dialog, and people can switch the letters off. */
export function useShortcuts(commands: Record<string, (event: KeyboardEvent) => void>): void {
  const settings = useSettings()

  function onKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (target.closest('input, textarea, select, dialog, [role="menu"]')) return
    // A button that has the focus is pressed with these keys.
    if ((event.key === ' ' || event.key === 'Enter') && target.closest('button, a, summary')) return
    if (!settings.values.shortcuts && !NAVIGATION.has(event.key)) return
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    const command = commands[event.shiftKey && event.key.length > 1 ? `Shift+${key}` : key]
    if (!command) return
    event.preventDefault()
    command(event)
  }

  onMounted(() => window.addEventListener('keydown', onKey))
  onUnmounted(() => window.removeEventListener('keydown', onKey))
}
