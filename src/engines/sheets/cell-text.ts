import { dateText, isDuration } from './date-text.ts'
import type { NumberFormats } from './number-formats.ts'

export interface NumberCell {
  value: number
  /** Number format; absent means the general format. */
  format?: string | undefined
  /** The text of the value in the file, or the displayed text stored in the file. */
  source?: string | undefined
}

/**
 * A number of a sheet as text, in its displayed form if that is complete: `1,234.50`, `00501`, `25%`. If the format
 * hides digits, more of them are shown (`12.5%` instead of `13%`), or the plain number. Dates and times are ISO 8601.
 */
export function numberText({ value, format, source }: NumberCell, formats: NumberFormats, date1904 = false): string {
  const plain = plainNumber(value, source)
  if (format === undefined || format === '@' || /^general$/i.test(format))
    return isExact(source, value, (number) => number) ? source! : plain
  if (formats.is_date(format) || isDuration(format)) return dateText(value, format, formats, date1904) ?? plain
  for (const code of [format, withDecimals(format, value)]) {
    const shown = shownBy(code, value, formats)
    if (shown !== undefined && !/\dE[-+]?\d/.test(shown) && isExact(shown, value)) return shown
  }
  return plain
}

function shownBy(code: string, value: number, formats: NumberFormats): string | undefined {
  try {
    // Accounting formats reserve space for signs and brackets.
    return formats.format(code, value).trim()
  } catch {
    return undefined
  }
}

/** A sheet's precision: binary rounding errors after the 15th digit are not the user's data. */
const precise = (value: number): number => Number(value.toPrecision(15))

/** Whether a displayed text is a number in English notation, as the formats write it. */
function isExact(shown: string | undefined, value: number, rounded = precise): boolean {
  if (shown === undefined) return false
  const numbers = shown.match(/[-+]?(?:\d[\d,]*)?\.?\d+/g) ?? []
  const digits = numbers.join('').replace(/[^\d.]/g, '')
  // For example 555-1234.
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

/** All digits without an exponent, up to 40 places: `1234567890123`, `0.0000015`. */
export function plainNumber(value: number, source = ''): string {
  // An integer with more digits than a number can hold.
  if (/^-?[1-9]\d{15,}$/.test(source)) return source
  const text = String(value)
  const [, sign, whole, part = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e([-+]\d+)$/.exec(text) ?? []
  if (exponent === undefined || Math.abs(Number(exponent)) > 40) return text
  const digits = whole + part
  const point = 1 + Number(exponent)
  return point <= 0 ? `${sign}0.${'0'.repeat(-point)}${digits}` : `${sign}${digits.padEnd(point, '0')}`
}
