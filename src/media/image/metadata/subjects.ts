import type { Metadata } from '../../../engines/sharp.ts'
import { openTiffBlock, readDirectory } from '../decode/tiff-directory.ts'
import { iptcDatasets, iptcOf } from './iptc.ts'

/** Types of metadata that describe an image, as supported or not by formats. `text`: PNG text chunks. */
export type MetadataKind = 'exif' | 'xmp' | 'iptc' | 'text'

/** Subjects of metadata, in the order in which messages list them. */
const SUBJECTS = ['date', 'camera', 'place', 'author', 'description', 'keywords', 'comments'] as const
export type Subject = (typeof SUBJECTS)[number]

/** EXIF tags by subject (EXIF 2.32, 4.6; 4009x are those of Windows). */
const EXIF_TAGS: Readonly<Record<number, Subject>> = {
  306: 'date',
  36867: 'date',
  36868: 'date',
  271: 'camera',
  272: 'camera',
  33434: 'camera',
  33437: 'camera',
  34855: 'camera',
  37386: 'camera',
  37500: 'camera',
  42036: 'camera',
  315: 'author',
  33432: 'author',
  40093: 'author',
  270: 'description',
  40091: 'description',
  40092: 'description',
  40095: 'description',
  37510: 'description',
  40094: 'keywords',
}

const EXIF_DIRECTORY = 0x8769
const GPS_DIRECTORY = 0x8825
/** Latitude and longitude (EXIF 2.32, 4.6.6). */
const GPS_POSITION = new Set([2, 4])

/** XMP properties by subject; properties not listed describe the file, or how it was edited. */
const XMP_PROPERTIES: readonly [Subject, RegExp][] = [
  ['date', /[\s<](?:xmp:CreateDate|photoshop:DateCreated|exif:DateTimeOriginal)\b/],
  ['camera', /[\s<](?:tiff:Model|aux:Lens|exif:ExposureTime|exifEX:LensModel)\b/],
  [
    'place',
    /[\s<](?:exif:GPSLatitude|photoshop:(?:City|State|Country)|Iptc4xmpCore:(?:Location|CountryCode)|Iptc4xmpExt:LocationShown)\b/,
  ],
  ['author', /[\s<](?:dc:(?:creator|rights)|photoshop:Credit|xmpRights:(?:Owner|UsageTerms))\b/],
  [
    'description',
    /[\s<](?:dc:(?:title|description)|photoshop:Headline|Iptc4xmpExt:PersonInImage|xmp:(?:Label|Rating))\b/,
  ],
  ['keywords', /[\s<](?:dc:subject|lr:hierarchicalSubject)\b/],
]

/** Datasets of record 2 by subject (IPTC-IIM 4.2, chapter 6). */
const IPTC_DATASETS: Readonly<Record<number, Subject>> = {
  5: 'description',
  105: 'description',
  120: 'description',
  25: 'keywords',
  55: 'date',
  60: 'date',
  62: 'date',
  63: 'date',
  80: 'author',
  110: 'author',
  115: 'author',
  116: 'author',
  90: 'place',
  92: 'place',
  95: 'place',
  101: 'place',
}

/** Text chunk keywords that programs write into every PNG: about files and programs, not images. */
export const TECHNICAL_TEXT =
  /^(?:Software|date:|exif:|xmp:|tiff:|png:|icc:|jpeg:|Thumb::|Raw profile type |XML:com\.adobe\.xmp|signature$)/i

function exifSubjects(exif: Uint8Array): Subject[] {
  const bytes = Buffer.from(exif.buffer, exif.byteOffset, exif.byteLength)
  const block = openTiffBlock(bytes.toString('latin1', 0, 6) === 'Exif\0\0' ? bytes.subarray(6) : bytes)
  if (!block) return []
  const main = readDirectory(block, block.u32(4), { anywhere: true })
  // Only the first pointer, and only one inside the block, is followed: a block may contain thousands.
  const pointers = readDirectory(block, block.u32(4))
  const inside = (pointer: number) => {
    const found = pointers.find(({ tag }) => tag === pointer)
    return found ? readDirectory(block, block.u32(found.at), { anywhere: true }) : []
  }
  const tags = [...main, ...inside(EXIF_DIRECTORY)]
  const found = tags.flatMap(({ tag }) => EXIF_TAGS[tag] ?? [])
  return inside(GPS_DIRECTORY).some(({ tag }) => GPS_POSITION.has(tag)) ? [...found, 'place'] : found
}

/** Normalizes text for comparing IPTC with XMP, which write dates and punctuation differently. */
const comparable = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/&\w+;|[^\p{L}\p{N}]/gu, '')
    .toLowerCase()

/** Times of day: `HHMMSS+HHMM`. XMP appends them to the date, with another time zone format. */
const TIMES = new Set([60, 63])
const TIME_DIGITS = 6

/** Maximum number of datasets searched for in the XMP packet; each takes one pass over it. */
const MAX_COMPARED = 200

/** Subjects in IPTC that are missing from the XMP packet, if that is kept. */
function iptcSubjects(records: Buffer | undefined, xmp: string): Subject[] {
  if (!records) return []
  const said = comparable(xmp)
  return iptcDatasets(records)
    .map(({ record, dataset, text }) => ({
      ...{ record, dataset },
      text: TIMES.has(dataset) ? comparable(text).slice(0, TIME_DIGITS) : comparable(text),
    }))
    .filter(({ record, text }) => record === 2 && text !== '')
    .filter(({ text }, position) => position >= MAX_COMPARED || !said.includes(text))
    .flatMap(({ dataset }) => IPTC_DATASETS[dataset] ?? [])
}

/**
 * The content of metadata types that an output does not support.
 * @param lost the metadata types that are dropped
 * @returns the types that have content, and their subjects; none for data about storage and programs
 */
export function lostSubjects(
  metadata: Pick<Metadata, 'exif' | 'xmp' | 'iptc' | 'comments'>,
  lost: ReadonlySet<MetadataKind>,
): { kinds: MetadataKind[]; subjects: Subject[] } {
  const { exif, xmp, comments = [] } = metadata
  const packet = xmp ? Buffer.from(xmp).toString('utf8') : ''
  const byKind: Record<MetadataKind, () => Subject[]> = {
    exif: () => (exif ? exifSubjects(exif) : []),
    xmp: () => XMP_PROPERTIES.filter(([, property]) => property.test(packet)).map(([subject]) => subject),
    iptc: () => iptcSubjects(iptcOf(metadata), lost.has('xmp') ? '' : packet),
    text: () => (comments.some(({ keyword }) => !TECHNICAL_TEXT.test(keyword)) ? ['comments'] : []),
  }
  const found = new Map([...lost].map((kind) => [kind, byKind[kind]()] as const))
  const all = new Set([...found.values()].flat())
  return {
    kinds: [...found].filter(([, subjects]) => subjects.length > 0).map(([kind]) => kind),
    subjects: SUBJECTS.filter((subject) => all.has(subject)),
  }
}
