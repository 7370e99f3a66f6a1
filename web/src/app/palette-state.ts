import { signal } from '@preact/signals'

export const paletteIsOpen = signal(false)

export function openPalette(): void {
  paletteIsOpen.value = true
}

export function closePalette(): void {
  paletteIsOpen.value = false
}
