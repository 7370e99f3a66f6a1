import { audioStreams, type Stream, videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import type { ImageFrame } from '../../media/image/frame.ts'
import { declaredArchival } from '../../media/pdf/structure/archival.ts'
import { fontsNotEmbedded } from '../../media/pdf/structure/fonts.ts'
import { typeById } from '../../media/type.ts'
import { listed, readableSize } from '../../wording.ts'
import { hasPosition, pictureMetadata } from './private-facts.ts'
import type { Subject } from './subject.ts'

/** The groups of files that facts are about. */
export type FactGroup = 'image' | 'video' | 'audio' | 'pdf'

export type FactValue = number | string | boolean | readonly string[]

/** A property of a file that a rule can limit. */
export interface Fact {
  /** Its name in messages. */
  label: string
  /** The groups that have it; absent for all files. */
  groups?: readonly FactGroup[]
  /** Shown after numbers. */
  unit?: string
  /** For counts: what is counted. */
  noun?: string
  /** For properties that a file has or lacks: the ends of sentences about it. */
  phrases?: { has: string; lacks: string }
  /** The value for messages; by default the number with its unit, or the text. */
  shown?(value: FactValue): string
  /** Measures it; undefined if this file has no such property, such as the loudness of a silent video. */
  measure(subject: Subject): Promise<FactValue | undefined>
}

/** Rounds to a number of decimal places. */
const rounded = (value: number, places: number): number => Number(value.toFixed(places))

/** sharp's words for the depth of a sample, as bits. */
const SAMPLE_BITS: Readonly<Record<string, number>> = {
  ...{ uchar: 8, char: 8, ushort: 16, short: 16, uint: 32, int: 32, float: 32, double: 64 },
}

/** Bits per sample of a video, from the name of its pixel format: `yuv420p10le` has 10. */
function videoBits({ pixelFormat }: Stream): number | undefined {
  if (pixelFormat === undefined) return undefined
  const deep = /(?:p|gray|xyz|gbrp|gbrap)(9|10|12|14|16)(?:le|be)?$/.exec(pixelFormat)?.[1]
  return deep === undefined ? (/48|64/.test(pixelFormat) ? 16 : 8) : Number(deep)
}

async function videoOf(subject: Subject): Promise<Stream | undefined> {
  return videoStream(await subject.media())
}

const isPicture = ({ file }: Subject): boolean => file.type.group === 'image'

/** The colour space as rules name it: `rgb` is RGB with another profile than sRGB. */
function colourSpaceOf({ space, hasOwnProfile, origin }: ImageFrame): string {
  if (origin.metadata.space?.startsWith('lab')) return 'lab'
  return space === 'rgb' ? (hasOwnProfile ? 'rgb' : 'srgb') : space
}

async function side(subject: Subject, which: 'width' | 'height'): Promise<number | undefined> {
  if (isPicture(subject)) return (await subject.picture())[which]
  const stream = await videoOf(subject)
  return which === 'width' ? stream?.displayWidth : stream?.displayHeight
}

/** Integrated loudness or true peak; undefined without audio, or if the audio is silent. */
async function level(subject: Subject, which: 'integrated' | 'truePeak'): Promise<number | undefined> {
  if (audioStreams(await subject.media()).length === 0) return undefined
  const value = (await subject.loudness())[which]
  return Number.isFinite(value) ? value : undefined
}

const PICTURES = ['image', 'video'] as const
const SOUND = ['audio', 'video'] as const

/** All facts: their names in messages and how they are measured. Nothing is measured that no rule asks for. */
export const FACTS = {
  bytes: {
    label: 'size',
    shown: (value) => readableSize(Number(value)).replace('.0 ', ' '),
    measure: async ({ file }) => file.bytes,
  },
  format: { label: 'format', measure: async ({ file }) => file.type.id },
  extension: {
    label: 'extension',
    // Files without an extension claim nothing; text formats have no signature to compare with.
    measure: async ({ file: { name, type } }) => {
      const claimed = /[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase()
      const isText = ['text', 'data', 'unknown'].includes(type.group)
      if (claimed === undefined || isText) return undefined
      return type.extensions.includes(claimed) || typeById(type.id)?.alsoNamed === claimed ? true : claimed
    },
  },
  width: { label: 'width', unit: 'px', groups: PICTURES, measure: (subject) => side(subject, 'width') },
  height: { label: 'height', unit: 'px', groups: PICTURES, measure: (subject) => side(subject, 'height') },
  colourSpace: {
    label: 'colour space',
    groups: ['image'],
    measure: async (subject) => colourSpaceOf(await subject.picture()),
  },
  bitDepth: {
    label: 'bit depth',
    unit: 'bits',
    groups: ['image', 'video', 'audio'],
    measure: async (subject) => {
      if (isPicture(subject)) {
        const { depth, bitsPerSample } = (await subject.picture()).origin.metadata
        return bitsPerSample ?? SAMPLE_BITS[depth ?? '']
      }
      const video = await videoOf(subject)
      return video ? videoBits(video) : audioStreams(await subject.media())[0]?.sampleBits
    },
  },
  alpha: {
    label: 'alpha channel',
    phrases: { has: 'has an alpha channel', lacks: 'has no alpha channel' },
    groups: ['image'],
    measure: async (subject) => (await subject.picture()).hasAlpha,
  },
  frames: {
    label: 'frames',
    noun: 'frame',
    groups: ['image'],
    measure: async (subject) => (await subject.picture()).pages,
  },
  exif: {
    label: 'EXIF',
    phrases: { has: 'has EXIF data', lacks: 'has no EXIF data' },
    groups: ['image'],
    shown: (value) => (Array.isArray(value) ? listed(value, 3) : String(value)),
    measure: async (subject) => (await pictureMetadata(subject)).exif,
  },
  gps: {
    label: 'GPS position',
    phrases: { has: 'has a GPS position', lacks: 'has no GPS position' },
    groups: ['image', 'video', 'audio'],
    measure: async (subject) =>
      isPicture(subject) ? (await pictureMetadata(subject)).gps : hasPosition(await subject.media()),
  },
  duration: {
    label: 'duration',
    unit: 's',
    groups: ['image', 'video', 'audio'],
    measure: async (subject) => {
      if (!isPicture(subject)) {
        const { durationS } = (await subject.source()).info
        return durationS === undefined ? undefined : rounded(durationS, 3)
      }
      const { pages, delays } = await subject.picture()
      return pages > 1 ? delays.reduce((sum, ms) => sum + ms, 0) / 1000 : undefined
    },
  },
  frameRate: {
    label: 'frame rate',
    unit: 'fps',
    groups: ['video'],
    measure: async (subject) => {
      const rate = (await videoOf(subject))?.frameRate
      return rate === undefined ? undefined : rounded(rate, 3)
    },
  },
  videoCodec: { label: 'video codec', groups: ['video'], measure: async (subject) => (await videoOf(subject))?.codec },
  audioCodec: {
    label: 'audio codec',
    groups: SOUND,
    measure: async (subject) => audioStreams(await subject.media())[0]?.codec,
  },
  loudness: {
    label: 'loudness',
    unit: 'LUFS',
    groups: SOUND,
    measure: (subject) => level(subject, 'integrated'),
  },
  truePeak: { label: 'true peak', unit: 'dBTP', groups: SOUND, measure: (subject) => level(subject, 'truePeak') },
  pages: {
    label: 'pages',
    noun: 'page',
    groups: ['pdf'],
    measure: async (subject) => (await subject.unlockedPdf()).pageCount,
  },
  pdfa: {
    label: 'PDF/A level',
    phrases: { has: 'declares a PDF/A level', lacks: 'declares no PDF/A level' },
    groups: ['pdf'],
    measure: async (subject) => declaredArchival((await subject.unlockedPdf()).pdf) ?? '',
  },
  encrypted: {
    label: 'encryption',
    phrases: { has: 'is encrypted', lacks: 'is not encrypted' },
    groups: ['pdf'],
    measure: async (subject) => (await subject.pdf()).isEncrypted,
  },
  fontsNotEmbedded: {
    label: 'fonts that are not embedded',
    groups: ['pdf'],
    shown: (value) => (Array.isArray(value) ? listed(value) : String(value)),
    measure: async (subject) => fontsNotEmbedded((await subject.unlockedPdf()).pdf),
  },
} as const satisfies Record<string, Fact>

export type FactName = keyof typeof FACTS

/** The declaration of a fact. */
export const factOf = (name: FactName): Fact => FACTS[name]

/** Whether a file of this type has the fact. */
export function hasFact({ groups }: Fact, { file }: Subject): boolean {
  return groups === undefined || groups.some((group) => group === file.type.group)
}

/** A value of a fact for messages: `300 kB`, `2400 px`. */
export function shownFact({ shown, unit }: Fact, value: FactValue): string {
  if (shown) return shown(value)
  return typeof value === 'number' && unit !== undefined ? `${value} ${unit}` : String(value)
}
