/** Last settings per user and tool, in this browser. Secrets are not kept. */
import { user } from '../api/session.ts'
import type { SettingRow } from '../api/types.ts'
import { store, stored } from '../app/storage.ts'
import { type Values, valuesFor } from './values.ts'

const keyOf = (tool: string): string => `mediaproc:settings:${user.value?.id ?? ''}:${tool}`

/** The settings without passwords and other secrets. */
export function withoutSecrets(rows: readonly SettingRow[], settings: Values): Values {
  const secret = new Set(rows.filter((row) => row.secret).map(({ name }) => name))
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !secret.has(name)))
}

/** @param settings without secrets */
export function remember(tool: string, settings: Values): void {
  store(keyOf(tool), Object.keys(settings).length === 0 ? undefined : JSON.stringify(settings))
}

/** The values that were used last; the defaults if there are none, or rows have changed. */
export function recalled(tool: string, rows: readonly SettingRow[]): Values {
  try {
    const kept = JSON.parse(stored(keyOf(tool)) ?? '{}') as Record<string, unknown>
    const known = Object.entries(kept).filter(([name]) => rows.some((row) => row.name === name))
    return valuesFor(rows, Object.fromEntries(known))
  } catch {
    return valuesFor(rows, {})
  }
}
