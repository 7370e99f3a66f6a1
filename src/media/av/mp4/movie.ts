import { type FfprobeAnswer, readAnswer } from '../../../engines/ffmpeg/ffprobe-answer.ts'
import type { MediaInfo } from '../../../engines/ffmpeg/media-info.ts'
import { topLevelBoxes } from '../../verify/boxes.ts'
import { FileView } from '../../verify/file-view.ts'
import { Doubt, expect, known, type RawStream } from '../doubt.ts'
import { MAX_INDEX_BYTES } from '../input/gapless-tracks.ts'
import { creationTime, textTags } from './labels.ts'
import { readTrack, type Track } from './track.ts'
import { only, optional, readTree, type Shape } from './tree.ts'

/** ffprobe reports durations in microseconds. */
const MICROSECONDS = 1_000_000
const MAX_FTYP_BYTES = 256
/** A duration that is not stated. */
const UNKNOWN = 0xffff_ffff

const TABLES = ['stts', 'ctts', 'stss', 'stsc', 'stsz', 'stco', 'co64', 'sgpd', 'sbgp']
const leaves = (...types: readonly string[]): Shape['boxes'] => Object.fromEntries(types.map((type) => [type, true]))

const SAMPLE_ENTRIES: Shape = {
  skips: 8,
  boxes: {
    avc1: { skips: 78, boxes: leaves('avcC', 'pasp', 'colr', 'btrt') },
    mp4a: { skips: 28, boxes: leaves('esds', 'btrt') },
  },
}
const MEDIA: Shape = {
  boxes: {
    ...leaves('mdhd', 'hdlr'),
    minf: {
      boxes: { ...leaves('vmhd', 'smhd', 'dinf'), stbl: { boxes: { stsd: SAMPLE_ENTRIES, ...leaves(...TABLES) } } },
    },
  },
}
const TRACK: Shape = { boxes: { ...leaves('tkhd'), edts: { boxes: leaves('elst') }, mdia: MEDIA } }
const TAGS: Shape = { boxes: { meta: { skips: 4, boxes: leaves('hdlr', 'ilst') } } }
const MOVIE: Shape = { boxes: { ...leaves('mvhd'), trak: TRACK, udta: TAGS } }

/**
 * Reads an MP4 or M4A file as ffprobe does, without its start, which takes longer than copying a minute of video: H.264
 * of 8 bits in 4:2:0 and AAC-LC, one after another without gaps, in a complete file.
 * @returns undefined for files that have anything else or cannot be read: ffprobe reads them, or reports the reason
 */
export const readPlainMp4 = (path: string): MediaInfo | undefined =>
  inMovie(path, ({ answer, size }) => readAnswer(answer, size))

interface Movie {
  answer: FfprobeAnswer
  tracks: readonly Track[]
  /** Bytes of the file. */
  size: number
}

/** Reads from the index of a file. @returns undefined for files that `readPlainMp4` leaves to ffprobe */
export function inMovie<T>(path: string, read: (movie: Movie) => T): T | undefined {
  try {
    return FileView.with(path, (file) => read(movieOf(file)))
  } catch (error) {
    if (error instanceof Doubt || isSystemError(error)) return undefined
    throw error
  }
}

/** A field outside of its box, or a file that cannot be read. */
const isSystemError = (error: unknown): boolean => error instanceof Error && 'code' in error

function movieOf(file: FileView): Movie {
  const boxes = known(topLevelBoxes(file))
  expect(boxes.every(({ type }) => ['ftyp', 'moov', 'mdat', 'free'].includes(type)))
  const [brands, ...otherBrands] = boxes.filter(({ type }) => type === 'ftyp')
  const [index, ...otherIndexes] = boxes.filter(({ type }) => type === 'moov')
  expect(brands?.start === 0 && brands.end <= MAX_FTYP_BYTES && otherBrands.length === 0)
  expect(index !== undefined && index.end - index.start <= MAX_INDEX_BYTES && otherIndexes.length === 0)
  const movie = readTree(file.read(index.start + 8, index.end - index.start - 8), MOVIE)
  const header = only(movie, 'mvhd').body
  expect(header[0] === 0)
  const ticksPerS = header.readUInt32BE(12)
  expect(ticksPerS > 0 && header.readUInt32BE(16) !== UNKNOWN)
  const duration = Math.round((header.readUInt32BE(16) * MICROSECONDS) / ticksPerS)
  expect(duration > 0)
  const [media, ...otherMedia] = boxes.filter(({ type }) => type === 'mdat')
  expect(media !== undefined && otherMedia.length === 0)
  const tracks = known(movie.inside.get('trak')).map((track) => readTrack(track, { file, media, ticksPerS }))
  // Times are counted from the start of the file, which ffprobe derives from the first packets.
  expect(tracks.some(({ startTicks }) => startTicks === 0))
  const list = optional(movie, 'udta')
  const answer = {
    format: {
      format_name: 'mov,mp4,m4a,3gp,3g2,mj2',
      start_time: '0',
      duration: String(duration / MICROSECONDS),
      bit_rate: String(Math.floor((file.size * 8) / (duration / MICROSECONDS))),
      tags: {
        ...brandTags(file.read(8, brands.end - 8)),
        ...creationTime(header),
        ...(list && textTags(only(list, 'meta', 'ilst').body)),
      },
    },
    streams: tracks.map(({ stream }, index): RawStream => ({ ...stream, index })),
    chapters: [],
  }
  return { answer, tracks, size: file.size }
}

function brandTags(bytes: Buffer): Record<string, string> {
  const text = bytes.toString('latin1')
  // Files of QuickTime store texts in other ways.
  expect(/^[\w ]{4}$/.test(text.slice(0, 4)) && !text.startsWith('qt') && /^[\w ]*$/.test(text.slice(8)))
  return {
    major_brand: text.slice(0, 4),
    minor_version: String(bytes.readUInt32BE(4)),
    compatible_brands: text.slice(8),
  }
}
