/** Dark and light: as the system, or as the user chose. */
import { effect, signal } from '@preact/signals'
import { store, stored } from './storage.ts'

const THEMES = ['auto', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'mediaproc:theme'

export const theme = signal<Theme>(THEMES.find((one) => one === stored(KEY)) ?? 'auto')

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto'
  store(KEY, theme.value)
}

effect(() => {
  document.documentElement.dataset.theme = theme.value
})
