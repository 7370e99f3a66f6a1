import { distance } from 'fastest-levenshtein'
import { MediaprocError } from '../errors.ts'
import { kebabCase, type Setting, type SettingsTable } from './settings.ts'
import { convertValue, describeExpected } from './values.ts'

/** How a front door spells a setting in its messages: `--target-size-kb` at the shell, `targetSizeKb` elsewhere. */
export type Spelling = (name: string) => string

export const flagSpelling: Spelling = (name) => `--${kebabCase(name)}`
export const plainSpelling: Spelling = (name) => name

/** One thing that is wrong with the given settings. */
export interface SettingsIssue {
  /** Path such as `cells.0.zoom`. */
  path: string
  message: string
  hint?: string
}

export interface Checked {
  values: Record<string, unknown>
  issues: SettingsIssue[]
  /** Names that no row knows. */
  unknown: string[]
  /** Deprecated names in use, with their reason. */
  deprecated: string[]
}

/** The nearest of `names` to `name`, if it is near enough to be a slip of the finger. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of names) {
    const apart = distance(name.toLowerCase(), candidate.toLowerCase())
    if (apart < bestDistance) [best, bestDistance] = [candidate, apart]
  }
  return best
}

const show = (value: unknown): string => {
  const shown = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  if (shown === '') return 'nothing'
  return shown.length > 60 ? `${shown.slice(0, 57)}…` : shown
}

function checkValue(row: Setting, given: unknown, path: string, spell: Spelling, result: Checked): unknown {
  const value = convertValue(row, given)
  if (value === undefined) {
    const near = row.type === 'enum' && typeof given === 'string' ? nearest(given, row.enum!.map(String)) : undefined
    result.issues.push({
      path,
      message: `Expected ${describeExpected(row)} for ${spell(path)}, got ${row.secret ? 'a value of another kind' : show(given)}`,
      ...(near && { hint: `Did you mean ${near}?` }),
    })
    return undefined
  }
  if (row.type === 'array')
    return (value as unknown[]).map((item, index) => checkValue(row.items!, item, `${path}.${index}`, spell, result))
  if (row.type === 'object')
    return checkTable(row.fields!, value as Record<string, unknown>, spell, result, `${path}.`).values
  return value
}

function checkTable(
  table: SettingsTable,
  given: Record<string, unknown>,
  spell: Spelling,
  result: Checked,
  prefix = '',
): Checked {
  const values: Record<string, unknown> = {}
  const names = new Map<string, string>()
  for (const [name, row] of Object.entries(table)) {
    names.set(name, name)
    for (const alias of row.aliases ?? []) names.set(alias, name)
  }
  for (const [key, value] of Object.entries(given)) {
    const name = names.get(key)
    if (!name) {
      const near = nearest(key, names.keys())
      result.unknown.push(prefix + key)
      result.issues.push({
        path: prefix + key,
        message: `There is no setting ${spell(prefix + key)}`,
        ...(near && { hint: `Did you mean ${spell(prefix + (names.get(near) ?? near))}?` }),
      })
      continue
    }
    if (value === undefined || value === null) continue
    const row = table[name]!
    // The real name wins over an alias that says something else.
    if (key !== name && given[name] !== undefined && given[name] !== null) continue
    if (row.deprecated) result.deprecated.push(`${spell(prefix + name)} is deprecated: ${row.deprecated}`)
    values[name] = checkValue(row, value, prefix + name, spell, result)
  }
  for (const [name, row] of Object.entries(table)) {
    if (values[name] !== undefined) continue
    if (row.default !== undefined && !row.filledByTool) values[name] = structuredClone(row.default)
    else if (row.required && !result.issues.some((issue) => issue.path === prefix + name))
      result.issues.push({
        path: prefix + name,
        message: `Expected ${describeExpected(row)} for ${spell(prefix + name)}, got nothing`,
      })
  }
  return { ...result, values }
}

/** Checks given values against a table: converts, fills defaults and collects everything that is wrong, not only the first. */
export function inspectSettings(
  table: SettingsTable,
  given: Record<string, unknown>,
  spell: Spelling = plainSpelling,
): Checked {
  return checkTable(table, given, spell, { values: {}, issues: [], unknown: [], deprecated: [] })
}

/** The error for a list of issues: the first as the sentence, the others after it. */
export function settingsError(issues: readonly SettingsIssue[]): MediaprocError {
  const hint = issues.find((issue) => issue.hint)?.hint
  return new MediaprocError('INVALID_SETTINGS', issues.map((issue) => issue.message).join('; '), hint ? { hint } : {})
}

/** Checked values for a tool's code, or INVALID_SETTINGS naming everything that is wrong. */
export function checkSettings(
  table: SettingsTable,
  given: Record<string, unknown>,
  spell?: Spelling,
): Record<string, unknown> {
  const { values, issues } = inspectSettings(table, given, spell)
  if (issues.length > 0) throw settingsError(issues)
  return values
}

/** Raised by a tool's own `check` for a rule that spans several settings. */
export function invalidSettings(message: string, hint?: string): MediaprocError {
  return new MediaprocError('INVALID_SETTINGS', message, hint ? { hint } : {})
}
