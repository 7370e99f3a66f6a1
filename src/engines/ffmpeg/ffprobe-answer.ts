import {
  type Chapter,
  type Colour,
  displaySize,
  type MediaInfo,
  quarterTurn,
  type Stream,
  validRatio,
} from './media-info.ts'
import { clockSeconds } from './progress.ts'

interface RawStream {
  index?: number
  codec_type?: string
  codec_name?: string
  profile?: string
  width?: number
  height?: number
  nb_frames?: string
  avg_frame_rate?: string
  r_frame_rate?: string
  pix_fmt?: string
  field_order?: string
  bits_per_sample?: number
  bits_per_raw_sample?: string
  sample_aspect_ratio?: string
  color_range?: string
  color_primaries?: string
  color_transfer?: string
  color_space?: string
  sample_rate?: string
  sample_fmt?: string
  channels?: number
  channel_layout?: string
  start_time?: string
  duration?: string
  disposition?: Record<string, number>
  tags?: Record<string, string>
  side_data_list?: { side_data_type?: string; rotation?: number; displaymatrix?: string }[]
}

/** The part of `ffprobe -of json` that is read; numbers with fractions come as text. */
export interface FfprobeAnswer {
  format?: {
    format_name?: string
    start_time?: string
    duration?: string
    bit_rate?: string
    tags?: Record<string, string>
  }
  streams?: RawStream[]
  chapters?: { start_time?: string; end_time?: string; tags?: Record<string, string> }[]
}

/** How far the mean rate of a steady video may be from the one that its times are multiples of. */
const STEADY = 0.01

/** Converts ffprobe's answer; unknown values and `N/A` are left out. */
export function readAnswer(answer: FfprobeAnswer, sizeBytes: number): MediaInfo {
  const bitRate = positive(answer.format?.bit_rate)
  const fileStartS = Number(answer.format?.start_time)
  // Matroska keeps for each stream when it ends, as a tag.
  const statesEnds = /^matroska/.test(answer.format?.format_name ?? '')
  return {
    format: answer.format?.format_name ?? 'unknown',
    durationS: lengthOf(answer),
    ...(bitRate && { bitRate }),
    sizeBytes,
    tags: lowerCaseKeys(answer.format?.tags),
    chapters: answer.chapters?.length ?? 0,
    ...(answer.chapters?.length && { chapterList: answer.chapters.map(readChapter) }),
    streams: (answer.streams ?? []).map((raw, position) => ({
      ...readStream(raw, position, statesEnds),
      ...beginning(raw, fileStartS),
    })),
  }
}

function readChapter({ start_time, end_time, tags }: NonNullable<FfprobeAnswer['chapters']>[number]): Chapter {
  const { title } = lowerCaseKeys(tags)
  const [startS, endS] = [Number(start_time) || 0, Number(end_time) || 0]
  return { startS, ...(endS > startS && { endS }), ...(title && { title }) }
}

/**
 * The duration of a file from its start time, where times are counted from. Matroska and MP4 store the end time, whatever
 * the start time is.
 */
function lengthOf({ format, streams = [] }: FfprobeAnswer): number | undefined {
  const statedS = positive(format?.duration)
  const startS = positive(format?.start_time)
  if (statedS === undefined || startS === undefined || startS >= statedS) return statedS
  if (/^matroska/.test(format?.format_name ?? '')) return statedS - startS
  if (!/^mov/.test(format?.format_name ?? '')) return statedS
  const ends = streams.flatMap((raw) => (raw.duration ? [Number(raw.start_time) + Number(raw.duration)] : []))
  const lengthS = Math.max(...ends.filter(Number.isFinite)) - startS
  return lengthS > 0 && Number.isFinite(lengthS) ? Math.min(statedS, lengthS) : statedS
}

/** Streams start some milliseconds apart in every file; a larger offset is intended. In seconds. */
const LATE_S = 0.1

function beginning({ start_time }: RawStream, fileStartS: number): Pick<Stream, 'startS'> {
  const startS = Number(start_time) - fileStartS
  return startS > LATE_S ? { startS } : {}
}

function readStream(raw: RawStream, position: number, statesEnds: boolean): Stream {
  const type = (['video', 'audio', 'subtitle', 'attachment'] as const).find((name) => name === raw.codec_type) ?? 'data'
  const tags = lowerCaseKeys(raw.tags)
  const stream: Stream = {
    index: raw.index ?? position,
    type,
    codec: raw.codec_name ?? 'unknown',
    ...(raw.profile && { profile: raw.profile }),
    rotation: 0,
    colour: {},
    ...(tags.language && tags.language !== 'und' && { language: tags.language }),
    ...(tags.title && { title: tags.title }),
    tags,
    isDefault: raw.disposition?.default === 1,
    ...(raw.disposition?.forced === 1 && { isForced: true }),
    ...rolesOf(raw.disposition),
    isAttachedPicture: raw.disposition?.attached_pic === 1,
  }
  const durationS =
    positive(raw.duration) ?? (clockSeconds(tags.duration ?? '') ?? 0) - ((statesEnds && positive(raw.start_time)) || 0)
  if (durationS > 0) stream.durationS = durationS
  if (type === 'video') Object.assign(stream, videoFacts(raw, stream.isAttachedPicture, tags.rotate))
  if (type === 'audio') Object.assign(stream, audioFacts(raw))
  return stream
}

/** Dispositions that have a field of their own. */
const OWN_FIELDS = new Set(['default', 'forced', 'attached_pic'])

function rolesOf(disposition: RawStream['disposition'] = {}): Pick<Stream, 'roles'> {
  const roles = Object.keys(disposition).filter((name) => disposition[name] === 1 && !OWN_FIELDS.has(name))
  return roles.length > 0 ? { roles } : {}
}

/** Lossless codecs, whose samples have a depth. */
const LOSSLESS_SOUND = /^(pcm_(?!alaw|mulaw|vidc)|flac$|alac$|wavpack$|tta$|mlp$|truehd$|ape$|tak$|wmalossless$)/

function audioFacts(raw: RawStream): Partial<Stream> {
  const sampleRate = positive(raw.sample_rate)
  const bits = positive(raw.bits_per_raw_sample) ?? raw.bits_per_sample
  return {
    ...(bits && LOSSLESS_SOUND.test(raw.codec_name ?? '') && { sampleBits: bits }),
    ...(sampleRate && { sampleRate }),
    ...(raw.channels && { channels: raw.channels }),
    ...(raw.sample_fmt && { sampleFormat: raw.sample_fmt }),
    ...(raw.channel_layout && raw.channel_layout !== 'unknown' && { channelLayout: raw.channel_layout }),
  }
}

function videoFacts(raw: RawStream, isCover: boolean, rotateTag: string | undefined): Partial<Stream> {
  // The display matrix counts counter-clockwise; the `rotate` tag of builds before 5.0 clockwise.
  const { rotation: turn, displaymatrix = '' } = raw.side_data_list?.find((side) => side.rotation !== undefined) ?? {}
  const rotation = quarterTurn(turn === undefined ? Number(rotateTag ?? 0) : -turn)
  const ratio = validRatio(raw.sample_aspect_ratio)
  const [mean, least] = [fraction(raw.avg_frame_rate), fraction(raw.r_frame_rate)]
  const frameRate = isCover ? undefined : (mean ?? least)
  const frames = positive(raw.nb_frames)
  const { width, height } = raw
  return {
    rotation,
    ...(turn !== undefined && !isQuarterTurn(displaymatrix) && { hasOtherMatrix: true as const }),
    ...(width && height ? { width, height, ...displaySize(width, height, rotation, ratio) } : {}),
    ...(frameRate && { frameRate }),
    ...(!isCover &&
      mean &&
      least &&
      Math.abs(mean / least - 1) > STEADY && { variableRate: true as const, baseRate: least }),
    ...(frames && { frames }),
    ...(raw.pix_fmt && { pixelFormat: raw.pix_fmt }),
    ...fieldsOf(raw.field_order),
    ...sideDataOf(raw),
    ...(ratio && { sampleAspectRatio: ratio }),
    colour: colourOf(raw),
  }
}

/** The first four elements of a matrix that turns by quarters, in 16.16 fixed point: `cos sin -sin cos`. */
const QUARTER_TURNS = new Set(['1,0,0,1', '0,1,-1,0', '-1,0,0,-1', '0,-1,1,0'])

/** @param matrix as ffprobe prints it: three rows of three integers, each after its number */
function isQuarterTurn(matrix: string): boolean {
  const rows = [...matrix.matchAll(/^\d+: +(-?\d+) +(-?\d+) +-?\d+$/gm)]
  const turning = rows.slice(0, 2).flatMap(([, one, other]) => [Number(one) / 65536, Number(other) / 65536])
  return QUARTER_TURNS.has(turning.join(','))
}

/** The second letter is the field shown first, the first letter the one stored first (ffmpeg, codec_par.h). */
function fieldsOf(order = ''): Pick<Stream, 'isInterlaced' | 'fieldOrder'> {
  if (order === 'progressive') return { fieldOrder: 'progressive' }
  if (!/^(tt|bb|tb|bt)$/.test(order)) return {}
  return { isInterlaced: true, fieldOrder: order.endsWith('t') ? 'tff' : 'bff' }
}

function sideDataOf({ side_data_list = [] }: RawStream): Pick<Stream, 'sideData'> {
  const names = side_data_list.flatMap(({ side_data_type: name }) => (name ? [name] : []))
  return names.length > 0 ? { sideData: names } : {}
}

function colourOf(raw: RawStream): Colour {
  const known = (text: string | undefined) =>
    text && !/^(unknown|unspecified|reserved)$/.test(text) ? text : undefined
  const [range, primaries] = [known(raw.color_range), known(raw.color_primaries)]
  const [transfer, matrix] = [known(raw.color_transfer), known(raw.color_space)]
  return {
    ...(range && { range }),
    ...(primaries && { primaries }),
    ...(transfer && { transfer }),
    ...(matrix && { matrix }),
  }
}

/** A number above 0, else undefined (`N/A`, `0`, nothing). */
function positive(text: string | undefined): number | undefined {
  const value = Number(text)
  return Number.isFinite(value) && value > 0 ? value : undefined
}

/** `30000/1001` as a number; `0/0` is undefined. */
function fraction(text: string | undefined): number | undefined {
  const [numerator, denominator] = (text ?? '').split('/').map(Number)
  const value = (numerator ?? 0) / (denominator ?? 0)
  return Number.isFinite(value) && value > 0 ? value : undefined
}

function lowerCaseKeys(tags: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [key.toLowerCase(), value]))
}
