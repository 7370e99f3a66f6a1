/** What changing a JPEG without encoding it again cannot do or keep: errors and warnings. */
import { MediaprocError } from '../../../errors.ts'
import { lastOf } from '../../../lists.ts'
import { endOfPicture, jpegSegments } from '../../codecs/jpeg/jpeg-segments.ts'
import { printableName } from '../../file.ts'
import type { ImageFrame, Size } from '../frame.ts'
import type { Area } from './area.ts'
import { blocksOf } from './blocks.ts'
import { mirrors, swapsSides, type Turn } from './turns.ts'

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

/** What a turn cuts of a stored picture: blocks at the end of a mirrored side that are not whole. */
export interface Cut {
  /** Columns and rows of the stored picture. */
  stored: Size
  /** The same in the upright picture, where they are at its beginning. */
  upright: Pick<Area, 'left' | 'top'>
  block: Size
}

export const NO_CUT: Cut = {
  ...{ stored: { width: 0, height: 0 }, upright: { left: 0, top: 0 } },
  block: { width: 1, height: 1 },
}

/** @throws TARGET_UNREACHABLE for a picture of which nothing would be left */
export function cutOf({ origin }: ImageFrame, jpeg: Buffer, turn: Turn): Cut {
  const { width, height } = origin.metadata
  const block = blocksOf(jpeg)
  const flips = mirrors(turn)
  const stored = { width: flips.columns ? width % block.width : 0, height: flips.rows ? height % block.height : 0 }
  if (stored.width === width || stored.height === height)
    throw refusal(`${printableName(origin.name)} is smaller than a block of ${block.width} x ${block.height} px`)
  const upright = swapsSides(turn)
    ? { left: stored.height, top: stored.width }
    : { left: stored.width, top: stored.height }
  return { stored, upright, block }
}

/** Warns of the columns and rows that are cut, if any. @param whole what they are cut of */
export function warnOfCut(lost: Size, whole: Size, block: Size, warn: Warn): void {
  const what = [
    ...(lost.width > 0 ? [`${lost.width} of ${whole.width} columns`] : []),
    ...(lost.height > 0 ? [`${lost.height} of ${whole.height} rows`] : []),
  ]
  if (what.length > 0)
    warn(
      `${what.join(' and ')} at an edge are cut: without encoding again, only whole blocks of ${block.width} x ${block.height} px can be mirrored`,
    )
}

/**
 * The area in the picture that a turn leaves. Warns of what it loses of the area.
 * @throws TARGET_UNREACHABLE for an area of which nothing would be left
 */
export function afterCut(area: Area, { upright, block }: Cut, warn: Warn): Area {
  const [left, top] = [area.left - upright.left, area.top - upright.top]
  const lost = { width: Math.max(0, -left), height: Math.max(0, -top) }
  if (lost.width >= area.width || lost.height >= area.height)
    throw refusal('The area is in a part that can only be mirrored by encoding again')
  warnOfCut(lost, area, block, warn)
  return {
    ...{ left: Math.max(0, left), top: Math.max(0, top) },
    ...{ width: area.width - lost.width, height: area.height - lost.height },
  }
}

/**
 * Moves an area to the left and up to the edge of a block, and warns if it had to move.
 * @param before where the picture begins in the one that the user knows
 */
export function onBlocks(area: Area, before: Pick<Area, 'left' | 'top'>, jpeg: Buffer, warn: Warn): Area {
  const block = blocksOf(jpeg)
  const left = area.left - (area.left % block.width)
  const top = area.top - (area.top % block.height)
  const moved = { left, top, width: area.width + area.left - left, height: area.height + area.top - top }
  const shown = (place: Area): string => `${place.left + before.left}, ${place.top + before.top}`
  if (left !== area.left || top !== area.top)
    warn(
      `The crop begins at ${shown(moved)} instead of ${shown(area)} and is ${moved.width} x ${moved.height} instead of ${area.width} x ${area.height} px: without encoding again, it must begin with a block of ${block.width} x ${block.height} px`,
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
