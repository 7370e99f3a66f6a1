import type { FieldOrder, Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../errors.ts'
import { encoderOf } from '../codecs.ts'
import type { PictureFacts, PictureRequest } from './request.ts'

/** Encoders that support interlaced video and mark the field order from each decoded frame. */
const FIELD_ENCODERS = new Set(['libx264', 'mpeg2video', 'mpeg4'])
/** Encoders of single images, which show both fields at once. */
const IMAGE_ENCODERS = new Set(['png', 'mjpeg'])
/** Filters that change no line, or every line in the same way; `reverse` needs the opposite order after it. */
const FIELD_SAFE = /^(trim|setpts|setsar|null|lutyuv|subtitles|hflip|setfield|reverse)(=|$)/
/**
 * The height of interlaced video in 4:2:0 must be a multiple of this: two fields with chroma in pairs of rows (H.264,
 * 6.4.1). A crop that starts at a multiple keeps the order of both.
 */
const ROWS = 4

/** Encoder options that preserve interlacing. */
const FIELD_OPTIONS: readonly string[] = ['-flags:v', '+ilme+ildct']

/** The field order of an interlaced video, declared or measured; undefined for a progressive one. */
export function fieldOrder(stream: Stream, { measuredOrder }: Pick<PictureFacts, 'measuredOrder'>) {
  if (stream.isInterlaced) {
    const declared: FieldOrder = stream.fieldOrder === 'bff' ? 'bff' : 'tff'
    return { order: measuredOrder ?? declared, isMeasured: false }
  }
  return measuredOrder && { order: measuredOrder, isMeasured: true }
}

/** Decoders that mark each frame as interlaced or not; for others the mark of the file applies to all frames. */
const MARKS_FRAMES = /^(mpeg[12]video|h264|mpeg4|vc1|wmv3|dvvideo|prores|ffv1|dnxhd)$/

/**
 * The filter that makes one frame of every two fields. Frames that a decoder marks as progressive, as in telecined film,
 * are left as they are; the order of each frame is that of its own mark, because it can change within a file.
 * @param order undefined: as marked, or top field first
 */
export function deinterlaceFilter(
  stream: Stream,
  { deinterlacer }: PictureFacts,
  { order, isMeasured = false }: { order?: FieldOrder; isMeasured?: boolean },
): string {
  const trusts = !isMeasured && order !== undefined && MARKS_FRAMES.test(stream.codec)
  const parity = trusts ? 'auto' : (order ?? 'auto')
  return `${deinterlacer}=mode=send_frame:parity=${parity}:deint=${trusts ? 'interlaced' : 'all'}`
}

/** Without this filter, the chroma of both fields is mixed when its resolution is halved. */
const fieldColour = ({ pixelFormat = '' }: Stream): string[] =>
  /^(yuvj?420p|nv12)$/.test(pixelFormat) ? [] : ['scale=interl=1']

/** A filter in the form that keeps fields apart; undefined if it has none. */
function forFields(filter: string): string | undefined {
  if (FIELD_SAFE.test(filter)) return filter
  if (/^scale=/.test(filter)) return `${filter}:interl=1`
  const [, height, y] = /^crop=\d+:(\d+):\d+:(\d+)(:|$)/.exec(filter) ?? []
  return height && Number(height) % ROWS === 0 && Number(y) % ROWS === 0 ? filter : undefined
}

/** The height that filters give the video if it is stated; the source's otherwise. */
function rowsAfter(stream: Stream, filters: readonly string[]): number {
  const stated = filters.flatMap((filter) => /^(?:scale|crop)=[^:]+:(\d+)(?::|$)/.exec(filter)?.[1] ?? [])
  return Number(stated.at(-1) ?? stream.height ?? 1)
}

/**
 * The filters of a tool in the form that keeps fields apart, and the options of the encoder. Scaling and cropping work on
 * each field; filters that rotate, mix or drop rows or frames would cause combing that no player can remove.
 * @throws MediaprocError INVALID_SETTINGS when the encoder or a filter cannot keep fields
 */
export function keptFields(
  stream: Stream,
  { options, filters, graph }: PictureRequest,
  { order, isMeasured }: { order: FieldOrder; isMeasured: boolean },
): { before: string[]; filters: string[]; after: string[]; options: string[]; order?: FieldOrder } {
  const encoder = encoderOf(options, 'v') ?? ''
  if (IMAGE_ENCODERS.has(encoder)) return { before: [], filters: [...filters], after: [], options: [] }
  if (!FIELD_ENCODERS.has(encoder)) throw cannotKeep('the codec of the result has no interlaced mode')
  const converted = filters.map(forFields)
  if (graph === 'any' || converted.includes(undefined)) throw cannotKeep('the operation works on whole frames')
  if (rowsAfter(stream, filters) % ROWS !== 0)
    throw cannotKeep(`the height of interlaced video must be a multiple of ${ROWS}`)
  return {
    before: isMeasured ? [`setfield=${order}`] : [],
    filters: converted.filter((filter) => filter !== undefined),
    after: fieldColour(stream),
    options: [...FIELD_OPTIONS],
    order,
  }
}

const cannotKeep = (reason: string): MediaprocError =>
  new MediaprocError('INVALID_SETTINGS', `The fields of the interlaced video cannot be kept: ${reason}`, {
    hint: { shell: 'Leave out --interlace keep to deinterlace it.', http: 'Set interlace to auto to deinterlace it.' },
  })
