import { MediaprocError } from '../../errors.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { lockedNames } from '../../tool/preset.ts'
import { inspectSettings, plainSpelling } from '../../tool/validate.ts'
import { excessOf } from '../http/json-limits.ts'
import { MAX_SETTINGS } from '../http/limits.ts'

/** Parses the `settings` form field: a JSON object; absent or empty means {}. */
export function parseSettings(text: string | undefined): Record<string, unknown> {
  if (text === undefined || text.trim() === '') return {}
  if (text.length > MAX_SETTINGS)
    throw new MediaprocError('INVALID_SETTINGS', `settings: longer than ${MAX_SETTINGS} characters`)
  const excess = excessOf(text)
  if (excess) throw new MediaprocError('INVALID_SETTINGS', `settings: ${excess}`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new MediaprocError('INVALID_SETTINGS', 'settings: not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MediaprocError('INVALID_SETTINGS', 'settings: not a JSON object')
  return value as Record<string, unknown>
}

/** `path.to.field: message; other: message` */
export function issuesText(issues: readonly { path: string; message: string }[]): string {
  return issues.map(({ path, message }) => `${path}: ${message}`).join('; ')
}

export interface CheckedSettings {
  values: Record<string, unknown>
  /** Unknown settings: they have no effect, and the response lists them. */
  ignored: readonly string[]
}

/**
 * Validates the settings of a request against the tool's table.
 * @throws MediaprocError INVALID_SETTINGS with all errors in one message
 */
export function checkRequestSettings(
  entry: Pick<CatalogueEntry, 'settings'> & { locked?: CatalogueEntry['locked'] | undefined },
  given: Record<string, unknown>,
): CheckedSettings {
  const { values, issues, unknown } = inspectSettings(entry.settings, given, plainSpelling)
  const ignored = new Set(unknown)
  const all = [...lockedNames(entry, given), ...issues.filter(({ path }) => !ignored.has(path))]
  if (all.length > 0) throw new MediaprocError('INVALID_SETTINGS', issuesText(all), { hint: '' })
  return { values, ignored: unknown }
}
