/**
 * Positions of edges between pixels. The soft pixels of an edge are coverage: their sum across the edge is its exact
 * position for straight edges, and accurate to a few hundredths of a pixel for curves.
 */
import type { Contour } from './contours.ts'
import { get, type Plane, type Points } from './plane.ts'

/** Interleaved samples; alpha is premultiplied. */
export interface Samples extends Plane<Uint8Array> {
  channels: number
}

/** An outline between pixels. */
export interface Outline {
  points: Points
  /** Of the points at a step of the pixel outline, how many have a soft pixel, and how many have none. */
  soft: number
  hard: number
}

/** The colour of a region, one value per channel. */
export type Ink = ArrayLike<number>

/** Edges are at most two soft pixels wide on each side. */
const REACH = 2
/** Regions of up to this thickness, px, have no pixel of their own colour for certain. */
const THIN = 3
/** Neighbours within an area differ by less than this share of the contrast of the edge: noise of JPEG. */
const LEVEL = 0.08
/** Steps of the pixel outline on each side that define its direction. */
const SPAN = 3
/** Edges near a diagonal are measured across both axes. */
const DIAGONAL = 0.7
/** An edge within this distance of the middle between two pixels has no soft pixel, px. */
const HARD = 0.02

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))

export interface OutlineOptions {
  /** The value of the only channel that separates in from out, for wide soft edges. */
  threshold?: number
  /** Whether another region covers the outline next to this pixel. */
  isHidden?: (pixel: number) => boolean
}

/** Weight of a point that another region covers. */
const HIDDEN = 0.04

/** Measures one outline of a region in a mask, between its ink and the colours around it. */
export function outlineOf(
  contour: Contour,
  mask: Plane<Uint8Array>,
  samples: Samples,
  ink: Ink,
  { threshold, isHidden }: OutlineOptions = {},
): Outline {
  const { width, height } = mask
  const { data, channels } = samples
  const { corners } = contour
  const count = corners.length
  const row = width + 1
  const difference = (one: number, other: number): number => {
    let sum = 0
    for (let channel = 0; channel < channels; channel += 1)
      sum += (get(data, one * channels + channel) - get(data, other * channels + channel)) ** 2
    return Math.sqrt(sum)
  }
  /** Share of the ink in a pixel, 0 to 1; the rest has the colour of the pixel `out`. */
  const coverage = (pixel: number, base: number, out: number): number => {
    let [span, part] = [0, 0]
    for (let channel = 0; channel < channels; channel += 1) {
      const from = get(data, out * channels + channel)
      const full = base < 0 ? get(ink, channel) : get(data, base * channels + channel)
      span += (full - from) ** 2
      part += (full - from) * (get(data, pixel * channels + channel) - from)
    }
    return span === 0 ? 0 : clamp(part / span, 0, 1)
  }
  /** Distance of the edge from the centre of the pixel `inner`, towards the pixel at `step`; both have `room` pixels. */
  const edge = (inner: number, step: number, before: number, after: number): number => {
    const contrast = Math.max(
      difference(inner, inner + step),
      difference(inner - Math.min(1, before) * step, inner + Math.min(2, after) * step),
    )
    const level = Math.max(4, LEVEL * contrast)
    let far = 1
    while (far <= REACH && far < after && difference(inner + far * step, inner + (far + 1) * step) > level) far += 1
    let thick = 1
    while (thick <= THIN && thick <= before && mask.data[inner - thick * step] === 1) thick += 1
    const out = inner + far * step
    if (thick <= THIN) {
      let near = -thick
      if (thick > before) return 0.5
      while (
        near > -thick - REACH &&
        -near < before &&
        difference(inner + near * step, inner + (near - 1) * step) > level
      )
        near -= 1
      let [sum, moment] = [0, 0]
      for (let at = near; at <= far; at += 1) {
        const share = coverage(inner + at * step, -1, out)
        sum += share
        moment += share * at
      }
      return sum === 0 ? 0.5 : moment / sum + sum / 2
    }
    let base = 0
    while (base < REACH && base < before && difference(inner - base * step, inner - (base + 1) * step) > level)
      base += 1
    const isOpen =
      (base === REACH && base < before && difference(inner - base * step, inner - (base + 1) * step) > level) ||
      far > REACH
    if (isOpen && threshold !== undefined) {
      const value = get(data, inner)
      const next = get(data, inner + step)
      return next === value ? 0.5 : (threshold - 0.5 - value) / (next - value)
    }
    let sum = 0
    for (let at = -base; at <= far; at += 1) sum += coverage(inner + at * step, inner - base * step, out)
    return sum - base - 0.5
  }
  const place = (index: number): { x: number; y: number } => {
    const corner = get(corners, (index + count) % count)
    return { x: corner % row, y: Math.floor(corner / row) }
  }
  const span = Math.min(SPAN, Math.floor(count / 8))
  const kept: number[] = []
  let [soft, hard] = [0, 0]
  for (let index = 0; index < count; index += 1) {
    const [from, to] = [place(index), place(index + 1)]
    const [dx, dy] = [to.x - from.x, to.y - from.y]
    const [first, last] = [place(index - span), place(index + 1 + span)]
    const [along, across] = dx !== 0 ? [last.x - first.x, last.y - first.y] : [last.y - first.y, last.x - first.x]
    // A window along the edge instead of across it measures nothing.
    if (span > 0 && Math.abs(along) < DIAGONAL * Math.abs(across)) continue
    // Inside is on the right of the direction.
    const [x, y] = [from.x + (dx - dy - 1) / 2, from.y + (dy + dx - 1) / 2]
    const [outX, outY] = [x + dy, y - dx]
    let [distance, weight] = [0.5, 1]
    if (isHidden?.(y * width + x)) weight = HIDDEN
    else if (outX >= 0 && outY >= 0 && outX < width && outY < height) {
      const [before, after] =
        dx !== 0
          ? dx > 0
            ? [height - 1 - y, y]
            : [y, height - 1 - y]
          : dy > 0
            ? [x, width - 1 - x]
            : [width - 1 - x, x]
      distance = clamp(edge(y * width + x, (outY - y) * width + outX - x, before, after), -0.25, 1.25)
      const [previous, next] = [place(index - 1), place(index + 2)]
      const isStep =
        from.x - previous.x !== dx || from.y - previous.y !== dy || next.x - to.x !== dx || next.y - to.y !== dy
      if (isStep && Math.abs(distance - 0.5) > HARD) soft += 1
      else if (isStep) hard += 1
    }
    kept.push(x + 0.5 + distance * (outX - x), y + 0.5 + distance * (outY - y), weight)
  }
  return { points: Float64Array.from(kept), soft, hard }
}
