import type { Samples } from '../../../../src/media/image/frame.ts'
import { between } from '../layers/between.ts'
import { boxMean } from './box-filter.ts'

/** Longest side of the copy in which colours are spread, px. */
const COPY = 1024
/** Radii over which colours are spread in the copy, px: far first, then near. */
const REACHES = [90, 6] as const
/** A smaller weight of a colour is noise. */
const LEAST_WEIGHT = 1e-4

interface Estimate {
  width: number
  height: number
  /** One plane per colour. */
  subject: Float32Array[]
  background: Float32Array[]
}

/**
 * Weight of a pixel as an example of the subject's colour. Mattes are softer than the edges of their subject, so that
 * half-covered pixels are poor examples: with alpha itself as the weight, twice as much of the background remained
 * (bench/looks.md).
 */
const certainty = (alpha: number): number => alpha * alpha * alpha * alpha

type Size = Pick<Estimate, 'width' | 'height'>

/** The weighted mean of each colour around each pixel. */
function spread(
  planes: readonly Float32Array[],
  weight: Float32Array,
  { width, height }: Size,
  reach: number,
): Float32Array[] {
  const total = boxMean(weight, width, height, reach)
  return planes.map((plane) => {
    const weighted = new Float32Array(plane.length)
    for (let at = 0; at < plane.length; at += 1) weighted[at] = (plane[at] as number) * (weight[at] as number)
    const means = boxMean(weighted, width, height, reach)
    for (let at = 0; at < means.length; at += 1)
      means[at] = (means[at] as number) / Math.max(LEAST_WEIGHT, total[at] as number)
    return means
  })
}

/**
 * Estimates the subject's colour at each pixel, and that of the background behind it, from nearby pixels that are
 * clearly one or the other. M. Forte, "Approximate Fast Foreground Colour Estimation" (ICIP 2021), blur fusion, two
 * passes, with weights by certainty.
 */
function estimated({ data, width, height, channels }: ReturnType<typeof copyOf>, white: number): Estimate {
  const colours = channels - 1
  const count = width * height
  // One loop per plane: callbacks for each of a million values take twice as long.
  const plane = (channel: number): Float32Array => {
    const values = new Float32Array(count)
    for (let at = 0; at < count; at += 1) values[at] = (data[at * channels + channel] as number) / white
    return values
  }
  const [sure, rest] = [new Float32Array(count), new Float32Array(count)]
  const alpha = plane(colours)
  for (let at = 0; at < count; at += 1) {
    sure[at] = certainty(alpha[at] as number)
    rest[at] = certainty(1 - (alpha[at] as number))
  }
  const planes = Array.from({ length: colours }, (_, colour) => plane(colour))
  let [subject, background] = [planes, planes]
  for (const reach of REACHES) {
    const fronts = spread(subject, sure, { width, height }, reach)
    background = spread(background, rest, { width, height }, reach)
    for (const [colour, front] of fronts.entries()) {
      const [shown, back] = [planes[colour]!, background[colour]!]
      for (let at = 0; at < count; at += 1)
        front[at] = corrected(shown[at] as number, alpha[at] as number, front[at] as number, back[at] as number)
    }
    subject = fronts
  }
  return { width, height, subject, background }
}

/** The subject's colour that explains a pixel, as far as the pixel shows the subject. */
function corrected(value: number, alpha: number, front: number, back: number): number {
  const error = value - alpha * front - (1 - alpha) * back
  return Math.min(1, Math.max(0, front + certainty(alpha) * error))
}

/** Means of square blocks: unlike resizing with alpha, this keeps the colours of transparent pixels. */
function copyOf(
  { data, width, height, channels }: Samples,
  side: number,
): Omit<Samples, 'data'> & { data: Float32Array } {
  const [across, down] = [Math.ceil(width / side), Math.ceil(height / side)]
  const copy = new Float32Array(across * down * channels)
  const columns = Uint32Array.from({ length: width }, (_, x) => Math.floor(x / side))
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const to = (Math.floor(y / side) * across + (columns[x] as number)) * channels
      for (let channel = 0; channel < channels; channel += 1, at += 1) copy[to + channel]! += data[at] as number
    }
  for (let y = 0, at = 0; y < down; y += 1)
    for (let x = 0; x < across; x += 1) {
      const count = Math.min(side, width - x * side) * Math.min(side, height - y * side)
      for (let channel = 0; channel < channels; channel += 1, at += 1) copy[at]! /= count
    }
  return { data: copy, width: across, height: down, channels, pages: 1 }
}

/** Gives the half-transparent pixels of single-page samples with alpha the subject's colour alone, in place. */
export function recolourEdges(samples: Samples): void {
  const { data, width, height, channels } = samples
  const white = data instanceof Uint16Array ? 65535 : 255
  const colours = channels - 1
  const side = Math.ceil(Math.max(width, height) / COPY)
  const { subject, background, ...size } = estimated(copyOf(samples, side), white)
  const raster = (plane: Float32Array) => ({ data: plane, ...size, channels: 1 })
  const [fronts, backs] = [subject.map(raster), background.map(raster)]
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += channels) {
      const alpha = (data[at + colours] as number) / white
      if (alpha === 0 || alpha === 1) continue
      const [copyX, copyY] = [(x + 0.5) / side - 0.5, (y + 0.5) / side - 0.5]
      for (let colour = 0; colour < colours; colour += 1) {
        const front = between(fronts[colour]!, 0, copyX, copyY)
        const back = between(backs[colour]!, 0, copyX, copyY)
        data[at + colour] = corrected((data[at + colour] as number) / white, alpha, front, back) * white + 0.5
      }
    }
}
