import { invalidSettings } from '../../../../src/tool/validate.ts'

/** A date and time in EXIF format (EXIF 2.32, 4.6.5.1.13), and its UTC offset if given. */
export interface ExifMoment {
  /** `2026:06:21 12:00:00` */
  text: string
  /** `+02:00` */
  offset?: string
}

const MOMENT = /^(\d{4})[:-](\d{2})[:-](\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i

/** Whether these are a valid calendar date and time. */
function isReal(year: number, month: number, day: number, time: readonly number[]): boolean {
  const date = new Date(Date.UTC(year, month - 1, day))
  const [hours, minutes, seconds] = time as [number, number, number]
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hours < 24 && minutes < 60 && seconds < 60
}

/**
 * Parses `YYYY:MM:DD HH:MM:SS` or ISO 8601, with or without time and offset, into EXIF format.
 * @param name the setting, for the message
 * @throws INVALID_SETTINGS
 */
export function exifMoment(given: string, name: string): ExifMoment {
  const parts = MOMENT.exec(given.trim())
  const [year, month, day, ...time] = (parts?.slice(1, 7) ?? []).map((part) => Number(part ?? 0))
  if (!parts || !isReal(year!, month!, day!, time))
    throw invalidSettings(
      `Expected a date as YYYY:MM:DD HH:MM:SS or ISO 8601 for ${name}, got ${given}`,
      'For example: 2026:06:21 12:00:00',
    )
  const two = (value: number): string => String(value).padStart(2, '0')
  const text = `${parts[1]}:${parts[2]}:${parts[3]} ${time.map(two).join(':')}`
  const zone = parts[7]?.toUpperCase()
  if (!zone) return { text }
  return { text, offset: zone === 'Z' ? '+00:00' : zone.replace(/^(.\d{2}):?(\d{2})$/, '$1:$2') }
}

/** Converts `+1:30` to exiftool's operator and amount. @throws INVALID_SETTINGS */
export function shiftParts(given: string): { operator: '+=' | '-='; amount: string } {
  const parts = /^([+-])(\d{1,2}):([0-5]\d)$/.exec(given.trim())
  if (!parts)
    throw invalidSettings(`Expected hours and minutes as +H:MM or -HH:MM for dateShift, got ${given}`, 'Say: +1:30')
  return { operator: parts[1] === '+' ? '+=' : '-=', amount: `${Number(parts[2])}:${parts[3]}` }
}
