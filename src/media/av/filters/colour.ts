import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { encoderOf } from '../codecs.ts'
import { isHdr } from '../picture/hdr.ts'

// ffprobe names that every ffmpeg since 4.1 accepts as option values; others are omitted so that the run does not fail.
const PRIMARIES = new Set([
  'bt709',
  'bt470m',
  'bt470bg',
  'smpte170m',
  'smpte240m',
  'film',
  'bt2020',
  'smpte428',
  'smpte431',
  'smpte432',
])
const TRANSFERS = new Set([
  ...['bt709', 'smpte170m', 'smpte240m', 'linear', 'iec61966-2-1', 'iec61966-2-4', 'bt2020-10', 'bt2020-12'],
  ...['smpte2084', 'smpte428', 'arib-std-b67'],
])
/** ffprobe names these two by standard, the option by exponent. */
const TRANSFER_OPTIONS: Record<string, string> = { bt470m: 'gamma22', bt470bg: 'gamma28' }
const MATRICES = new Set(['bt709', 'fcc', 'bt470bg', 'smpte170m', 'smpte240m', 'bt2020nc', 'bt2020c'])
/** Formats with fixed colour rules of their own. */
const UNTAGGED_ENCODERS = new Set(['gif', 'libwebp', 'libwebp_anim', 'png', 'apng', 'mjpeg'])
/** Encoders that keep full range, in the pixel format that ffmpeg 4 and 5 use for it. */
const FULL_RANGE_ENCODERS = new Set(['libx264', 'libx265'])

/** The tags that usually accompany PQ and HLG. */
const HDR_COLOUR = { range: 'tv', primaries: 'bt2020', matrix: 'bt2020nc' }
const BT709 = ['-color_range', 'tv', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709']

/** Formats without alpha and with more than half the chroma resolution: few players support them in VP9. */
const FULL_COLOUR = /^(yuvj?4[24][24]p|gbrp|rgb|bgr)(?!a)/

/** Options that convert full-chroma VP9 to a format that players support. */
function playable({ pixelFormat = '' }: Stream, encoder: string, options: readonly string[]): string[] {
  const isShown = encoder !== 'libvpx-vp9' || options.includes('-pix_fmt') || !FULL_COLOUR.test(pixelFormat)
  return isShown ? [] : ['-pix_fmt', 'yuv420p']
}

/**
 * Codec options plus the colour tags of the source, so that colours are displayed as before. Tags come first, so the
 * tool's own options take precedence.
 * @param isMapped the video is tone-mapped from HDR to BT.709
 */
export function withColour(stream: Stream, options: readonly string[], isMapped = false): string[] {
  const encoder = encoderOf(options, 'v') ?? ''
  if (UNTAGGED_ENCODERS.has(encoder)) return [...options]
  if (isMapped) return [...BT709, ...options]
  const { range, primaries, transfer, matrix } = isHdr(stream) ? { ...HDR_COLOUR, ...stream.colour } : stream.colour
  // RGB sources are converted to limited-range YUV, regardless of their range tag.
  const isYuv = /^yuv/.test(stream.pixelFormat ?? 'yuv')
  const full = isYuv && (range === 'pc' || /^yuvj/.test(stream.pixelFormat ?? ''))
  const keepsFull = full && FULL_RANGE_ENCODERS.has(encoder)
  const transferOption = transfer && (TRANSFER_OPTIONS[transfer] ?? (TRANSFERS.has(transfer) ? transfer : undefined))
  return [
    ...(isYuv && (full || range === 'tv') ? ['-color_range', keepsFull ? 'pc' : 'tv'] : []),
    ...(primaries && PRIMARIES.has(primaries) ? ['-color_primaries', primaries] : []),
    ...(transferOption ? ['-color_trc', transferOption] : []),
    ...(isYuv && matrix && MATRICES.has(matrix) ? ['-colorspace', matrix] : []),
    // As yuv420p the values would be compressed to limited range but still be tagged as full range.
    ...[...options, ...playable(stream, encoder, options)].map((option) => {
      if (option !== 'yuv420p') return option
      return isHdr(stream) ? 'yuv420p10le' : keepsFull ? 'yuvj420p' : option
    }),
  ]
}

/** Minimum height at which players treat untagged video as HD (BT.709), pixels. */
const HD_HEIGHT = 720

/** The signal of diffuse white in HDR, 203 cd/m², as a share of the range (ITU-R BT.2408); full signal would dazzle. */
const HDR_WHITE: Readonly<Record<string, number>> = { smpte2084: 0.58, 'arib-std-b67': 0.75 }

/** The matrix and range by which a video's YUV samples are read, in the words of `scale`; RGB has none. */
function yuvOf(
  { pixelFormat = 'yuv420p', colour, height = 0, ...others }: Stream,
  staysHdr: boolean,
): { matrix: string; range: string } | undefined {
  if (!/^(yuv|nv|p0)/.test(pixelFormat)) return undefined
  const isMapped = isHdr({ ...others, colour }) && !staysHdr
  const named = colour.matrix && { bt709: 'bt709', bt2020nc: 'bt2020', bt2020c: 'bt2020' }[colour.matrix]
  const own = named ?? (colour.matrix === undefined && height >= HD_HEIGHT ? 'bt709' : 'bt601')
  const isFull = !isMapped && (colour.range === 'pc' || /^yuvj/.test(pixelFormat))
  return { matrix: isMapped ? 'bt709' : own, range: isFull ? 'pc' : 'tv' }
}

/**
 * Filters that convert an RGB image with alpha to the colours of the video it is overlaid on; by default ffmpeg treats
 * every video as BT.601.
 * @param staysHdr an HDR video stays HDR; otherwise it is BT.709 by then
 */
export function overlayColour(stream: Stream, staysHdr: boolean): string[] {
  const yuv = yuvOf(stream, staysHdr)
  if (!yuv) return []
  const share = staysHdr ? HDR_WHITE[stream.colour.transfer ?? ''] : undefined
  const dimmed = share ? [`colorchannelmixer=rr=${share}:gg=${share}:bb=${share}`] : []
  return [...dimmed, `scale=out_color_matrix=${yuv.matrix}:out_range=${yuv.range}`, 'format=yuva444p']
}

/**
 * Surrounds filters that change RGB samples with the conversions from and to the video's own YUV, at its bit depth.
 * @param staysHdr as for `overlayColour`
 */
export function onRgb(stream: Stream, staysHdr: boolean, filters: readonly string[]): string[] {
  const yuv = yuvOf(stream, staysHdr)
  if (!yuv) return [...filters]
  const { pixelFormat = 'yuv420p' } = stream
  const isMapped = isHdr(stream) && !staysHdr
  const bits = isMapped ? '' : (/p(10|12|14|16)(?:le|be)?$/.exec(pixelFormat)?.[1] ?? '')
  const rgb = `gbr${pixelFormat.startsWith('yuva') ? 'a' : ''}p${bits && `${bits}le`}`
  return [
    `scale=in_color_matrix=${yuv.matrix}:in_range=${yuv.range}:flags=accurate_rnd+full_chroma_int`,
    `format=${rgb}`,
    ...filters,
    `scale=out_color_matrix=${yuv.matrix}:out_range=${yuv.range}:flags=accurate_rnd+full_chroma_int`,
    `format=${isMapped ? 'yuv420p' : pixelFormat}`,
  ]
}
