import { floatData, floats, type Tensor } from '../../../../src/engines/onnx/tensor.ts'
import { firstOf } from '../../../../src/lists.ts'
import type { Pixels } from '../../../../src/media/image/frame.ts'
import { toPlanes } from '../../../../src/models/tensors.ts'
import type { LoadedModel } from '../../../../src/models/use-model.ts'

/** A detected face, in pixels of the examined image. */
export interface Box {
  left: number
  top: number
  width: number
  height: number
  /** 0 to 1. */
  score: number
  /** Right eye, left eye, tip of the nose, right and left corner of the mouth, from the person's point of view. */
  points: readonly { x: number; y: number }[]
}

/** Side of the network's input, px. */
export const SIDE = 640
/** Strides of the network's grids: pixels per output cell. */
const STRIDES = [8, 16, 32] as const
const POINTS = 5

/** Two boxes whose intersection exceeds this share of their union are one face. */
const SAME_FACE = 0.3

function overlap(one: Box, other: Box): number {
  const across = Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left)
  const down = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top)
  if (across <= 0 || down <= 0) return 0
  const shared = across * down
  return shared / (one.width * one.height + other.width * other.height - shared)
}

/** Whether more than half of the smaller box is inside the other: a face and a part of it, found in two passes. */
function isPartOf(one: Box, other: Box): boolean {
  const across = Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left)
  const down = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top)
  const smaller = Math.min(one.width * one.height, other.width * other.height)
  return across > 0 && down > 0 && across * down > smaller * 0.7
}

/** Each face once, with its best box. */
export function distinctFaces(faces: readonly Box[]): Box[] {
  const kept: Box[] = []
  for (const face of [...faces].sort((one, other) => other.score - one.score))
    if (!kept.some((other) => overlap(face, other) > SAME_FACE || isPartOf(face, other))) kept.push(face)
  return kept
}

const unit = (value: number): number => Math.min(1, Math.max(0, value))

/** The boxes of one grid (OpenCV's FaceDetectorYN). */
function decoded(answer: Readonly<Record<string, Tensor>>, stride: number, threshold: number): Box[] {
  const values = (name: string): Float32Array => floatData(answer[`${name}_${stride}`])
  const [classes, objects, boxes, keyPoints] = [values('cls'), values('obj'), values('bbox'), values('kps')]
  const columns = SIDE / stride
  const faces: Box[] = []
  for (let at = 0; at < classes.length; at += 1) {
    const score = Math.sqrt(unit(classes[at]!) * unit(objects[at]!))
    if (score < threshold) continue
    const column = at % columns
    const row = Math.floor(at / columns)
    const [dx = 0, dy = 0, dw = 0, dh = 0] = boxes.subarray(4 * at, 4 * at + 4)
    const [width, height] = [Math.exp(dw) * stride, Math.exp(dh) * stride]
    const points = Array.from({ length: POINTS }, (_, point) => ({
      x: (keyPoints[2 * (POINTS * at + point)]! + column) * stride,
      y: (keyPoints[2 * (POINTS * at + point) + 1]! + row) * stride,
    }))
    const [centreX, centreY] = [(column + dx) * stride, (row + dy) * stride]
    faces.push({ left: centreX - width / 2, top: centreY - height / 2, width, height, score, points })
  }
  return faces
}

/**
 * The faces in 8-bit RGB pixels of at most 640 x 640; the unused area of the network's input is black.
 * @param threshold minimum score, 0 to 1
 */
export async function yunetFaces(pixels: Pixels, threshold: number, model: LoadedModel): Promise<Box[]> {
  const { data, width, height, channels } = pixels
  const padded = new Uint8Array(SIDE * SIDE * channels)
  for (let row = 0; row < height; row += 1)
    padded.set(data.subarray(row * width * channels, (row + 1) * width * channels), row * SIDE * channels)
  // The network was trained with OpenCV: BGR order, plain bytes.
  const planes = toPlanes(
    { data: padded, width: SIDE, channels, left: 0, top: 0, across: SIDE, down: SIDE },
    { order: 'bgr', mean: [0, 0, 0], deviation: [1, 1, 1] },
  )
  const answer = await model.run({ [firstOf(model.inputs).name]: floats(planes, [1, 3, SIDE, SIDE]) })
  return distinctFaces(STRIDES.flatMap((stride) => decoded(answer, stride, threshold)))
}
