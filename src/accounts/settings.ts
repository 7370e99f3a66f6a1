import type { Store } from '../store/store.ts'

function text(store: Store, name: string): string | undefined {
  const { settings } = store.settings.data
  return Object.hasOwn(settings, name) ? settings[name]?.value : undefined
}

/** A setting that an administrator may change at any time: a whole number from 0; `fallback` when it is not set or is none. */
export function settingNumber(store: Store, name: string, fallback: number): number {
  const value = text(store, name)
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : fallback
}

export function settingFlag(store: Store, name: string, fallback: boolean): boolean {
  const value = text(store, name)
  return value === 'true' || value === 'false' ? value === 'true' : fallback
}
