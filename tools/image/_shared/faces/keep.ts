import type { ImageFrame, Size } from '../../../../src/media/image/frame.ts'
import type { Area } from '../../../../src/models/tiles.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import { union } from '../layout/bounds.ts'
import { detectIfInstalled } from './detect.ts'
import { largestCrop, largestGroup } from './groups.ts'

/** Sensitivity of the detection: the default of smart-crop. */
const SENSITIVITY = 0.5

/** The detected box ends at the forehead and the chin: room for the hair, the neck and the ears, as shares of its height and width. */
const ROOM = { above: 0.45, below: 0.2, beside: 0.2 }

/**
 * Faces are searched for in a copy of this longest side, px: those of a crowd are not found, and do not decide a crop.
 */
const LONGEST = 640

const headsOf = (faces: readonly Area[], { width, height }: Size): Area[] =>
  faces.map((face) => {
    const left = Math.max(0, Math.floor(face.left - face.width * ROOM.beside))
    const top = Math.max(0, Math.floor(face.top - face.height * ROOM.above))
    return {
      left,
      top,
      width: Math.min(width, Math.ceil(face.left + face.width * (1 + ROOM.beside))) - left,
      height: Math.min(height, Math.ceil(face.top + face.height * (1 + ROOM.below))) - top,
    }
  })

/** Smaller pictures are icons and sprites, px. */
const LEAST_SIDE = 64

/** The upright heads of a single-page image, with their hair, in its own pixels, px; none if the models face-detection are not installed. */
export async function findHeads(frame: ImageFrame, context: StepContext): Promise<Area[]> {
  if (Math.min(frame.width, frame.height) < LEAST_SIDE) return []
  const factor = Math.min(1, LONGEST / Math.max(frame.width, frame.height))
  const size = {
    width: Math.max(1, Math.round(frame.width * factor)),
    height: Math.max(1, Math.round(frame.height * factor)),
  }
  const copy = factor === 1 ? frame : await frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })
  const faces = await detectIfInstalled(copy, SENSITIVITY, context)
  const own = faces.map(({ left, top, width, height }) => ({
    ...{ left: left / factor, top: top / factor },
    ...{ width: width / factor, height: height / factor },
  }))
  return headsOf(own, frame)
}

interface Span {
  from: number
  to: number
}

/** How much of the other spans a window contains although it does not contain them whole, px. */
const cutBy = (start: number, length: number, others: readonly Span[]): number =>
  others.reduce((sum, { from, to }) => {
    const inside = Math.min(to, start + length) - Math.max(from, start)
    return inside <= 0 || inside >= to - from ? sum : sum + inside
  }, 0)

/**
 * The start nearest to `wanted` of a window of `length` that contains a span, or its middle if it is longer, and cuts
 * the other spans as little as possible.
 */
function startAround(wanted: number, length: number, span: Span, others: readonly Span[], limit: number): number {
  const inside = (start: number): number => Math.min(limit - length, Math.max(0, start))
  if (span.to - span.from > length) return Math.round(inside((span.from + span.to - length) / 2))
  const allowed = (start: number): number => inside(Math.min(span.from, Math.max(span.to - length, start)))
  // A window that ends where another span begins, or begins where it ends, does not cut it.
  const starts = [wanted, ...others.flatMap(({ from, to }) => [from - length, to])].map(allowed)
  const [best] = starts
    .map((start) => ({ start, cut: cutBy(start, length, others), way: Math.abs(start - wanted) }))
    .sort((one, other) => one.cut - other.cut || one.way - other.way)
  return Math.round(best?.start ?? wanted)
}

const across = ({ left, width }: Area): Span => ({ from: left, to: left + width })
const down = ({ top, height }: Area): Span => ({ from: top, to: top + height })

/**
 * The window of a crop, moved as little as possible so that no head is cut. If they do not all fit, the largest group
 * that does is inside, and the others are outside if possible.
 * @param window inside the image, px
 */
export function keepingHeads(window: Area, heads: readonly Area[], picture: Size): Area {
  if (heads.length === 0) return window
  const group = largestGroup(heads, window)
  const others = heads.filter((head) => !group.includes(head))
  const all = union(group)
  return {
    ...window,
    left: startAround(window.left, window.width, across(all), others.map(across), picture.width),
    top: startAround(window.top, window.height, down(all), others.map(down), picture.height),
  }
}

/** The largest area of an image with the proportions of a size, in its middle, px. */
export function centredCrop(picture: Size, size: Size): Area {
  const { width, height } = largestCrop(picture, size)
  const crop = {
    width: Math.min(picture.width, Math.max(1, Math.round(width))),
    height: Math.min(picture.height, Math.max(1, Math.round(height))),
  }
  return {
    left: Math.floor((picture.width - crop.width) / 2),
    top: Math.floor((picture.height - crop.height) / 2),
    ...crop,
  }
}

/** Fills a size with the middle of a single-page image, moved so that no head is cut. */
export async function coverKeepingFaces(frame: ImageFrame, size: Size, context: StepContext): Promise<ImageFrame> {
  const centred = centredCrop(frame, size)
  const isWhole = centred.width === frame.width && centred.height === frame.height
  const area = isWhole ? centred : keepingHeads(centred, await findHeads(frame, context), frame)
  if (area.left === centred.left && area.top === centred.top)
    return frame.apply((image) => image.resize({ ...size, fit: 'cover' }), { size })
  return frame.apply((image) => image.extract(area).resize({ ...size, fit: 'fill' }), { size })
}
