import { firstOf } from '../../lists.ts'

/** Metadata of a media file. Sizes in pixels, times in seconds, rates per second; undefined = unknown. */
export interface MediaInfo {
  /** The demuxer's names, e.g. `mov,mp4,m4a,3gp,3g2,mj2`. */
  format: string
  durationS: number | undefined
  /** Of all streams together, bits per second. */
  bitRate?: number
  sizeBytes: number
  /** Keys in lower case. */
  tags: Record<string, string>
  /** Number of chapters. */
  chapters: number
  /**
   * Start and end of each chapter, in seconds from the start of the file, and its title; absent if the reader does not
   * report it.
   */
  chapterList?: readonly Chapter[]
  streams: Stream[]
}

export interface Chapter {
  startS: number
  /** Absent if unknown: the start of the next one, or the end of the file. */
  endS?: number
  title?: string
}

export interface Stream {
  /** Its index in the file, as in `-map 0:2`. */
  index: number
  type: 'video' | 'audio' | 'subtitle' | 'data' | 'attachment'
  /** The decoder family, e.g. `h264`; 'unknown' if ffmpeg has no name for it. */
  codec: string
  profile?: string
  /** Coded size: before rotation and sample aspect ratio. */
  width?: number
  height?: number
  /** Display size: after sample aspect ratio and rotation. */
  displayWidth?: number
  displayHeight?: number
  /** Clockwise rotation applied by players, degrees. */
  rotation: 0 | 90 | 180 | 270
  /** Its display matrix is not known to be a turn by quarters alone: it mirrors, tilts or scales the picture. */
  hasOtherMatrix?: true
  /** The average frame rate. */
  frameRate?: number
  /** Whether the frame rate is variable. */
  variableRate?: true
  /** Of a variable rate: the rate of which all times seem to be multiples. */
  baseRate?: number
  frames?: number
  pixelFormat?: string
  /** Whether the video is declared as interlaced. */
  isInterlaced?: true
  /** The declared order in which its fields are shown; absent if the file declares none. */
  fieldOrder?: FieldOrder | 'progressive'
  /** Side data of the stream, by ffprobe's names, e.g. `Mastering display metadata`. */
  sideData?: readonly string[]
  /** `num:den`, only if known and valid. */
  sampleAspectRatio?: string
  colour: Colour
  sampleRate?: number
  channels?: number
  channelLayout?: string
  /** Format of decoded samples, by ffmpeg's names: `s16`, `s32` (24 bits, too), `flt`; a `p` at the end for planar. */
  sampleFormat?: string
  /** Bits per stored sample; absent for lossy codecs, which store none. */
  sampleBits?: number
  /** ISO 639-2 code; absent for `und`. */
  language?: string
  title?: string
  /** All its tags. Keys in lower case. */
  tags: Record<string, string>
  isDefault: boolean
  /** For subtitles: shown even if none are selected. */
  isForced?: true
  /** Its other dispositions by ffmpeg's names, e.g. `comment`, `hearing_impaired`; absent if it has none. */
  roles?: readonly string[]
  /** Cover art, not a video. */
  isAttachedPicture: boolean
  durationS?: number
  /** Its start time after the start of the file, if it starts later. */
  startS?: number
}

/** Which field of an interlaced frame is shown first: top (`tff`) or bottom (`bff`). */
export type FieldOrder = 'tff' | 'bff'

/** Colour tags by ffmpeg's names; absent = not tagged. */
export interface Colour {
  /** `tv` is the limited range (16-235), `pc` the full one. */
  range?: string
  primaries?: string
  transfer?: string
  matrix?: string
}

/** Demuxers that read exactly one image from a file. `gif` and `apng` can be animations. */
const STILL_DEMUXERS = /^(image2|ico|[a-z0-9]+_pipe)$/
/** Brands of ISO base media files that contain an image: HEIF (ISO/IEC 23008-12) and AVIF. */
const STILL_BRANDS = new Set(['avif', 'heic', 'heix', 'mif1', 'msf1'])

/** The first true video stream; ignores cover art. */
export function videoStream(info: MediaInfo): Stream | undefined {
  return info.streams.find((stream) => stream.type === 'video' && !stream.isAttachedPicture)
}

/** All audio streams, in file order. */
export function audioStreams(info: MediaInfo): Stream[] {
  return info.streams.filter((stream) => stream.type === 'audio')
}

/** The video stream of a file that is known to have one. @throws Error without one */
export function mainVideo(info: MediaInfo): Stream {
  const stream = videoStream(info)
  if (!stream) throw new Error('Expected a video stream')
  return stream
}

/** The first audio stream of a file that is known to have one. @throws Error without one */
export function mainAudio(info: MediaInfo): Stream {
  return firstOf(audioStreams(info))
}

/** Whether the file is a single image rather than a video. Audio makes it a video. */
export function isStillImage(info: MediaInfo): boolean {
  const video = videoStream(info)
  if (!video || audioStreams(info).length > 0) return false
  const names = info.format.split(',')
  if (names.some((name) => STILL_DEMUXERS.test(name))) return true
  if (STILL_BRANDS.has(info.tags.major_brand ?? '')) return true
  return video.frames === 1 && (names.includes('gif') || names.includes('apng'))
}

/**
 * The display size: width scaled by the sample aspect ratio, then both swapped for a quarter turn.
 * @param sampleAspectRatio `num:den`
 */
export function displaySize(
  width: number,
  height: number,
  rotation: Stream['rotation'],
  sampleAspectRatio?: string,
): { displayWidth: number; displayHeight: number } {
  const [numerator = 1, denominator = 1] = sampleAspectRatio?.split(':').map(Number) ?? []
  const stretched = Math.max(1, Math.round((width * numerator) / denominator))
  const turned = rotation === 90 || rotation === 270
  return turned
    ? { displayWidth: height, displayHeight: stretched }
    : { displayWidth: stretched, displayHeight: height }
}

/** Rounds an angle in degrees to the nearest quarter turn. */
export function quarterTurn(degrees: number): Stream['rotation'] {
  if (!Number.isFinite(degrees)) return 0
  return ((((Math.round(degrees / 90) * 90) % 360) + 360) % 360) as Stream['rotation']
}

/** A valid sample aspect ratio: two integers above 0, otherwise undefined. */
export function validRatio(text: string | undefined): string | undefined {
  return text !== undefined && /^[1-9]\d*:[1-9]\d*$/.test(text) ? text : undefined
}
