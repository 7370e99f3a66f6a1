/** What changing a JPEG without encoding it again cannot do or keep: errors and warnings. */
import { MediaprocError } from '../../../errors.ts'
import { lastOf } from '../../../lists.ts'
import { endOfPicture, jpegSegments } from '../../codecs/jpeg/jpeg-segments.ts'
import { printableName } from '../../file.ts'
import type { ImageFrame, Size } from '../frame.ts'
import type { Area } from './area.ts'
import { blocksOf } from './blocks.ts'
import { mirrors, type Turn } from './turns.ts'

type Warn = (message: string) => void

/** Bytes after the picture up to which they are padding. */
const PADDING = 16

const refusal = (what: string, hint = 'Omit lossless to encode the picture.'): MediaprocError =>
  new MediaprocError('TARGET_UNREACHABLE', what, { status: 400, hint })

/** @throws TARGET_UNREACHABLE for anything but an unchanged JPEG, which has blocks to rearrange */
export function checkSource({ origin, untouched, target }: ImageFrame): void {
  const name = printableName(origin.name)
  if (origin.type.id !== 'jpg') throw refusal(`${name} is not a JPEG: only JPEG can be changed without encoding again`)
  if (origin.isCutOff) throw refusal(`The end of ${name} is missing: it cannot be changed without encoding again`)
  if (!untouched)
    throw refusal(
      `${name} was changed by an earlier step, so it must be encoded`,
      'Omit lossless, or use it in all steps before this one.',
    )
  if (target.format !== undefined && target.format !== 'jpg')
    throw refusal(`An earlier step asks for ${target.format.toUpperCase()}, so the picture must be encoded`)
}

/**
 * Warns of blocks at the end of a mirrored side that are not whole: they are cut.
 * @returns the remaining size of the stored picture, px
 */
export function cutSizeOf({ origin }: ImageFrame, jpeg: Buffer, turn: Turn, warn: Warn): Size {
  const { width, height } = origin.metadata
  const block = blocksOf(jpeg)
  const flips = mirrors(turn)
  const rest = { width: flips.columns ? width % block.width : 0, height: flips.rows ? height % block.height : 0 }
  if (rest.width === width || rest.height === height)
    throw refusal(`${printableName(origin.name)} is smaller than a block of ${block.width} x ${block.height} px`)
  const what = [
    ...(rest.width > 0 ? [`${rest.width} of ${width} columns`] : []),
    ...(rest.height > 0 ? [`${rest.height} of ${height} rows`] : []),
  ]
  if (what.length > 0)
    warn(
      `${what.join(' and ')} at an edge are cut: without encoding again, only whole blocks of ${block.width} x ${block.height} px can be mirrored`,
    )
  return { width: width - rest.width, height: height - rest.height }
}

/** Moves an area to the left and up to the edge of a block, and warns if it had to move. */
export function onBlocks(area: Area, jpeg: Buffer, warn: Warn): Area {
  const block = blocksOf(jpeg)
  const left = area.left - (area.left % block.width)
  const top = area.top - (area.top % block.height)
  const moved = { left, top, width: area.width + area.left - left, height: area.height + area.top - top }
  if (left !== area.left || top !== area.top)
    warn(
      `The crop begins at ${left}, ${top} instead of ${area.left}, ${area.top} and is ${moved.width} x ${moved.height} instead of ${area.width} x ${area.height} px: without encoding again, it must begin with a block of ${block.width} x ${block.height} px`,
    )
  return moved
}

/** What follows the picture and belongs to its former bytes: a gain map, or the video of a motion photo. */
export function additionLoss(jpeg: Buffer, { origin }: ImageFrame): string | undefined {
  const name = printableName(origin.name)
  if (origin.hasGainMap)
    return `${name} has a gain map, which makes it brighter on HDR screens; it is left out, so the picture looks the same on all screens`
  const segments = jpegSegments(jpeg)
  const rest = segments ? jpeg.length - endOfPicture(jpeg, lastOf(segments).end).end : 0
  return rest > PADDING
    ? `${rest} bytes after the picture in ${name}, such as the video of a motion photo, are left out`
    : undefined
}
