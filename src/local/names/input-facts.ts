import type { MediaFile } from '../../media/file.ts'
import type { ClockTime } from '../../tool/names/template.ts'
import { cutToBytes } from '../../utf8.ts'
import { WITH_BLOCKS, WITH_TAGS } from '../check/private-facts.ts'

/** What an input says about itself, for output names. */
export interface InputFacts {
  'exif.date'?: ClockTime
  'exif.camera'?: string
  title?: string
  artist?: string
  album?: string
}

/** Text from a file is part of a name with others, which have 255 bytes together. */
const MAX_TEXT_BYTES = 100

/**
 * A text from a file as part of a name, safe on all file systems; undefined if nothing remains. Such text is written by
 * strangers: it must not add folders, hide files or reverse the order of characters.
 */
export function textPart(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const clean = String(value)
    .normalize('NFC')
    .replace(/[\p{Zs}\s]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffd]/gu, '')
    .replace(/[<>:"|?*/\\]/g, '_')
  const short = cutToBytes(clean, MAX_TEXT_BYTES).replace(/^[. ]+|[. ]+$/g, '')
  return /[\p{L}\p{N}]/u.test(short) ? short : undefined
}

/** The clock time at the start of a text: `2024:05:03 10:11:12`, or ISO 8601; undefined if it is not a valid one. */
export function clockTime(value: unknown): ClockTime | undefined {
  const match =
    typeof value === 'string' ? /^\s*(\d{4})[-:](\d\d)[-:](\d\d)[T ](\d\d):(\d\d)(?::(\d\d))?/.exec(value) : null
  if (!match) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0))
  const date = new Date(Date.UTC(year, month - 1, day))
  const isDay = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isDay && hour < 24 && minute < 60 && second < 61 ? { year, month, day, hour, minute, second } : undefined
}

/** The first value that `read` accepts. */
function first<T>(values: readonly unknown[], read: (value: unknown) => T | undefined): T | undefined {
  for (const value of values) {
    const found = read(value)
    if (found !== undefined) return found
  }
  return undefined
}

function factsOf(facts: { [Name in keyof InputFacts]: InputFacts[Name] | undefined }): InputFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as InputFacts
}

/** The tags of a picture by their names in EXIF. */
async function pictureTags(file: MediaFile, signal: AbortSignal): Promise<Record<string, unknown>> {
  const { id } = file.type
  if (WITH_BLOCKS.has(id)) {
    const { readMetadata } = await import('../../engines/sharp.ts')
    const header = await readMetadata(file.path).catch(() => undefined)
    const block = header ? header.exif : await decodedBlock(file, signal)
    if (!block) return {}
    const { readExif } = await import('../../media/image/metadata/exif.ts')
    const tags = (await readExif(block)).exif ?? {}
    const isWritten = ([, value]: [string, unknown]): boolean => !isRolledOver(value, block)
    return Object.fromEntries(Object.entries(tags).filter(isWritten))
  }
  if (!WITH_TAGS.test(id)) return {}
  const { readTags } = await import('../../engines/exiftool.ts')
  const [tags = {}] = await readTags([file.path], { scope: 'descriptive', signal })
  const own = Object.entries(tags).filter(([name]) => /^(IFD0|ExifIFD):/.test(name))
  return Object.fromEntries(
    own.map(([name, value]) => [name.replace(/^\w+:/, '').replace(/^CreateDate$/, 'DateTimeDigitized'), value]),
  )
}

/**
 * Whether a date is not in the block: exif-reader reads the month 0 of a camera without a clock as December of the year
 * before.
 */
function isRolledOver(value: unknown, block: Buffer): boolean {
  const match = typeof value === 'string' ? /^(\d{4})-(\d\d)-(\d\d)T([\d:]{8})\.\d+Z$/.exec(value) : null
  return match !== null && !block.includes(`${match.slice(1, 4).join(':')} ${match[4]}`)
}

/** The EXIF block of a picture that libvips does not read, such as HEIC. */
async function decodedBlock(file: MediaFile, signal: AbortSignal): Promise<Buffer | undefined> {
  const { decodeImage } = await import('../../media/image/decode/decode.ts')
  return (await decodeImage(file, { signal })).origin.metadata.exif
}

async function pictureFacts(file: MediaFile, signal: AbortSignal): Promise<InputFacts> {
  const { DateTimeOriginal, DateTimeDigitized, Model, Make, Artist } = await pictureTags(file, signal)
  return factsOf({
    'exif.date': first([DateTimeOriginal, DateTimeDigitized], clockTime),
    'exif.camera': first([Model, Make], textPart),
    artist: textPart(Artist),
    title: undefined,
    album: undefined,
  })
}

const QUICKTIME = 'com.apple.quicktime.'

async function mediaFacts(file: MediaFile, signal: AbortSignal): Promise<InputFacts> {
  const { probeMedia } = await import('../../engines/ffmpeg/ffprobe.ts')
  const { tags, streams } = await probeMedia(file.path, { signal })
  // Ogg has its tags in the stream.
  const all = [tags, ...streams.map((stream) => stream.tags)]
  const valuesOf = (...names: readonly string[]): unknown[] => names.flatMap((name) => all.map((own) => own[name]))
  return factsOf({
    // The former has the time zone of the camera; the latter is in UTC.
    'exif.date': first(valuesOf(`${QUICKTIME}creationdate`, 'creation_time'), clockTime),
    'exif.camera': first(valuesOf(`${QUICKTIME}model`, 'model'), textPart),
    title: first([tags.title, ...(tags.title === undefined ? valuesOf('title') : [])], textPart),
    artist: first(valuesOf('artist', 'album_artist'), textPart),
    album: first(valuesOf('album'), textPart),
  })
}

/**
 * Reads the facts of an input. A file that cannot be read has none: its job reports the reason.
 * @throws MediaprocError ENGINE_UNAVAILABLE, CANCELED
 */
export async function readInputFacts(file: MediaFile, signal: AbortSignal): Promise<InputFacts> {
  const { group } = file.type
  try {
    if (group === 'image') return await pictureFacts(file, signal)
    if (group === 'video' || group === 'audio') return await mediaFacts(file, signal)
  } catch (error) {
    const { EXIT, toMediaprocError } = await import('../../errors.ts')
    const known = toMediaprocError(error)
    if (known.exit === EXIT.missing || known.code === 'CANCELED') throw known
  }
  return {}
}
