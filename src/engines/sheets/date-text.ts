import { firstOf } from '../../lists.ts'
import type { NumberFormats } from './number-formats.ts'

const DAY = 86_400_000

/** With an hours format, a number up to this many days (27 years) is a duration; above, it is a date. */
const LONGEST = 10_000

/** A format without literals, colours and languages: keeps `[h]`, `[mm]` and `[s]`. */
const bare = (format: string): string =>
  firstOf(format.replace(/"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, '').split(';'))

/** Whether a format shows hours beyond 24, or minutes and seconds beyond 60. */
export const isDuration = (format: string): boolean => /\[(?:h+|m+|s+)\]/i.test(bare(format))

const two = (number: number): string => String(number).padStart(2, '0')

function clock(hours: number, rest: number): string {
  const milliseconds = rest % 1000
  const seconds = Math.floor(rest / 1000) % 60
  const minutes = Math.floor(rest / 60_000) % 60
  const fraction = milliseconds === 0 ? '' : `.${String(milliseconds).padStart(3, '0')}`
  return `${two(hours)}:${two(minutes)}:${two(seconds)}${fraction}`
}

/**
 * A serial number as a date, time or duration, to the millisecond: `2024-02-29`, `2024-02-29T13:30:00`, `13:30:00`,
 * `36:00:00`. The displayed text is kept if it has this form and is complete (`2024-02-29 13:30`).
 * @returns undefined if it is not a date, such as numbers below 0
 */
export function dateText(value: number, format: string, formats: NumberFormats, date1904: boolean): string | undefined {
  const code = bare(format)
  const total = Math.round(Math.abs(value) * DAY)
  const showsDate = /[yd]/i.test(code) || !/[hs]/i.test(code)
  if (isDuration(format) || (!showsDate && Math.abs(value) < LONGEST)) {
    const length = (value < 0 ? '-' : '') + clock(Math.floor(total / 3_600_000), total)
    return shownWhole(value, format, length, formats, date1904) ?? length
  }
  const days = Math.floor(total / DAY)
  const date = value < 0 ? null : formats.parse_date_code(days, { date1904 })
  if (!date) return undefined
  const time = clock(Math.floor(total / 3_600_000) % 24, total)
  const day = `${String(date.y).padStart(4, '0')}-${two(date.m)}-${two(date.d)}`
  const whole = `${day}T${time}`
  return (
    shownWhole(value, format, whole, formats, date1904) ?? (time === '00:00:00' && !/[hs]/i.test(code) ? day : whole)
  )
}

/** The displayed text, if it is ISO 8601 (or with a space instead of T) and equivalent to `whole`. */
function shownWhole(
  value: number,
  format: string,
  whole: string,
  formats: NumberFormats,
  date1904: boolean,
): string | undefined {
  let shown: string
  try {
    shown = formats.format(format, value, { date1904 })
  } catch {
    return undefined
  }
  const [, day, time] = /^(?:(\d{4}-\d\d-\d\d)(?:[T ]|$))?(-?\d+:\d\d(?::\d\d(?:\.\d+)?)?)?$/.exec(shown) ?? []
  if (day === undefined && time === undefined) return undefined
  const full = time === undefined ? '00:00:00' : time.split(':').length === 2 ? `${time}:00` : time
  const padded = full.replace(/^(-?)(\d):/, '$10$2:')
  return (day === undefined ? padded : `${day}T${padded}`) === whole ? shown : undefined
}
