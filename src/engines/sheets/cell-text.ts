import { dateText, isDuration } from './date-text.ts'
import type { NumberFormats } from './number-formats.ts'

export interface NumberCell {
  value: number
  /** How it is shown; none is the general format. */
  format?: string | undefined
  /** The text of the value in the file, or what the file says that a reader sees. */
  source?: string | undefined
}

/**
 * A number as text, as displayed if that is exact: `1,234.50`, `00501`, `25%`. If the format hides
 * digits, more digits are shown (`12.5%` instead of `13%`), or the plain number. Dates and times are ISO 8601.
 */
export function numberText({ value, format, source }: NumberCell, formats: NumberFormats, date1904 = false): string {
  const plain = plainNumber(value, source)
  if (format === undefined || format === '@' || /^general$/i.test(format))
    return tells(source, value, (number) => number) ? source! : plain
  if (formats.is_date(format) || isDuration(format)) return dateText(value, format, formats, date1904) ?? plain
  for (const code of [format, withDecimals(format, value)]) {
    const shown = shownBy(code, value, formats)
    if (shown !== undefined && !/\dE[-+]?\d/.test(shown) && tells(shown, value)) return shown
  }
  return plain
}

function shownBy(code: string, value: number, formats: NumberFormats): string | undefined {
  try {
    // Formats of accounts leave room for signs and brackets.
    return formats.format(code, value).trim()
  } catch {
    return undefined
  }
}

/** Calculation precision of spreadsheets: binary rounding noise after the 15th digit is not significant. */
const precise = (value: number): number => Number(value.toPrecision(15))

/** Whether a displayed text is a number in English notation, as the formats write it. */
function tells(shown: string | undefined, value: number, rounded = precise): boolean {
  if (shown === undefined) return false
  const numbers = shown.match(/[-+]?(?:\d[\d,]*)?\.?\d+/g) ?? []
  const digits = numbers.join('').replace(/[^\d.]/g, '')
  // As in 555-1234.
  if (numbers.length > 1) return value >= 0 && digits === String(value)
  if (numbers.length === 0) return false
  const sign = /^[^\d]*\(.*\)/.test(shown) || /-[^\d]*\d/.test(shown) ? -1 : 1
  const read = (sign * Number(digits)) / (shown.includes('%') ? 100 : 1)
  return rounded(read) === rounded(value)
}

/** A format with as many decimals as the number has. */
function withDecimals(format: string, value: number): string {
  const scaled = precise(format.includes('%') ? value * 100 : value)
  const decimals = plainNumber(scaled).split('.')[1]?.length ?? 0
  return format.replace(/([0#?])(?:\.[0#?]+)?(?=[^0#?.]*(?:;|$))/g, (_whole, last: string) =>
    decimals > 0 ? `${last}.${'0'.repeat(decimals)}` : last,
  )
}

/** All digits and no exponent, up to 40 places: `1234567890123`, `0.0000015`. */
export function plainNumber(value: number, source = ''): string {
  // A whole number with more digits than a number holds.
  if (/^-?[1-9]\d{15,}$/.test(source)) return source
  const text = String(value)
  const [, sign, whole, part = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e([-+]\d+)$/.exec(text) ?? []
  if (exponent === undefined || Math.abs(Number(exponent)) > 40) return text
  const digits = whole + part
  const point = 1 + Number(exponent)
  return point <= 0 ? `${sign}0.${'0'.repeat(-point)}${digits}` : `${sign}${digits.padEnd(point, '0')}`
}
