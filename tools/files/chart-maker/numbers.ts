/** A number as people write it: its sign, digits and unit. */
export interface WrittenNumber {
  /** Digits with their commas and points, and an exponent. */
  digits: string
  sign: 1 | -1
  /** `$`, `EUR`, `%` …; '' if absent. */
  unit: string
  /** The unit comes first, as in `$5`. */
  isLeading: boolean
}

/** The decimal separator. */
export type DecimalMark = ',' | '.'

const CURRENCIES =
  'USD|EUR|GBP|JPY|CHF|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BRL|MXN|ZAR|KRW|TRY|RUB|UAH|ILS|SGD|HKD'
const UNIT = String.raw`\p{Sc}|${CURRENCIES}|(?:US|CA|AU|NZ|HK)\$|kr|zł|Kč|Ft`
/** No number that people write is longer. */
const MAX_LENGTH = 64
const BLANKS = /[\s\u00a0\u2007\u2009\u202f]/g
const NUMBER = /^(?:\d[\d.,']*|[.,]\d+)(?:e[-+]?\d+)?$/i

/** Words for a missing value. */
const GAP = /^(?:|-|–|—|n\/?a|#n\/a|nan|null|none|\.\.\.?|…|\?)$/i

/** Whether a cell states that its value is missing. */
export const isGap = (cell: string): boolean => GAP.test(cell.trim())

/** Parses `($1,234.50)`, `1.234,5 €`, `12 %`, `−3`, `1'000`; undefined if it is not a number. */
export function writtenNumber(cell: string): WrittenNumber | undefined {
  if (cell.length > MAX_LENGTH) return undefined
  const text = cell.trim().replace(/[\u2212\u2012\u2013]/g, '-')
  const bracketed = /^\((.*)\)$/s.exec(text)?.[1]
  const pattern = new RegExp(
    `^([-+]?)\\s*(${UNIT})?\\s*([-+]?)\\s*([\\d.,'\\s\\u2009\\u202f\\u00a0]*\\d[.,]?(?:[eE][-+]?\\d+)?)\\s*(${UNIT}|%)?\\s*(-?)$`,
    'u',
  )
  const [, first, before, second, number, after, last] = pattern.exec(bracketed ?? text) ?? []
  const digits = number?.replace(BLANKS, '').replaceAll("'", '')
  if (digits === undefined || !NUMBER.test(digits) || (before && after)) return undefined
  const signs = [first, second, last].filter((sign) => sign !== '' && sign !== undefined)
  if (signs.length > 1) return undefined
  const isNegative = bracketed !== undefined || signs[0] === '-'
  return { digits, sign: isNegative ? -1 : 1, unit: before ?? after ?? '', isLeading: before !== undefined }
}

/** The decimal separator that a number shows unambiguously, such as that of `1,5`, `1.234,5` and `1,234,567`. */
export function shownMark({ digits, unit }: WrittenNumber): DecimalMark | undefined {
  const commas = digits.split(',').length - 1
  const points = digits.split('.').length - 1
  if (commas > 0 && points > 0) return digits.lastIndexOf(',') > digits.lastIndexOf('.') ? ',' : '.'
  if (commas + points === 0) return undefined
  const mark = commas > 0 ? ',' : '.'
  const other = commas > 0 ? '.' : ','
  if (commas + points > 1) return other
  if (/^[1-9]\d{0,2}[.,]\d{3}$/.test(digits)) return mark === ',' && /^[$£]$/.test(unit) ? '.' : undefined
  return mark
}

/** The value with `mark` as the decimal separator; undefined if that is not valid, as in `1,23,4`. */
export function numericValue({ digits, sign }: WrittenNumber, mark: DecimalMark): number | undefined {
  const other = mark === ',' ? '.' : ','
  const [mantissa = '', exponent] = digits.split(/e/i)
  const [whole = '', decimals, ...more] = mantissa.split(mark)
  const isGrouped = /^\d{1,3}(?:\D\d{3})*$/.test(whole) || /^\d*$/.test(whole)
  if (more.length > 0 || decimals?.includes(other) || !isGrouped) return undefined
  const value = Number(
    `${whole.replaceAll(other, '') || 0}.${decimals || 0}${exponent === undefined ? '' : `e${exponent}`}`,
  )
  return Number.isFinite(value) ? sign * value : undefined
}
