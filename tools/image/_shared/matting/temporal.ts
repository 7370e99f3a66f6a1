import type { Size } from '../../../../src/media/image/frame.ts'
import { boxMean } from './box-filter.ts'

/** A frame of an animation with its matte. */
export interface MattedFrame {
  /** Red, green, blue and alpha, 8 bits. */
  colours: Uint8Array
  /** One byte per pixel. */
  matte: Uint8Array
}

/** Frames before and after a frame that are compared with it. */
export const NEIGHBOURS = 2

/** Difference of colours, of 255, at which a pixel no longer shows the same thing. */
const SAME = 12
/** The frame's own matte decides if the neighbours are divided. */
const OWN = 1.01
/** Values further from the median than this, of 255, are outliers. */
const NEAR = 90
/** A smaller weight changes nothing. */
const LEAST_WEIGHT = 0.05

/** Lightness and two colour differences without dither, by planes. */
function smoothed({ colours }: MattedFrame, { width, height }: Size): Float32Array[] {
  const plane = (weights: readonly [number, number, number]): Float32Array => {
    const values = new Float32Array(width * height)
    for (let pixel = 0, at = 0; pixel < values.length; pixel += 1, at += 4)
      values[pixel] =
        weights[0] * (colours[at] as number) +
        weights[1] * (colours[at + 1] as number) +
        weights[2] * (colours[at + 2] as number)
    return boxMean(values, width, height, 1)
  }
  return [plane([0.299, 0.587, 0.114]), plane([0.5, -0.419, -0.081]), plane([-0.169, -0.331, 0.5])]
}

/** How far a pixel shows the same thing in another frame, 0 to 1. */
function likeness(one: readonly Float32Array[], other: readonly Float32Array[], at: number): number {
  let squares = 0
  for (let plane = 0; plane < 3; plane += 1) squares += ((one[plane]?.[at] ?? 0) - (other[plane]?.[at] ?? 0)) ** 2
  return Math.exp(-squares / SAME ** 2)
}

/** The weighted mean of the values that are near the median: it is without outliers, and varies less than the median. */
function meanNear(median: number, frames: readonly MattedFrame[], weights: Float32Array, at: number): number {
  let [sum, total] = [0, 0]
  frames.forEach((frame, index) => {
    const value = frame.matte[at] ?? 0
    if (Math.abs(value - median) > NEAR) return
    sum += (weights[index] ?? 0) * value
    total += weights[index] ?? 0
  })
  return Math.round(sum / total)
}

/**
 * The matte of a frame, corrected by its neighbours: the mean near the median over time where a pixel shows the same thing in them,
 * weighted by likeness. A frame in which the network failed takes the opinion of the others, and edges do not flicker;
 * what moves or appears keeps its own matte.
 * @param frames the frame and its neighbours
 * @param own index of the frame among them
 */
export function steadyMatte(frames: readonly MattedFrame[], own: number, size: Size): Uint8Array {
  const looks = frames.map((frame) => smoothed(frame, size))
  const [{ matte }, ownLook] = [frames[own] as MattedFrame, looks[own] ?? []]
  const matteAt = (index: number, at: number): number => frames[index]?.matte[at] ?? 0
  const result = new Uint8Array(matte.length)
  const order = frames.map((_, index) => index)
  const weights = new Float32Array(frames.length)
  for (let at = 0; at < matte.length; at += 1) {
    const value = matte[at] as number
    if (frames.every((frame) => frame.matte[at] === value)) {
      result[at] = value
      continue
    }
    let total = 0
    for (let index = 0; index < frames.length; index += 1) {
      const like = index === own ? OWN : likeness(ownLook, looks[index] ?? [], at)
      weights[index] = like < LEAST_WEIGHT ? 0 : like
      total += weights[index] as number
    }
    order.sort((one, other) => matteAt(one, at) - matteAt(other, at))
    let sum = 0
    const middle = order.find((index) => {
      sum += weights[index] as number
      return sum >= total / 2
    })
    result[at] = meanNear(matteAt(middle ?? own, at), frames, weights, at)
  }
  return result
}
