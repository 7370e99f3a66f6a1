/** The values of a form, and the settings that a request sends for them. */
import type { SettingRow } from '../api/types.ts'

export type Values = Readonly<Record<string, unknown>>
type Rows = readonly SettingRow[]

const withDefaults = (rows: Rows): Record<string, unknown> =>
  Object.fromEntries(rows.flatMap((row) => (row.default === undefined ? [] : [[row.name, row.default]])))

/** Values before any change: the defaults. A tool that fills one in itself must know whether a user chose it. */
export const defaultsOf = (rows: Rows): Record<string, unknown> =>
  withDefaults(rows.filter(({ filledByTool }) => !filledByTool))

/** Whether other values make a row effective; a list in a condition means any of its members. */
export function isEffective({ when }: Pick<SettingRow, 'when'>, values: Values): boolean {
  return Object.entries(when ?? {}).every(([name, wanted]) =>
    Array.isArray(wanted) ? wanted.includes(values[name]) : wanted === values[name],
  )
}

/** The values that a tool works with: where none is given, the default, also one that the tool fills in. */
export function effectiveValues(rows: Rows, values: Values): Values {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  return { ...withDefaults(rows), ...given }
}

/** The rows that the form shows. Deprecated ones work, but new requests should not use them. */
export function shownRows(rows: Rows, values: Values): SettingRow[] {
  const full = effectiveValues(rows, values)
  return rows.filter((row) => row.deprecated === undefined && isEffective(row, full))
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** A value without empty texts, items and objects; undefined if nothing is left. */
function withoutEmpty(value: unknown): unknown {
  if (value === '' || value === null) return undefined
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined)
    return items.length > 0 ? items : undefined
  }
  if (typeof value !== 'object' || value === undefined) return value
  const entries = Object.entries(value).map(([name, part]) => [name, withoutEmpty(part)] as const)
  const kept = entries.filter(([, part]) => part !== undefined)
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}

/** The settings to send: effective values that are not the defaults. An emptied value with a default is sent as it is. */
export function settingsOf(rows: Rows, values: Values): Record<string, unknown> {
  const settings: Record<string, unknown> = {}
  for (const row of shownRows(rows, values)) {
    const value = values[row.name]
    // A field that holds no number is a fault, which a run does not get past.
    if (value === undefined || Number.isNaN(value) || (!row.filledByTool && isEqual(value, row.default))) continue
    const given = withoutEmpty(value)
    if (given !== undefined) settings[row.name] = given
    else if (row.default !== undefined && row.default !== '' && (value === '' || Array.isArray(value)))
      settings[row.name] = value
  }
  return settings
}

/** Values of a form for given settings: the defaults, and what differs. */
export const valuesFor = (rows: Rows, settings: Values): Values => ({ ...defaultsOf(rows), ...settings })

const isMissing = (value: unknown): boolean => withoutEmpty(value) === undefined

/** Why a value of a row is not accepted, as a key of the strings and its limit; undefined if it is. */
export function faultOf(row: SettingRow, value: unknown): { kind: string; limit?: number } | undefined {
  if (isMissing(value)) return row.required || row.needed ? { kind: 'required' } : undefined
  if (row.type === 'integer' || row.type === 'number') {
    const number = Number(value)
    if (!Number.isFinite(number)) return { kind: 'number' }
    if (row.type === 'integer' && !Number.isInteger(number)) return { kind: 'whole' }
    if (row.min !== undefined && number < row.min) return { kind: 'min', limit: row.min }
    if (row.exclusiveMin !== undefined && number <= row.exclusiveMin) return { kind: 'above', limit: row.exclusiveMin }
    if (row.max !== undefined && number > row.max) return { kind: 'max', limit: row.max }
  }
  if (typeof value === 'string' && row.minLength !== undefined && value.length < row.minLength)
    return { kind: 'short', limit: row.minLength }
  if (Array.isArray(value) && row.minLength !== undefined && value.length < row.minLength)
    return { kind: 'few', limit: row.minLength }
  return undefined
}

/** Whether an item of a list or a member of an object has a value that is not accepted. */
function isFaultyInside({ items, fields }: SettingRow, value: unknown): boolean {
  const isFaulty = (row: SettingRow, part: unknown): boolean => {
    const kind = faultOf(row, part)?.kind
    return (kind !== undefined && kind !== 'required') || isFaultyInside(row, part)
  }
  if (items && Array.isArray(value)) return value.some((item) => isFaulty(items, item))
  if (!fields || typeof value !== 'object' || value === null) return false
  const members = value as Values
  return fields.some((field) => isFaulty(field, members[field.name]))
}

/** The rows that must be corrected before a run. */
export function faultyRows(rows: Rows, values: Values): SettingRow[] {
  return shownRows(rows, values).filter(
    (row) => faultOf(row, values[row.name]) !== undefined || isFaultyInside(row, values[row.name]),
  )
}
