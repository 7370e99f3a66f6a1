import type { ImageFrame, Samples } from '../../../../src/media/image/frame.ts'
import { between } from '../layers/between.ts'
import { boxMean } from './box-filter.ts'

/** Longest side of the copy in which the colours of subject and background are spread, px. */
const COPY = 1024
/** Spreading distances as shares of the copy's longest side: far first, then near. */
const REACHES = [45, 4] as const
/** A smaller weight of a colour is noise. */
const LEAST_WEIGHT = 1e-4

interface Estimate {
  width: number
  height: number
  /** One plane per colour. */
  subject: Float32Array[]
  background: Float32Array[]
}

/** The weighted mean of a colour around each pixel. */
function spread(
  colour: Float32Array,
  weight: Float32Array,
  { width, height }: Pick<Estimate, 'width' | 'height'>,
  reach: number,
) {
  const total = boxMean(weight, width, height, reach)
  const sum = boxMean(
    colour.map((value, at) => value * weight[at]!),
    width,
    height,
    reach,
  )
  return sum.map((value, at) => value / Math.max(LEAST_WEIGHT, total[at]!))
}

/**
 * Estimates the subject's colour at each pixel, and that of the background behind it, from nearby pixels that are
 * clearly one or the other. M. Forte, "Approximate Fast Foreground Colour Estimation" (ICIP 2021), blur fusion, two
 * passes.
 */
function estimated(copy: Samples, white: number): Estimate {
  const { data, width, height, channels } = copy
  const colours = channels - 1
  const count = width * height
  const alpha = Float32Array.from({ length: count }, (_, at) => data[at * channels + colours]! / white)
  const rest = alpha.map((value) => 1 - value)
  const planes = Array.from({ length: colours }, (_, colour) =>
    Float32Array.from({ length: count }, (_, at) => data[at * channels + colour]! / white),
  )
  const subject: Float32Array[] = []
  const background: Float32Array[] = []
  for (const plane of planes) {
    let [front, back]: [Float32Array, Float32Array] = [plane, plane]
    for (const reach of REACHES) {
      const [nearFront, nearBack] = [spread(front, alpha, copy, reach), spread(back, rest, copy, reach)]
      front = nearFront.map((value, at) => {
        const error = plane[at]! - alpha[at]! * value - rest[at]! * nearBack[at]!
        return Math.min(1, Math.max(0, value + alpha[at]! * error))
      })
      back = nearBack
    }
    subject.push(front)
    background.push(back)
  }
  return { width, height, subject, background }
}

/**
 * A cut-out whose half-transparent pixels (hair, edges) have the subject's colour alone: removes the contribution of
 * the old background. Size and alpha are kept.
 */
export async function decontaminated(frame: ImageFrame): Promise<ImageFrame> {
  const samples = await frame.samples()
  const { data, width, height, channels } = samples
  const white = data instanceof Uint16Array ? 65535 : 255
  const colours = channels - 1
  const factor = Math.min(1, COPY / Math.max(width, height))
  const size = { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
  const copy =
    factor === 1
      ? samples
      : await (await frame.apply((image) => image.resize({ ...size, fit: 'fill' }), { size })).samples()
  const { subject, background } = estimated(copy, white)
  const raster = (plane: Float32Array) => ({ data: plane, ...size, channels: 1 })
  const [fronts, backs] = [subject.map(raster), background.map(raster)]
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += channels) {
      const alpha = data[at + colours]! / white
      if (alpha === 0 || alpha === 1) continue
      const [copyX, copyY] = [(x + 0.5) * factor - 0.5, (y + 0.5) * factor - 0.5]
      for (let colour = 0; colour < colours; colour += 1) {
        const front = between(fronts[colour]!, 0, copyX, copyY)
        const back = between(backs[colour]!, 0, copyX, copyY)
        const error = data[at + colour]! / white - alpha * front - (1 - alpha) * back
        data[at + colour] = Math.min(1, Math.max(0, front + alpha * error)) * white + 0.5
      }
    }
  return frame.withSamples(samples)
}
