import { floatData, floats, type Tensor } from '../../../../src/engines/onnx/tensor.ts'
import { firstOf } from '../../../../src/lists.ts'
import type { Samples } from '../../../../src/media/image/frame.ts'
import type { LoadedModel } from '../../../../src/models/use-model.ts'
import { between } from '../layers/between.ts'
import { applied, inverse, type Similarity, similarity } from './align.ts'
import type { Point } from './landmarks.ts'

/** Side of the networks' input, px. */
const SIDE = 512

/** The positions of the five face points in the networks' training images (FFHQ), as shares of the side. */
const TEMPLATE = [
  [0.37691676, 0.46864664],
  [0.62285697, 0.46912813],
  [0.50123859, 0.61331904],
  [0.39308822, 0.725411],
  [0.61150205, 0.72490465],
].map(([x, y]): Point => ({ x: x! * SIDE, y: y! * SIDE }))

/** The share of the side at each edge over which a restored face is blended into the image. */
const FEATHER = 0.15

/** The face as the networks expect it: upright, of a fixed size, RGB from -1 to 1. */
function aligned(samples: Samples, toPicture: Similarity, white: number): Float32Array {
  const planes = new Float32Array(3 * SIDE * SIDE)
  for (let y = 0; y < SIDE; y += 1)
    for (let x = 0; x < SIDE; x += 1) {
      const { x: column, y: row } = applied(toPicture, x, y)
      for (let channel = 0; channel < 3; channel += 1)
        planes[(channel * SIDE + y) * SIDE + x] = (between(samples, channel, column, row) / white) * 2 - 1
    }
  return planes
}

/** The weight of the restored face at a position of its square: 1 inside, 0 at the edge. */
function weightAt(x: number, y: number): number {
  const ramp = (place: number): number => {
    const part = Math.min(1, Math.max(0, Math.min(place, SIDE - 1 - place) / (SIDE * FEATHER)))
    return part * part * (3 - 2 * part)
  }
  return ramp(x) * ramp(y)
}

/**
 * Restores one face, in place: GFPGAN (X. Wang et al., CVPR 2021) or CodeFormer (S. Zhou et al., NeurIPS 2022). Neither
 * was tested here with its real weights.
 * @param samples sRGB with three channels, with or without alpha
 * @param points eyes, nose and corners of the mouth, in image pixels
 * @param strength 0 to 1: for GFPGAN the weight of its output, for CodeFormer how far it departs from its input
 */
export async function restoreFace(
  samples: Samples,
  points: readonly Point[],
  model: LoadedModel,
  strength: number,
): Promise<void> {
  const white = samples.data instanceof Uint16Array ? 65535 : 255
  const toSquare = similarity(points, TEMPLATE)
  const input = floats(aligned(samples, inverse(toSquare), white), [1, 3, SIDE, SIDE])
  const isCodeFormer = model.id === 'codeformer'
  const weight: Tensor = { type: 'float64', data: Float64Array.of(1 - strength), dims: [1] }
  const output = firstOf(model.outputs).name
  const answer = await model.run({ input, ...(isCodeFormer && { weight }) }, { wanted: [output] })
  const face = floatData(answer[output])
  putBack(samples, face, toSquare, isCodeFormer ? 1 : strength, white)
}

function putBack(samples: Samples, face: Float32Array, toSquare: Similarity, share: number, white: number): void {
  const { data, width, height, channels } = samples
  const toPicture = inverse(toSquare)
  const corners = [0, SIDE].flatMap((x) => [0, SIDE].map((y) => applied(toPicture, x, y)))
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)]
  const planes = Array.from(
    { length: 3 },
    (_, channel): Samples => ({
      // The output ranges from -1 to 1; as two-channel samples it could not be interpolated.
      data: Uint16Array.from(face.subarray(channel * SIDE * SIDE, (channel + 1) * SIDE * SIDE), (value) =>
        Math.round(((Math.min(1, Math.max(-1, value)) + 1) / 2) * 65535),
      ),
      ...{ width: SIDE, height: SIDE, channels: 1, pages: 1 },
    }),
  )
  for (let y = Math.max(0, Math.floor(Math.min(...ys))); y < Math.min(height, Math.ceil(Math.max(...ys))); y += 1)
    for (let x = Math.max(0, Math.floor(Math.min(...xs))); x < Math.min(width, Math.ceil(Math.max(...xs))); x += 1) {
      const { x: column, y: row } = applied(toSquare, x, y)
      if (column < 0 || row < 0 || column > SIDE - 1 || row > SIDE - 1) continue
      const part = weightAt(column, row) * share
      const at = (y * width + x) * channels
      for (let channel = 0; channel < 3; channel += 1) {
        const restored = (between(planes[channel]!, 0, column, row) / 65535) * white
        data[at + channel] = data[at + channel]! * (1 - part) + restored * part + 0.5
      }
    }
}
