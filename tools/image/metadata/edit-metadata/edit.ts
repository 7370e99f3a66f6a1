import type { Tags } from '../../../../src/engines/exiftool.ts'
import { exifMoment, shiftParts } from './dates.ts'
import { listOf } from './report.ts'

export interface MetadataOptions {
  title?: string | undefined
  description?: string | undefined
  author?: string | undefined
  copyright?: string | undefined
  keywords?: readonly string[] | undefined
  keywordsMode: 'add' | 'set'
  latitude?: number | undefined
  longitude?: number | undefined
  /** Metres above sea level. */
  altitude?: number | undefined
  clearGps: boolean
  dateTime?: string | undefined
  dateTimeOriginal?: string | undefined
  setAllDates?: string | undefined
  dateShift?: string | undefined
  software?: string | undefined
  iptcTitle?: string | undefined
  iptcHeadline?: string | undefined
  iptcCity?: string | undefined
  iptcState?: string | undefined
  iptcCountry?: string | undefined
  fieldsToRemove: readonly string[]
}

/** The kinds of metadata that a format supports; all support XMP. */
interface Holds {
  exif: boolean
  iptc: boolean
}

/** GIF does not support EXIF; only these support IPTC. Unsupported kinds are written as XMP. */
const holdsOf = (typeId: string): Holds => ({ exif: typeId !== 'gif', iptc: ['jpg', 'tiff', 'png'].includes(typeId) })

/** EXIF tags of each text, and XMP tags if there is no EXIF (XMP part 2; the pairs of the MWG guidelines). */
const EXIF_TEXTS = [
  ['author', 'IFD0:Artist', 'XMP-dc:Creator'],
  ['copyright', 'IFD0:Copyright', 'XMP-dc:Rights'],
  ['software', 'IFD0:Software', 'XMP-xmp:CreatorTool'],
] as const

/** IPTC tags of each text, and XMP tags if there is no IPTC (IPTC Photo Metadata Standard, mapping table). */
const IPTC_TEXTS = [
  ['iptcTitle', 'IPTC:ObjectName', 'XMP-dc:Title'],
  ['iptcHeadline', 'IPTC:Headline', 'XMP-photoshop:Headline'],
  ['iptcCity', 'IPTC:City', 'XMP-photoshop:City'],
  ['iptcState', 'IPTC:Province-State', 'XMP-photoshop:State'],
  ['iptcCountry', 'IPTC:Country-PrimaryLocationName', 'XMP-photoshop:Country'],
] as const

const DATES = {
  dateTime: ['ExifIFD:OffsetTime', 'IFD0:ModifyDate', 'XMP-xmp:ModifyDate'],
  dateTimeOriginal: ['ExifIFD:OffsetTimeOriginal', 'ExifIFD:DateTimeOriginal', 'XMP-exif:DateTimeOriginal'],
  created: ['ExifIFD:OffsetTimeDigitized', 'ExifIFD:CreateDate', 'XMP-xmp:CreateDate'],
} as const

/** All dates that an image can have; a shift does not create missing ones. */
const SHIFTED = [...Object.values(DATES).flatMap(([, exif, xmp]) => [exif, xmp]), 'XMP-photoshop:DateCreated']

/** All position tags. */
const NO_GPS = ['-GPS:all=', '-XMP-exif:GPS*=', '-XMP-iptcExt:*GPS*=', '-Keys:GPSCoordinates=']

const isGiven = (text: string | undefined): text is string => text !== undefined && text.trim() !== ''

const set = (tag: string, value: string | number): string => `-${tag}=${value}`

function texts(metadata: MetadataOptions, holds: Holds): string[] {
  const { title, description } = metadata
  const caption = isGiven(description) ? description : title
  const result: string[] = []
  if (isGiven(caption) && holds.exif) result.push(set('IFD0:ImageDescription', caption))
  if (isGiven(description) && !holds.exif) result.push(set('XMP-dc:Description', description))
  for (const [name, exif, xmp] of EXIF_TEXTS) {
    const text = metadata[name]
    if (isGiven(text)) result.push(set(holds.exif ? exif : xmp, text))
  }
  for (const [name, iptc, xmp] of IPTC_TEXTS) {
    const text = metadata[name]
    if (isGiven(text)) result.push(set(holds.iptc ? iptc : xmp, text))
  }
  // After IPTC's title, which a format without IPTC stores in the same tag.
  if (isGiven(title)) result.push(set('XMP-dc:Title', title))
  return result
}

function keywords({ keywords = [], keywordsMode }: MetadataOptions, holds: Holds, before: Tags): string[] {
  const wanted = keywords.map((word) => word.trim()).filter((word) => word !== '')
  if (wanted.length === 0) return []
  const places = ['XMP-dc:Subject', ...(holds.iptc ? ['IPTC:Keywords'] : [])]
  return places.flatMap((place) => {
    const kept = keywordsMode === 'add' ? listOf(before[place]) : []
    return [...new Set([...kept, ...wanted])].map((word) => set(place, word))
  })
}

function position({ latitude, longitude, altitude, clearGps }: MetadataOptions, holds: Holds): string[] {
  if (clearGps) return NO_GPS
  const result: string[] = []
  const place = (name: string, value: number, references: readonly [string | number, string | number]): void => {
    if (!holds.exif) return void result.push(set(`XMP-exif:${name}`, value))
    result.push(set(`GPS:${name}`, Math.abs(value)), set(`GPS:${name}Ref#`, references[value < 0 ? 1 : 0]))
    // XMP of an earlier position would be contradictory.
    result.push(`-XMP-exif:${name}=`)
  }
  if (latitude !== undefined) place('GPSLatitude', latitude, ['N', 'S'])
  if (longitude !== undefined) place('GPSLongitude', longitude, ['E', 'W'])
  if (altitude !== undefined) place('GPSAltitude', altitude, [0, 1])
  return result
}

function dates(metadata: MetadataOptions, holds: Holds): string[] {
  const { dateTime, dateTimeOriginal, setAllDates } = metadata
  const given = {
    dateTime: { name: 'dateTime', value: dateTime },
    dateTimeOriginal: { name: 'dateTimeOriginal', value: dateTimeOriginal },
    created: { name: 'setAllDates', value: setAllDates },
  }
  return (Object.keys(DATES) as (keyof typeof DATES)[]).flatMap((date) => {
    const { name, value } = given[date]
    const text = isGiven(value) ? value : setAllDates
    if (!isGiven(text)) return []
    const moment = exifMoment(text, isGiven(value) ? name : 'setAllDates')
    const [offsetTag, exif, xmp] = DATES[date]
    if (!holds.exif) return [set(xmp, `${moment.text}${moment.offset ?? ''}`)]
    return [set(exif, moment.text), ...(moment.offset ? [set(offsetTag, moment.offset)] : [])]
  })
}

/** Names that are not exiftool tags are ignored; the group prefix prevents a name from being read as an option. */
function removals(fields: readonly string[]): string[] {
  const names = fields.filter((name) => /^[A-Za-z][A-Za-z0-9:_-]*$/.test(name))
  return names.map((name) => `-${name.includes(':') ? name : `All:${name}`}=`)
}

/** IPTC defaults to Latin-1. */
const needsUnicode = (args: readonly string[]): boolean =>
  args.some((arg) => arg.startsWith('-IPTC:') && /[^\u0000-\u00ff]/.test(arg))

const UNICODE = '-IPTC:CodedCharacterSet=UTF8'

/**
 * Arguments for exiftool, run by run: dates are shifted before others are set, so that explicit dates are kept, and
 * IPTC in another charset is re-encoded before more is added.
 * @param before the file's current tags, for adding keywords
 * @throws INVALID_SETTINGS for invalid dates and shifts
 */
export function editsFor(metadata: MetadataOptions, typeId: string, before: Tags): string[][] {
  const holds = holdsOf(typeId)
  const moved = isGiven(metadata.dateShift) ? shiftParts(metadata.dateShift) : undefined
  const shifts = moved ? SHIFTED.map((tag) => `-${tag}${moved.operator}${moved.amount}`) : []
  const sets = [...texts(metadata, holds), ...keywords(metadata, holds, before), ...dates(metadata, holds)]
  const unicode = needsUnicode(sets)
  const changes = [...removals(metadata.fieldsToRemove), ...sets, ...position(metadata, holds)]
  const encoded = unicode ? ['-tagsFromFile', '@', '-IPTC:all', UNICODE] : []
  return [encoded, shifts, unicode ? [UNICODE, ...changes] : changes].filter((args) => args.length > 0)
}
