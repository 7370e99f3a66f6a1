import type { FieldOrder, Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import type { Light } from '../../../engines/ffmpeg/light.ts'
import { encoderOf } from '../codecs.ts'
import { withColour } from '../filters/colour.ts'
import type { Change } from '../verify/loss.ts'
import { deinterlaceFilter, fieldOrder, keptFields } from './fields.ts'
import { cannotHold, hevcOptions, holdsHdr, isHdr, toneMap } from './hdr.ts'
import { NOTICES, type Notice, type PictureFacts, type PictureRequest, USUAL_FACTS } from './request.ts'

/** How a video is encoded: filters around those of the tool, and the options of the encoder. */
export interface PicturePlan {
  /** Before every other filter: deinterlaces, then tone-maps. */
  before: string[]
  /** The filters of the tool, which keep fields apart if that is required. */
  filters: string[]
  after: string[]
  /** Options of the encoder, with colour tags. */
  options: string[]
  /** The order of the fields that are kept. */
  order?: FieldOrder
  /** The mastering data that the encoder writes into the video. */
  light?: Light
  changes: readonly Change[]
  notices: readonly Notice[]
  facts: PictureFacts
}

type Fields = Pick<PicturePlan, 'before' | 'filters' | 'after' | 'options' | 'order' | 'changes' | 'notices'>

/**
 * Decides how the fields and the dynamic range of a video are handled.
 * @throws MediaprocError INVALID_SETTINGS when fields or HDR are to be kept and the result cannot hold them
 */
export function planPicture(stream: Stream, request: PictureRequest): PicturePlan {
  const { facts = USUAL_FACTS } = request
  const fields = planFields(stream, request, facts)
  const range = planRange(stream, request, facts)
  return {
    ...fields,
    before: [...fields.before, ...range.filters],
    options: [...withColour(stream, range.options, range.isMapped), ...fields.options],
    facts,
    ...(range.light && { light: range.light }),
    changes: [...fields.changes, ...range.changes],
    notices: [...fields.notices, ...range.notices],
  }
}

function planFields(stream: Stream, request: PictureRequest, facts: PictureFacts): Fields {
  const { interlace = 'auto' } = request.choice
  const found = fieldOrder(stream, facts)
  const unchanged = { before: [], filters: [...request.filters], after: [], options: [], changes: [], notices: [] }
  if (!found)
    return interlace === 'deinterlace' ? { ...unchanged, before: [deinterlaceFilter(stream, facts, {})] } : unchanged
  if (interlace === 'keep') {
    const notices = found.isMeasured ? [NOTICES.marked] : []
    return { ...keptFields(stream, request, found), changes: [], notices }
  }
  const notices = interlace === 'auto' ? [NOTICES.deinterlaced(found.isMeasured)] : []
  return { ...unchanged, before: [deinterlaceFilter(stream, facts, found)], changes: ['fields'], notices }
}

interface Range {
  filters: string[]
  options: readonly string[]
  isMapped: boolean
  light?: Light
  changes: Change[]
  notices: Notice[]
}

function planRange(stream: Stream, request: PictureRequest, facts: PictureFacts): Range {
  const { choice, options, container } = request
  const { light = {}, dynamic = [], hasHevc } = facts
  const { hdr = 'auto' } = choice
  const plain = { filters: [], options, isMapped: false, changes: [], notices: [] }
  if (!isHdr(stream)) return plain
  const isHeld = holdsHdr(request)
  if (hdr === 'keep' && !isHeld) throw cannotHold()
  if (hdr === 'sdr' || !isHeld)
    // Without an explicit choice, the result is compared with the source and the loss reported.
    return { ...plain, filters: toneMap(stream, light), isMapped: true, changes: hdr === 'sdr' ? ['dynamicRange'] : [] }
  const isVp9 = encoderOf(options, 'v') === 'libvpx-vp9'
  if (!isVp9 && !hasHevc) return { ...plain, notices: [NOTICES.noHevc] }
  const isUnknown = facts !== USUAL_FACTS && facts.light === undefined && stream.colour.transfer === 'smpte2084'
  const notices = [
    ...(hdr === 'auto' ? [NOTICES.hdrKept(isVp9 ? 'VP9' : 'HEVC')] : []),
    ...(isUnknown ? [NOTICES.lightUnknown] : []),
    ...(dynamic.length > 0 ? [NOTICES.dynamicLost(dynamic)] : []),
  ]
  const encoder = isVp9 ? options : hevcOptions(options, light, container?.demuxer === 'mov')
  return { ...plain, options: encoder, light, notices }
}
