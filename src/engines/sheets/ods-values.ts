import type { CellObject } from '@e965/xlsx'
import type { NumberFormats } from './number-formats.ts'
import { escapedText } from './ods-markup.ts'
import type { NumberStyle } from './ods-number-style.ts'

/** The date system of a workbook. */
export interface Calendar {
  formats: NumberFormats
  /** The 1904 date system of old Mac programs. */
  date1904: boolean
}

const DAY = 86_400_000

/** ISO codes of currencies that programs know by their symbol. */
const CURRENCIES: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP', '¥': 'JPY', '₹': 'INR' }

const two = (number: number): string => String(number).padStart(2, '0')

/** Attributes of a cell element for its value (OpenDocument 1.3, part 3, 19.386), and the displayed text. */
export function cellValue(
  cell: CellObject,
  style: NumberStyle | undefined,
  calendar: Calendar,
): { attributes: string; text?: string } {
  const { t, v } = cell
  const value = (type: string, rest = ''): string => ` office:value-type="${type}"${rest}`
  if (t === 'e') {
    const text = cell.w ?? '#VALUE!'
    const formula = cell.f === undefined ? ` table:formula="of:=${escapedText(text)}"` : ''
    return { attributes: `${formula}${value('string', ' office:string-value="" calcext:value-type="error"')}`, text }
  }
  if (v === undefined || t === 'z') return { attributes: '' }
  if (t === 'b')
    return { attributes: value('boolean', ` office:boolean-value="${v === true}"`), text: v ? 'TRUE' : 'FALSE' }
  if (typeof v !== 'number') return { attributes: value('string'), text: String(v) }
  const text = cell.w ?? String(v)
  const day = style?.kind === 'date' ? dateOf(v, calendar) : undefined
  if (day !== undefined) return { attributes: value('date', ` office:date-value="${day}"`), text }
  if (style?.kind === 'time') return { attributes: value('time', ` office:time-value="${duration(v)}"`), text }
  if (style?.kind === 'percentage') return { attributes: value('percentage', ` office:value="${v}"`), text }
  if (style?.kind !== 'currency') return { attributes: value('float', ` office:value="${v}"`), text }
  const letters = CURRENCIES[style.currency ?? '']
  const currency = letters === undefined ? '' : ` office:currency="${letters}"`
  return { attributes: value('currency', `${currency} office:value="${v}"`), text }
}

/** A date, with its time if there is one; undefined for invalid dates, such as 0 and 29 February 1900. */
function dateOf(value: number, { formats, date1904 }: Calendar): string | undefined {
  const total = Math.round(value * DAY)
  const parts = value < 0 ? null : formats.parse_date_code(Math.floor(total / DAY), { date1904 })
  if (!parts || parts.y > 9999) return undefined
  const day = `${String(parts.y).padStart(4, '0')}-${two(parts.m)}-${two(parts.d)}`
  const date = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== parts.d) return undefined
  const time = new Date(total % DAY)
    .toISOString()
    .slice(11, -1)
    .replace(/\.000$/, '')
  return time === '00:00:00' ? day : `${day}T${time}`
}

function duration(days: number): string {
  const total = Math.round(Math.abs(days) * DAY)
  const seconds = (total % 60_000) / 1000
  return `${days < 0 ? '-' : ''}PT${two(Math.floor(total / 3_600_000))}H${two(Math.floor(total / 60_000) % 60)}M${seconds < 10 ? '0' : ''}${seconds}S`
}

/** Web and mail addresses; others could refer to this computer. */
export const linked = (markup: string, target: string | undefined): string =>
  target !== undefined && /^(?:https?|mailto):/i.test(target)
    ? markup.replace(
        /<text:p>(.*?)<\/text:p>/gs,
        (_whole, content: string) =>
          `<text:p><text:a xlink:type="simple" xlink:href="${escapedText(target)}">${content}</text:a></text:p>`,
      )
    : markup
