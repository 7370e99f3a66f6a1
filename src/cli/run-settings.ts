import { readFileSync } from 'node:fs'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { extensionOf, printableName } from '../media/file.ts'
import type { SettingsTable } from '../tool/settings.ts'
import { type Checked, flagSpelling, inspectSettings, settingsError } from '../tool/validate.ts'

/** Settings under their own names, so that a flag given by an alias beats a default given by the name. */
export function canonicalNames(
  table: SettingsTable,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const names = new Map(
    Object.entries(table).flatMap(([name, row]) => (row.aliases ?? []).map((alias) => [alias, name] as const)),
  )
  const canonical: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(given)) {
    const name = Object.hasOwn(table, key) ? key : (names.get(key) ?? key)
    if (name === key || !Object.hasOwn(given, name)) canonical[name] = value
  }
  return canonical
}

async function parseText(source: string, isYaml: boolean): Promise<unknown> {
  if (!isYaml) return JSON.parse(source)
  const { parse } = await import('yaml')
  return parse(source, { maxAliasCount: 100 })
}

/**
 * The value of --settings: JSON, or `@FILE` with JSON or YAML by its extension.
 * @throws MediaprocError USAGE when it is not an object
 */
export async function readSettingsOption(given: string | undefined): Promise<Record<string, unknown>> {
  if (given === undefined) return {}
  const path = given.startsWith('@') ? given.slice(1) : undefined
  const where = path === undefined ? '--settings' : `--settings @${printableName(path)}`
  let source = given
  try {
    if (path !== undefined) source = readFileSync(path, 'utf8')
  } catch (error) {
    throw new MediaprocError(toMediaprocError(error).code, `The file for ${where} cannot be read`, { cause: error })
  }
  try {
    const parsed = await parseText(source, path !== undefined && /^ya?ml$/.test(extensionOf(path)))
    if (parsed && typeof parsed === 'object' && !Array.isArray(parsed)) return parsed as Record<string, unknown>
  } catch (error) {
    throw new MediaprocError('USAGE', `Expected an object of settings for ${where}, got text that is not valid`, {
      hint: `Such as --settings '{"quality": 80}'.`,
      detail: (error as Error).message,
    })
  }
  throw new MediaprocError('USAGE', `Expected an object of settings for ${where}, got something else`, {
    hint: `Such as --settings '{"quality": 80}'.`,
  })
}

export interface RunSettings extends Pick<Checked, 'values' | 'deprecated'> {
  /** Names that were given anywhere, so that nothing else sets them. */
  given: ReadonlySet<string>
}

/** One set of settings from layers, later wins: configuration, --settings, flags. @throws MediaprocError INVALID_SETTINGS */
export function mergeSettings(table: SettingsTable, layers: readonly Readonly<Record<string, unknown>>[]): RunSettings {
  const merged = Object.assign({}, ...layers.map((layer) => canonicalNames(table, layer))) as Record<string, unknown>
  const { values, issues, deprecated } = inspectSettings(table, merged, flagSpelling)
  if (issues.length > 0) throw settingsError(issues)
  return { values, deprecated, given: new Set(Object.keys(merged)) }
}
