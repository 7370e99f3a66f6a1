import { boolean, choice, integer, list, number, type Setting, text } from '../../tool/settings.ts'
import type { FactName } from './facts.ts'

/** How a value is compared with its limit. */
export type LimitKind =
  /** The value is at most the limit. */
  | 'max'
  /** The value is at least the limit. */
  | 'min'
  /** The value is one of a list of words. */
  | 'among'
  /** The file has the property (true), or does not have it (false). */
  | 'has'
  /** As `has`, for a fact that lists what is missing. */
  | 'lacksNothing'

/** A limit that a rule can set: its row for flags, rule files and documentation, and the fact that it limits. */
export interface Limit {
  fact: FactName
  kind: LimitKind
  row: Setting
}

const words = (help: string, example: string): Setting =>
  list(text('a word'), help, { example: [example], minLength: 1 })
const size = { min: 1, unit: 'px' } as const
const count = { min: 1 } as const

/** All limits of a single file. One row each; flags, rule files, their schema and the documentation derive from them. */
export const LIMITS = {
  maxBytes: {
    fact: 'bytes',
    kind: 'max',
    row: integer('maximum size of the file, such as 300kB', { min: 1, unit: 'B', example: 300_000 }),
  },
  formats: { fact: 'format', kind: 'among', row: words('allowed formats, detected from the content', 'webp') },
  extension: { fact: 'extension', kind: 'has', row: boolean('the extension must match the content') },
  maxWidth: { fact: 'width', kind: 'max', row: integer('maximum width of pictures and video', size) },
  maxHeight: { fact: 'height', kind: 'max', row: integer('maximum height of pictures and video', size) },
  minWidth: { fact: 'width', kind: 'min', row: integer('minimum width of pictures and video', size) },
  minHeight: { fact: 'height', kind: 'min', row: integer('minimum height of pictures and video', size) },
  colourSpaces: {
    fact: 'colourSpace',
    kind: 'among',
    row: list(
      choice(['srgb', 'rgb', 'grey', 'cmyk', 'lab'], 'a colour space'),
      'allowed colour spaces of pictures: srgb, rgb (with another profile), grey, cmyk, lab',
      { example: ['srgb'], minLength: 1 },
    ),
  },
  maxBitDepth: { fact: 'bitDepth', kind: 'max', row: integer('maximum bits per sample', { min: 1, max: 64 }) },
  alpha: { fact: 'alpha', kind: 'has', row: boolean('pictures must have an alpha channel, or must not') },
  maxFrames: { fact: 'frames', kind: 'max', row: integer('maximum frames of animations; 1 for still pictures', count) },
  exif: { fact: 'exif', kind: 'has', row: boolean('pictures must have descriptive EXIF data, or must not') },
  gps: { fact: 'gps', kind: 'has', row: boolean('files must have a GPS position, or must not') },
  maxDuration: {
    fact: 'duration',
    kind: 'max',
    row: number('maximum duration, such as 90 or 1:30', { exclusiveMin: 0, unit: 's' }),
  },
  minDuration: {
    fact: 'duration',
    kind: 'min',
    row: number('minimum duration', { exclusiveMin: 0, unit: 's' }),
  },
  maxFrameRate: {
    fact: 'frameRate',
    kind: 'max',
    row: number('maximum frames per second of video', { exclusiveMin: 0, unit: 'fps' }),
  },
  minFrameRate: {
    fact: 'frameRate',
    kind: 'min',
    row: number('minimum frames per second of video', { exclusiveMin: 0, unit: 'fps' }),
  },
  videoCodecs: { fact: 'videoCodec', kind: 'among', row: words('allowed video codecs, by names of ffmpeg', 'h264') },
  audioCodecs: { fact: 'audioCodec', kind: 'among', row: words('allowed audio codecs, by names of ffmpeg', 'aac') },
  maxLoudness: {
    fact: 'loudness',
    kind: 'max',
    row: number('maximum integrated loudness, such as -14', { min: -70, max: 10, unit: 'LUFS' }),
  },
  minLoudness: {
    fact: 'loudness',
    kind: 'min',
    row: number('minimum integrated loudness, such as -23', { min: -70, max: 10, unit: 'LUFS' }),
  },
  maxTruePeak: {
    fact: 'truePeak',
    kind: 'max',
    row: number('maximum true peak, such as -1', { min: -70, max: 10, unit: 'dBTP' }),
  },
  maxPages: { fact: 'pages', kind: 'max', row: integer('maximum number of pages of PDFs', count) },
  minPages: { fact: 'pages', kind: 'min', row: integer('minimum number of pages of PDFs', count) },
  pdfa: { fact: 'pdfa', kind: 'has', row: boolean('PDFs must declare a PDF/A level, or must not') },
  encrypted: { fact: 'encrypted', kind: 'has', row: boolean('PDFs must be encrypted, or must not') },
  fontsEmbedded: { fact: 'fontsNotEmbedded', kind: 'lacksNothing', row: boolean('PDFs must embed all fonts') },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof LIMITS

/** Limits between files: of all files that a rule is about. */
export const SET_LIMITS = {
  duplicates: boolean('false: no two files may have the same content'),
} as const satisfies Record<string, Setting>

/** The declaration of a limit. */
export const limitOf = (name: LimitName): Limit => LIMITS[name]

export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[]

/** The rows of all limits, by name, as a settings table. */
export const LIMIT_TABLE: Readonly<Record<LimitName | keyof typeof SET_LIMITS, Setting>> = {
  ...(Object.fromEntries(LIMIT_NAMES.map((name) => [name, limitOf(name).row])) as Record<LimitName, Setting>),
  ...SET_LIMITS,
}
