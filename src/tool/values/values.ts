import { either } from '../../wording.ts'
import { allowedWords, type Setting } from '../settings.ts'
import { parseColour } from './colour.ts'
import { withUnit } from './units.ts'

/** The accepted values of a row, as a noun phrase: `an integer from 1 to 100`. */
export function describeExpected(row: Setting): string {
  const range =
    row.min !== undefined && row.max !== undefined
      ? ` from ${row.min} to ${row.max}`
      : row.exclusiveMin !== undefined
        ? ` greater than ${row.exclusiveMin}${row.max === undefined ? '' : ` and at most ${row.max}`}`
        : row.min !== undefined
          ? ` of at least ${row.min}`
          : row.max !== undefined
            ? ` of at most ${row.max}`
            : ''
  if (row.enum) return row.enum.length > 1 ? `one of ${either(row.enum.map(String))}` : String(row.enum[0])
  switch (row.type) {
    case 'integer':
      return `an integer${range}`
    case 'number':
      return `a number${range}`
    case 'boolean':
      return 'true or false'
    case 'color':
      return `a colour as #RRGGBB${row.alpha ? ', #RRGGBBAA' : ''} or in CSS (${row.transparent ? 'transparent, ' : ''}red, rgb(255 0 0${row.alpha ? ' / 50%' : ''}))`
    case 'array':
      return 'a list'
    case 'object':
      return 'an object'
    default: {
      const { minLength = 0, maxLength } = row
      if (maxLength !== undefined) return `text of ${minLength} to ${maxLength} characters`
      return minLength > 0 ? `text of at least ${minLength} character${minLength > 1 ? 's' : ''}` : 'text'
    }
  }
}

/** A number or numeric text; with a unit if the row has one (`1:30`, `2MB`, `50%`). */
const asNumber = (value: unknown, unit?: string): number | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const parsed = Number(value)
  return Number.isFinite(parsed) ? parsed : withUnit(value, unit)
}

/** Words for true and false. */
const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  false: false,
  no: false,
  off: false,
  '0': false,
}

const asJson = (value: unknown): unknown => {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}

const asList = (value: unknown): unknown[] | undefined => {
  if (Array.isArray(value)) return value
  if (typeof value !== 'string') return undefined
  if (value.trim().startsWith('[')) {
    const parsed = asJson(value)
    return Array.isArray(parsed) ? parsed : undefined
  }
  return value === '' ? [] : value.split(',').map((item) => item.trim())
}

/** Joins a list of texts and finite numbers into one text; returns anything else unchanged. */
function joined(value: unknown): unknown {
  const isItem = (item: unknown): boolean => typeof item === 'string' || Number.isFinite(item)
  return Array.isArray(value) && value.every(isItem) ? value.join(',') : value
}

function inRange(row: Setting, value: number): boolean {
  return (
    (row.min === undefined || value >= row.min) &&
    (row.max === undefined || value <= row.max) &&
    (row.exclusiveMin === undefined || value > row.exclusiveMin)
  )
}

function hasLength(row: Setting, value: { length: number }): boolean {
  return value.length >= (row.minLength ?? 0) && value.length <= (row.maxLength ?? Number.POSITIVE_INFINITY)
}

/** Looks up a word or number in a table of words; inherited keys (`constructor`) do not count. */
function own<T>(words: Readonly<Record<string, T>> | undefined, given: unknown): T | undefined {
  if (!words || (typeof given !== 'string' && typeof given !== 'number')) return undefined
  const word = String(given).toLowerCase()
  return Object.hasOwn(words, word) ? words[word] : undefined
}

/** The enum member that a value matches, in any case. */
function memberOf(row: Setting, value: unknown): unknown {
  const member = allowedWords(row).find((one) => String(one).toLowerCase() === String(value).toLowerCase())
  return member ?? (typeof value === 'string' ? row.otherwise : undefined)
}

/**
 * Converts a value to its row's type; undefined if the row does not accept it. Numbers and booleans may be given as
 * text.
 */
export function convertValue(row: Setting, given: unknown): unknown {
  const value = own(row.valueAliases, given) ?? given
  switch (row.type) {
    case 'integer':
    case 'number': {
      const parsed = asNumber(value, row.unit)
      if (parsed === undefined || (row.type === 'integer' && !Number.isInteger(parsed))) return undefined
      if (row.enum && !row.enum.includes(parsed)) return undefined
      return inRange(row, parsed) ? parsed : undefined
    }
    case 'boolean':
      return typeof value === 'boolean' ? value : own(BOOLEANS, value)
    case 'enum':
      return memberOf(row, value)
    case 'color': {
      const colour = parseColour(String(value))
      if (colour === undefined || colour.length === 7) return colour
      if (row.transparent && colour.endsWith('00')) return 'transparent'
      if (row.alpha) return colour
      return colour.endsWith('ff') ? colour.slice(0, 7) : undefined
    }
    case 'string': {
      const line = typeof value === 'number' ? String(value) : row.listed ? joined(value) : value
      if (typeof line !== 'string' || !hasLength(row, line)) return undefined
      return row.enum ? memberOf(row, line) : line
    }
    case 'array': {
      const items = asList(value)
      return items && hasLength(row, items) ? items : undefined
    }
    case 'object': {
      const parsed = asJson(value)
      return parsed && typeof parsed === 'object' && !Array.isArray(parsed) ? parsed : undefined
    }
  }
}

/** Whether a word means on or off; undefined if neither. */
export function truthOf(word: string): boolean | undefined {
  return own(BOOLEANS, word)
}
