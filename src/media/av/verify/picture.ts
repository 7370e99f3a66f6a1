import type { MediaInfo, Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { hasAlpha } from '../filters/alpha.ts'
import { isHdr } from '../picture/hdr.ts'
import { type Loss, streamsOf } from './loss.ts'
import type { OutputPlan } from './output-plan.ts'

/** Rates that differ by less are treated as equal: some formats have coarser time bases. */
const SAME_RATE = 0.01
/** Aspect ratios that differ by less are treated as equal, because sizes are integers. */
const SAME_SHAPE = 0.02

/** Losses of the video and images of an output compared with the source. */
export function pictureLosses(plan: OutputPlan, output: MediaInfo): Loss[] {
  const made = streamsOf(output, 'video')
  return plan.kept.video.flatMap(({ stream: from, isCopy }, position): Loss[] => {
    const to = made[position]
    if (!to) return []
    const losses = [
      ...hdrLoss(plan, from, to),
      ...(isCopy ? [] : encodeLosses(plan, from, to)),
      ...colourLoss(plan, from, to),
      ...sideDataLoss(plan, from, to),
      ...shapeLoss(plan, from, to),
    ]
    const joined = plan.isJoined && { reason: 'joined' as const }
    return losses.map((loss) => ({ ...loss, ...joined, of: 'video' as const, stream: position }))
  })
}

function hdrLoss({ changes }: OutputPlan, from: Stream, to: Stream): Loss[] {
  return isHdr(from) && !isHdr(to) && !changes.has('dynamicRange') ? [{ kind: 'hdr', from: from.colour.transfer! }] : []
}

function encodeLosses(plan: OutputPlan, from: Stream, to: Stream): Loss[] {
  const { changes } = plan
  return [
    ...(hasAlpha(from) && to.pixelFormat !== undefined && !keepsAlpha(to)
      ? [{ kind: 'alpha' as const, from: from.pixelFormat ?? '' }]
      : []),
    ...(changes.has('pixels') ? [] : [...pixelLoss(from, to), ...(changes.has('fields') ? [] : fieldLoss(from, to))]),
    ...rateLoss(plan, from, to),
  ]
}

/** A GIF can have transparent pixels whatever pixel format its palette is reported as. */
const keepsAlpha = (stream: Stream): boolean => hasAlpha(stream) || stream.codec === 'gif'

/** Bit depth and chroma resolution, from ffmpeg's pixel format name. */
function pixelFacts(name: string): { bits: number; chroma: number } {
  const bits = Number(/p(9|10|12|14|16)(?:le|be)$/.exec(name)?.[1] ?? (/(48|64|16)(?:le|be)$/.test(name) ? 16 : 8))
  const digits = /^(?:yuva?j?|nv)(\d\d\d?)/.exec(name)?.[1]
  const shares: Readonly<Record<string, number>> = { 410: 0.0625, 411: 0.25, 420: 0.25, 422: 0.5, 440: 0.5, 444: 1 }
  const isDeepNv = /^p0(10|16)/.test(name)
  const own = digits === undefined ? undefined : digits.length === 2 ? 0.25 : shares[digits]
  return { bits: isDeepNv ? Number(name.slice(2, 4)) : bits, chroma: isDeepNv ? 0.25 : (own ?? 1) }
}

/** Formats without colour: they lose none, whatever they are converted to. */
const isGrey = (name: string): boolean => /^(gray|ya|mono)/.test(name)

function pixelLoss(from: Stream, to: Stream): Loss[] {
  if (from.pixelFormat === undefined || to.pixelFormat === undefined) return []
  const [before, after] = [pixelFacts(from.pixelFormat), pixelFacts(to.pixelFormat)]
  // HDR that is tone-mapped to SDR needs no more than 8 bits; the GIF palette has 8.
  const fewerBits = after.bits < before.bits && !(isHdr(from) && !isHdr(to))
  const isPalette = /^(pal8|rgb8|bgr8)/.test(from.pixelFormat) || from.codec === 'gif'
  const lessColour = after.chroma < before.chroma && !isGrey(from.pixelFormat) && !isPalette
  return fewerBits || lessColour ? [{ kind: 'pixels', from: from.pixelFormat, to: to.pixelFormat }] : []
}

function fieldLoss(from: Stream, to: Stream): Loss[] {
  return from.isInterlaced && !to.isInterlaced ? [{ kind: 'interlaced', from: 'interlaced', to: 'progressive' }] : []
}

/** A constant frame rate that changed for another reason than the tool's own setting or faster playback. */
function rateLoss({ changes, isRetimed, container }: OutputPlan, from: Stream, to: Stream): Loss[] {
  if (changes.has('frameRate') || !from.frameRate || !to.frameRate) return []
  if (from.variableRate) {
    const isFixed = container.muxer === 'avi' && !isRetimed
    return isFixed ? [{ kind: 'steadyRate', from: from.frameRate, to: to.frameRate }] : []
  }
  // Some readers count fields instead of frames in interlaced video.
  const ratio = to.frameRate / from.frameRate
  const isFields = from.isInterlaced && Math.abs(ratio - 0.5) < SAME_RATE
  // Every frame is displayed the same number of times: nothing is lost.
  const isMultiple = ratio > 1 && Math.abs(ratio - Math.round(ratio)) <= SAME_RATE
  if (Math.abs(ratio - 1) <= SAME_RATE || isMultiple || isFields || to.variableRate) return []
  return [{ kind: 'frameRate', from: from.frameRate, to: to.frameRate }]
}

/** Missing tags that make players guess the colours. Converted video gets the tags of its new format. */
function colourLoss({ changes }: OutputPlan, from: Stream, to: Stream): Loss[] {
  if (changes.has('pixels') || (isHdr(from) && !isHdr(to))) return []
  // RGB has no matrix to tag, and always the same range.
  const isRgb = /^(rgb|bgr|gbr|argb|abgr|pal8|0rgb|0bgr)/.test(from.pixelFormat ?? '') || from.colour.matrix === 'gbr'
  const names = (['range', 'primaries', 'transfer', 'matrix'] as const).filter(
    (name) =>
      from.colour[name] !== undefined &&
      to.colour[name] === undefined &&
      !(isRgb && (name === 'range' || name === 'matrix')) &&
      // All readers assume limited range.
      !(name === 'range' && from.colour.range === 'tv'),
  )
  return names.length > 0 ? [{ kind: 'colour', from: names.join(', ') }] : []
}

/** Side data that an encode recreates, or that is reported separately. */
const OTHER_SIDE_DATA = /^(Display Matrix|CPB properties|3x3 displaymatrix|.*Fallback.*)$/i

/** Side data of HDR10, which SDR does not have, and which an encode as HEVC writes into the frames. */
const LIGHT_SIDE_DATA = /^(Mastering display metadata|Content light level metadata)$/i

function sideDataLoss({ light }: OutputPlan, from: Stream, to: Stream): Loss[] {
  const isElsewhere = light !== undefined || (isHdr(from) && !isHdr(to))
  const gone = (from.sideData ?? []).filter(
    (name) =>
      !to.sideData?.includes(name) && !OTHER_SIDE_DATA.test(name) && !(isElsewhere && LIGHT_SIDE_DATA.test(name)),
  )
  return gone.length > 0 ? [{ kind: 'hdrMetadata', from: gone.join(', ') }] : []
}

/**
 * A picture that is displayed with another aspect ratio, or lacks its last column or row, although its size was not to
 * be changed.
 */
function shapeLoss({ changes }: OutputPlan, from: Stream, to: Stream): Loss[] {
  const [width, height] = [from.displayWidth, from.displayHeight]
  const [shownWidth, shownHeight] = [to.displayWidth, to.displayHeight]
  if (changes.has('size') || !width || !height || !shownWidth || !shownHeight) return []
  const [before, after] = [`${width}x${height}`, `${shownWidth}x${shownHeight}`]
  if (before === after) return []
  const shape = shownWidth / shownHeight / (width / height)
  const isNear = Math.abs(shownWidth - width) <= 2 && Math.abs(shownHeight - height) <= 2
  if (!isNear && Math.abs(shape - 1) > SAME_SHAPE) return [{ kind: 'shape', from: before, to: after }]
  const isOdd = (from.width ?? 0) % 2 === 1 || (from.height ?? 0) % 2 === 1
  return isOdd && isNear ? [{ kind: 'edge', from: `${from.width}x${from.height}`, to: `${to.width}x${to.height}` }] : []
}
