import { floatData, floats } from '../../../../src/engines/onnx/tensor.ts'
import { firstOf } from '../../../../src/lists.ts'
import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import { toPlanes } from '../../../../src/models/tensors.ts'
import type { LoadedModel } from '../../../../src/models/use-model.ts'
import type { Box } from './yunet.ts'

export interface Point {
  x: number
  y: number
}

/** The points of a face in the order of 300-W (66 of them), in image pixels. */
export interface Landmarks {
  points: readonly Point[]
  /** Mean of the highest score of each point, 0 to 1; below 0.6 it is hardly a face looking at the camera. */
  confidence: number
}

const SIDE = 224
const GRID = 28
const COUNT = 66
/** The box is expanded by these shares of its sides before it is passed to the network. */
const GROWTH = { across: 0.1, down: 0.125 }
/** The network returns offsets as the sigmoid of 16 times their value. */
const OFFSET_SCALE = 16

const IMAGENET = {
  order: 'rgb',
  mean: [0.485 * 255, 0.456 * 255, 0.406 * 255],
  deviation: [0.229 * 255, 0.224 * 255, 0.225 * 255],
} as const

function logit(value: number): number {
  const sure = Math.min(1 - 1e-7, Math.max(1e-7, value))
  return Math.log(sure / (1 - sure))
}

/**
 * The positions of the eyes, brows, nose, mouth and jaw of a face (OpenSeeFace's lm_model0).
 * @param frame one page, sRGB
 */
export async function landmarksOf(
  frame: ImageFrame,
  { left, top, width, height }: Box,
  model: LoadedModel,
): Promise<Landmarks> {
  const x = Math.max(0, Math.floor(left - width * GROWTH.across))
  const y = Math.max(0, Math.floor(top - height * GROWTH.down))
  const area = {
    left: x,
    top: y,
    width: Math.max(1, Math.min(frame.width, Math.ceil(left + width * (1 + GROWTH.across))) - x),
    height: Math.max(1, Math.min(frame.height, Math.ceil(top + height * (1 + GROWTH.down))) - y),
  }
  const size = { width: SIDE, height: SIDE }
  const crop = await frame.apply((image) => image.extract(area).resize({ ...size, fit: 'fill', kernel: 'linear' }), {
    size,
  })
  const { data, channels } = await crop.pixels({ alpha: 'drop' })
  const planes = toPlanes({ data, width: SIDE, channels, left: 0, top: 0, across: SIDE, down: SIDE }, IMAGENET)
  const answer = await model.run({ [firstOf(model.inputs).name]: floats(planes, [1, 3, SIDE, SIDE]) })
  const maps = floatData(answer[firstOf(model.outputs).name])
  const cells = GRID * GRID
  let sum = 0
  const points = Array.from({ length: COUNT }, (_, point): Point => {
    let best = point * cells
    for (let at = best; at < (point + 1) * cells; at += 1) if (maps[at]! > maps[best]!) best = at
    sum += maps[best]!
    const cell = best - point * cells
    const offset = (map: number): number =>
      ((SIDE - 1) * logit(maps[(map * COUNT + point) * cells + cell]!)) / OFFSET_SCALE
    // The first of the two offsets is the row's.
    const row = ((SIDE - 1) * Math.floor(cell / GRID)) / (GRID - 1) + offset(1)
    const column = ((SIDE - 1) * (cell % GRID)) / (GRID - 1) + offset(2)
    return { x: x + (column * area.width) / SIDE, y: y + (row * area.height) / SIDE }
  })
  return { points, confidence: sum / COUNT }
}
