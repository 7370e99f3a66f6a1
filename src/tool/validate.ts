import { isDeepStrictEqual } from 'node:util'
import { distance } from 'fastest-levenshtein'
import { MediaprocError } from '../errors.ts'
import { conditionText, meetsCondition } from './condition.ts'
import { allowedWords, fieldsOf, itemOf, kebabCase, type Setting, type SettingsTable } from './settings.ts'
import { convertValue, describeExpected } from './values/values.ts'

/** How an interface spells a setting in messages: `--target-size-kb` on the command line, `targetSizeKb` elsewhere. */
export type Spelling = (name: string) => string

export const flagSpelling: Spelling = (name) => `--${kebabCase(name)}`
export const plainSpelling: Spelling = (name) => name

/** One problem with the given settings. */
export interface SettingsIssue {
  /** Path such as `cells.0.zoom`. */
  path: string
  message: string
  hint?: string
}

export interface Checked {
  values: Record<string, unknown>
  issues: SettingsIssue[]
  /** Unknown names. */
  unknown: string[]
  /** Deprecated names in use, with the reason. */
  deprecated: string[]
}

/** Maximum number of unknown names that get a suggestion: comparing is costly, and more would not be read. */
const MAX_SUGGESTIONS = 20

/** The closest of `names` to `name`, if close enough to be a misspelling. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of names) {
    // The difference in length alone is already too large.
    if (Math.abs(name.length - candidate.length) >= bestDistance) continue
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

/** Did-you-mean suggestion for a rejected value. `beside` are the other rows of the table. */
function meantValue(row: Setting, given: unknown, spell: Spelling, beside: SettingsTable): string | undefined {
  if (typeof given !== 'string') return undefined
  if (row.type === 'enum') return nearest(given, allowedWords(row).map(String))
  // A width of 50% is a scale, if the table has that setting.
  const isPart = row.unit === 'px' && /^\s*[\d.,]+\s*%\s*$/.test(given)
  return isPart && beside.percentage ? `${spell('percentage')} ${given.trim()}` : undefined
}

function checkValue(
  row: Setting,
  given: unknown,
  path: string,
  spell: Spelling,
  result: Checked,
  beside: SettingsTable = {},
): unknown {
  const value = convertValue(row, given)
  if (value === undefined) {
    const meant = row.secret ? undefined : meantValue(row, given, spell, beside)
    result.issues.push({
      path,
      message: `Expected ${describeExpected(row)} for ${spell(path)}, got ${row.secret ? 'a value of another kind' : show(given)}`,
      ...(meant && { hint: `Did you mean ${meant}?` }),
    })
    return undefined
  }
  if (row.type === 'array')
    return (value as unknown[]).map((item, index) => checkValue(itemOf(row), item, `${path}.${index}`, spell, result))
  if (row.type === 'object')
    return checkTable(fieldsOf(row), value as Record<string, unknown>, spell, result, `${path}.`).values
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
      const near = result.unknown.length < MAX_SUGGESTIONS ? nearest(key, names.keys()) : undefined
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
    // The real name takes precedence over an alias with another value.
    if (key !== name && given[name] !== undefined && given[name] !== null) continue
    if (row.deprecated) result.deprecated.push(`${spell(prefix + name)} is deprecated: ${row.deprecated}`)
    values[name] = checkValue(row, value, prefix + name, spell, result, prefix === '' ? table : {})
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

/**
 * A setting that takes effect only with another setting's value sets that value if it was not given; otherwise it would
 * be silently ignored, which is reported as an issue. So is a mode without a value that it requires.
 * @param given names of the settings that were given, as in the table
 */
export function applyConditions(
  table: SettingsTable,
  given: ReadonlySet<string>,
  { values, issues }: Pick<Checked, 'values' | 'issues'>,
  spell: Spelling = plainSpelling,
): void {
  for (const name of given) {
    const { when, default: usual } = table[name] ?? {}
    if (!when || values[name] === undefined || meetsCondition(when, values) || isDeepStrictEqual(values[name], usual))
      continue
    const missing = Object.entries(when).filter(([key, wanted]) => !meetsCondition({ [key]: wanted }, values))
    const isFree = missing.every(([key, wanted]) => !given.has(key) && typeof wanted !== 'object')
    if (isFree) Object.assign(values, Object.fromEntries(missing))
    else issues.push({ path: name, message: `${spell(name)} has an effect only with ${conditionText(when, spell)}` })
  }
  for (const [name, { when, needed, example }] of Object.entries(table)) {
    if (!needed || values[name] !== undefined || !meetsCondition(when, values)) continue
    const message = `Expected ${spell(name)} for ${conditionText(when!, spell)}, got nothing`
    issues.push({
      path: name,
      message,
      ...(example !== undefined && { hint: `For example: ${spell(name)} ${example}` }),
    })
  }
}

/**
 * Checks given values against a table: converts them, fills in defaults and collects all issues, not only the first.
 */
export function inspectSettings(
  table: SettingsTable,
  given: Record<string, unknown>,
  spell: Spelling = plainSpelling,
): Checked {
  return checkTable(table, given, spell, { values: {}, issues: [], unknown: [], deprecated: [] })
}

/** The error for a list of issues: the first is the message, the others follow. */
export function settingsError(issues: readonly SettingsIssue[]): MediaprocError {
  const hint = issues.find((issue) => issue.hint)?.hint
  return new MediaprocError('INVALID_SETTINGS', issues.map((issue) => issue.message).join('; '), hint ? { hint } : {})
}

/** Names of the given settings, as in the table. */
export function givenNames(table: SettingsTable, given: Readonly<Record<string, unknown>>): Set<string> {
  const names = Object.keys(given).filter((name) => given[name] !== undefined && given[name] !== null)
  return new Set(
    Object.keys(table).filter((name) => [name, ...(table[name]!.aliases ?? [])].some((one) => names.includes(one))),
  )
}

/** Checked values for a tool's code, or throws INVALID_SETTINGS with all issues. */
export function checkSettings(
  table: SettingsTable,
  given: Record<string, unknown>,
  spell?: Spelling,
): Record<string, unknown> {
  const checked = inspectSettings(table, given, spell)
  const { values, issues } = checked
  if (issues.length === 0) applyConditions(table, givenNames(table, given), checked, spell)
  if (issues.length > 0) throw settingsError(issues)
  return values
}

/** Thrown by a tool's own `check` for a rule that involves several settings. */
export function invalidSettings(message: string, hint?: string): MediaprocError {
  return new MediaprocError('INVALID_SETTINGS', message, hint ? { hint } : {})
}
