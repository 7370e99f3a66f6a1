import { MediaprocError } from '../../../../src/errors.ts'
import type { ImageFrame, Pixels, Size } from '../../../../src/media/image/frame.ts'
import { featureMissing } from '../../../../src/models/missing.ts'
import { type Area, tilesOf } from '../../../../src/models/tiles.ts'
import { type LoadedModel, requireModel, useModel } from '../../../../src/models/use-model.ts'
import type { StepContext } from '../../../../src/tool/image-tool.ts'
import { type Landmarks, landmarksOf, type Point } from './landmarks.ts'
import { type Box, distinctFaces, SIDE, yunetFaces } from './yunet.ts'

/** A face with the positions of its eyes, nose and mouth. */
export type Face = Box & { landmarks: Landmarks }

const CHAIN = ['yunet-2023mar', 'yunet-n'] as const

const LANDMARKS = ['openseeface-lm66'] as const

/** A face with less certain points is a hand or a pattern; a high sensitivity lowers the threshold. */
const LEAST_CONFIDENCE = 0.6

/** Detection uses a copy of at most this many pixels on its longest side (catalogue: blur-faces). */
const LONGEST = 1920

/** Overlap of the tiles of a large copy, so that no face is cut by all of them. */
const TILE_OVERLAP = 120

/** Minimum score for a sensitivity of 0 to 1 (catalogue). */
export const scoreFor = (sensitivity: number): number => Math.max(0.1, 1 - sensitivity)

async function copyOf(frame: ImageFrame, longest: number): Promise<{ pixels: Pixels; factor: number }> {
  const factor = Math.min(1, longest / Math.max(frame.width, frame.height))
  const size = {
    width: Math.max(1, Math.round(frame.width * factor)),
    height: Math.max(1, Math.round(frame.height * factor)),
  }
  const copy = factor === 1 ? frame : await frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })
  return { pixels: await copy.pixels({ alpha: 'drop' }), factor }
}

function cut({ data, width, channels }: Pixels, { left, top, width: across, height: down }: Area): Pixels {
  const part = Buffer.alloc(across * down * channels)
  for (let row = 0; row < down; row += 1) {
    const start = ((top + row) * width + left) * channels
    data.copy(part, row * across * channels, start, start + across * channels)
  }
  return { data: part, width: across, height: down, pageHeight: down, channels }
}

const moved = (face: Box, left: number, top: number, factor: number): Box => ({
  left: (face.left + left) / factor,
  top: (face.top + top) / factor,
  width: face.width / factor,
  height: face.height / factor,
  score: face.score,
  points: face.points.map(({ x, y }) => ({ x: (x + left) / factor, y: (y + top) / factor })),
})

const inside = (face: Box, { width, height }: Size): Box => {
  const left = Math.max(0, face.left)
  const top = Math.max(0, face.top)
  return {
    ...face,
    left,
    top,
    width: Math.min(width, face.left + face.width) - left,
    height: Math.min(height, face.top + face.height) - top,
  }
}

/**
 * The network detects faces of 10 to 300 px in its 640: large ones in a smaller copy, ordinary ones in a copy that
 * fits, and the small ones of a crowd in tiles of a larger copy.
 */
async function found(frame: ImageFrame, threshold: number, model: LoadedModel, signal: AbortSignal): Promise<Box[]> {
  const faces: Box[] = []
  for (const longest of [SIDE / 2, SIDE, LONGEST]) {
    if (longest > SIDE && Math.max(frame.width, frame.height) <= SIDE) continue
    const { pixels, factor } = await copyOf(frame, longest)
    for (const { seen } of tilesOf(pixels.width, pixels.height, SIDE, TILE_OVERLAP)) {
      signal.throwIfAborted()
      const here = await yunetFaces(cut(pixels, seen), threshold, model)
      faces.push(...here.map((face) => moved(face, seen.left, seen.top, factor)))
    }
  }
  return distinctFaces(faces).map((face) => inside(face, frame))
}

/** The boxes whose points also form a face. */
async function confirmed(
  frame: ImageFrame,
  boxes: readonly Box[],
  threshold: number,
  context: StepContext,
): Promise<Face[] | undefined> {
  if (boxes.length === 0) return []
  return useModel(LANDMARKS, context, async (model) => {
    const faces: Face[] = []
    for (const box of boxes) {
      context.signal.throwIfAborted()
      const landmarks = await landmarksOf(frame, box, model)
      if (landmarks.confidence >= Math.min(LEAST_CONFIDENCE, 1.2 * threshold)) faces.push({ ...box, landmarks })
    }
    return faces
  })
}

/** The same position in the image before it was rotated clockwise by the given number of quarter turns. */
function turnedBack(face: Face, quarters: number, turned: Size): Face {
  if (quarters === 0) return face
  // One turn back: the pixel at (x, y) of the rotated image was at (y, width of the rotated image - x).
  const width = turned.width
  const before = ({ x, y }: Point): Point => ({ x: y, y: width - x })
  const { points, confidence } = face.landmarks
  const back: Face = {
    left: face.top,
    top: width - face.left - face.width,
    width: face.height,
    height: face.width,
    score: face.score,
    points: face.points.map(before),
    landmarks: { points: points.map(before), confidence },
  }
  return turnedBack(back, quarters - 1, { width: turned.height, height: turned.width })
}

/** The image rotated clockwise by quarter turns. */
function turned(frame: ImageFrame, quarters: number): Promise<ImageFrame> {
  const size =
    quarters % 2 === 1 ? { width: frame.height, height: frame.width } : { width: frame.width, height: frame.height }
  return frame.apply((image) => image.rotate(quarters * 90), { size })
}

/** @throws MediaprocError FEATURE_NOT_INSTALLED if no detector, or its runtime, is in this store */
export const checkDetector = (store: string): Promise<void> => requireModel(CHAIN, 'face-detection', store)

/** All models used for face detection. */
export const FACE_MODELS = [...CHAIN, ...LANDMARKS] as const

/**
 * Detects the faces of a single-page image, in its own pixels, from left to right. If no upright face is found, tries
 * the image rotated.
 * @param turns the rotations to try, in clockwise quarter turns, until a face is found
 * @throws MediaprocError FEATURE_NOT_INSTALLED
 */
export async function detectFaces(
  given: ImageFrame,
  sensitivity: number,
  context: StepContext,
  { turns = [0, 1, 2, 3] }: { turns?: readonly number[] } = {},
): Promise<Face[]> {
  const threshold = scoreFor(sensitivity)
  const frame = await (await (await given.toSrgb()).toRgb()).settled()
  for (const quarters of turns) {
    const upright = quarters === 0 ? frame : await (await turned(frame, quarters)).settled()
    const boxes = await useModel(CHAIN, context, (model) => found(upright, threshold, model, context.signal))
    const faces = boxes && (await confirmed(upright, boxes, threshold, context))
    if (!faces) throw featureMissing('face-detection')
    if (faces.length === 0) continue
    const back = faces.map((face) => turnedBack(face, quarters, upright))
    return back.sort((one, other) => one.left - other.left || one.top - other.top)
  }
  return []
}

/**
 * The upright faces, like `detectFaces`; none if the models are not installed.
 * @param onMissing receives the reason then
 */
export async function detectIfInstalled(
  frame: ImageFrame,
  sensitivity: number,
  context: StepContext,
  onMissing?: (reason: string) => void,
): Promise<Face[]> {
  try {
    return await detectFaces(frame, sensitivity, context, { turns: [0] })
  } catch (error) {
    if (!(error instanceof MediaprocError) || error.code !== 'FEATURE_NOT_INSTALLED') throw error
    onMissing?.(error.message)
    return []
  }
}

/** A box expanded on all sides by a share of its longer side, clipped to the image and rounded to whole pixels. */
export function grown({ left, top, width, height }: Area, part: number, picture: Size): Area {
  const more = Math.max(width, height) * part
  const x = Math.max(0, Math.floor(left - more))
  const y = Math.max(0, Math.floor(top - more))
  return {
    left: x,
    top: y,
    width: Math.min(picture.width, Math.ceil(left + width + more)) - x,
    height: Math.min(picture.height, Math.ceil(top + height + more)) - y,
  }
}
