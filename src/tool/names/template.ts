import { printableName } from '../../wording.ts'
import { nearest } from '../validate.ts'
import { type FormatKind, type KnownFrom, PLACEHOLDERS, placeholderRow } from './placeholders.ts'

/** `{name:format|default}` in a pattern of output names. */
export interface Placeholder {
  name: string
  format?: string
  /** The text if the file has no such value; undefined if there is none. */
  fallback?: string
}

/** The parts of a pattern: literal text and placeholders. */
export type Template = readonly (string | Placeholder)[]

const PLACEHOLDER = /\{([^{}]*)\}/g

function placeholderOf(text: string): Placeholder {
  const bar = text.indexOf('|')
  const head = bar < 0 ? text : text.slice(0, bar)
  const colon = head.indexOf(':')
  return {
    name: colon < 0 ? head : head.slice(0, colon),
    ...(colon >= 0 && { format: head.slice(colon + 1) }),
    ...(bar >= 0 && { fallback: text.slice(bar + 1) }),
  }
}

/** Splits a pattern. Every text in braces is a placeholder, whether it is known or not. */
export function parseTemplate(pattern: string): Template {
  const parts: (string | Placeholder)[] = []
  let end = 0
  for (const match of pattern.matchAll(PLACEHOLDER)) {
    if (match.index > end) parts.push(pattern.slice(end, match.index))
    parts.push(placeholderOf(match[1] ?? ''))
    end = match.index + match[0].length
  }
  if (end < pattern.length) parts.push(pattern.slice(end))
  return parts
}

/** The placeholders of a pattern, in order. */
export const placeholdersOf = (pattern: string): Placeholder[] =>
  parseTemplate(pattern).filter((part) => typeof part !== 'string')

/** Whether a pattern has a placeholder of this name, in any format. */
export const usesPlaceholder = (pattern: string | undefined, name: string): boolean =>
  pattern !== undefined && placeholdersOf(pattern).some((one) => one.name === name)

/** `{exif.date:YYYY}`: a placeholder as it is shown while its value is unknown. */
export const placeholderText = ({ name, format }: Placeholder): string =>
  `{${name}${format === undefined ? '' : `:${format}`}}`

/**
 * When the value of a placeholder is known, for these settings: a setting with a value takes precedence over a fact of a
 * file.
 */
export function knownFrom({ name }: Placeholder, settings: Readonly<Record<string, unknown>>): KnownFrom {
  const from = placeholderRow(name)?.from ?? 'run'
  return from !== 'run' && hasValue(settings[name]) ? 'run' : from
}

/** Whether a setting has a value for names. */
export const hasValue = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

/** A problem of a pattern, as a message. */
export interface TemplateFault {
  message: string
  hint: string
}

const DATE_PARTS = /YYYY|MM|DD|HH|mm|ss/g
const MAX_ZEROS = 20
const MAX_DIGITS = 64

/** The formats: whether a text is one, and their description. */
const FORMATS: Record<FormatKind, { accepts(format: string): boolean; what: string }> = {
  zeros: {
    accepts: (format) => /^0[1-9]\d?$/.test(format) && Number(format) <= MAX_ZEROS,
    what: 'the number of digits with a leading zero, such as :03',
  },
  digits: {
    accepts: (format) => /^[1-9]\d?$/.test(format) && Number(format) <= MAX_DIGITS,
    what: `the number of digits from 1 to ${MAX_DIGITS}, such as :8`,
  },
  date: {
    // The T of ISO 8601 is the only letter besides those of the parts.
    accepts: (format) =>
      format.search(DATE_PARTS) >= 0 && !/[\p{L}\p{N}\p{Cc}]/u.test(format.replace(DATE_PARTS, '').replaceAll('T', '')),
    what: 'YYYY, MM, DD, HH, mm and ss with signs between them, such as :YYYY-MM-DD',
  },
}

/** Settings can be numbers, which zeros make equally long. */
const formatOf = (name: string): FormatKind | undefined => {
  const row = placeholderRow(name)
  return row ? row.format : 'zeros'
}

function faultOf(placeholder: Placeholder, known: readonly string[]): TemplateFault | undefined {
  const { name, format } = placeholder
  const shown = printableName(placeholderText(placeholder))
  if (!known.includes(name)) {
    const near = nearest(name, known)
    const hint = near ? `Did you mean {${near}}? ` : ''
    return {
      message: `There is no placeholder {${printableName(name)}}`,
      hint: `${hint}Known are ${known.map((one) => `{${one}}`).join(', ')}.`,
    }
  }
  if (format === undefined) return undefined
  const kind = formatOf(name)
  if (!kind) return { message: `{${name}} has no format, got ${shown}`, hint: `Write {${name}}.` }
  const { accepts, what } = FORMATS[kind]
  if (accepts(format)) return undefined
  return { message: `${shown} has an unknown format`, hint: `After the colon, {${name}} takes ${what}.` }
}

/** Problems of a pattern: unknown placeholders and formats. @param more names besides those of the table */
export function templateFaults(pattern: string, more: readonly string[]): TemplateFault[] {
  const known = [...new Set([...Object.keys(PLACEHOLDERS), ...more])]
  return placeholdersOf(pattern).flatMap((one) => faultOf(one, known) ?? [])
}

/** A time without a time zone, as clocks showed it. */
export interface ClockTime {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
}

const padded = (value: number, digits = 2): string => String(value).padStart(digits, '0')

/** @param format checked before; `YYYY-MM-DD` by default */
export function dateText(time: ClockTime, format = 'YYYY-MM-DD'): string {
  const parts: Record<string, string> = {
    YYYY: padded(time.year, 4),
    MM: padded(time.month),
    DD: padded(time.day),
    HH: padded(time.hour),
    mm: padded(time.minute),
    ss: padded(time.second),
  }
  return format.replace(DATE_PARTS, (part) => parts[part] ?? part)
}

/** `007` for 7 and `03`. Other text than whole numbers is unchanged. */
export function withZeros(text: string, format: string | undefined): string {
  return format === undefined || !/^\d+$/.test(text) ? text : text.padStart(Number(format), '0')
}
