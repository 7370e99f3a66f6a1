import { isDeepStrictEqual } from 'node:util'
import type { CatalogueEntry } from '../tool/catalogue.ts'

/**
 * The settings that a request has: without defaults, which the server fills in, and without those that a preset fixes,
 * which it refuses.
 */
export function settingsToSend(
  { settings: table, locked = {} }: Pick<CatalogueEntry, 'settings' | 'locked'>,
  settings: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]) =>
        value !== undefined && !Object.hasOwn(locked, name) && !isDeepStrictEqual(value, table[name]?.default),
    ),
  )
}
