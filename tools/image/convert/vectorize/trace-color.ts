/** Drawings in colours: one path per region, the enclosing ones first. */
import { type Contour, contoursOf } from './contours.ts'
import { outlineOf } from './crossings.ts'
import { fitOutline } from './fit.ts'
import { get, type Plane, STRIDE } from './plane.ts'
import { type Region, type RegionSettings, regionsOf } from './regions.ts'
import { pathData } from './svg-path.ts'
import { decimalsFor, noiseOf, stairs, type TraceSettings } from './trace-bw.ts'

export interface ColouredPath {
  /** Path data. */
  data: string
  /** Red, green, blue and alpha. */
  colour: readonly number[]
}

/** Drawings of more regions are traced as photos. */
const MAX_REGIONS = 3000
/** Alpha, 0 to 255, from which a region is visible. */
const VISIBLE = 8
/** Pixels around a region that measurements need. */
const MARGIN = 6

interface Cut {
  contours: Contour[]
  mask: Plane<Uint8Array>
  /** Pixels that a later region covers. */
  covered: Uint8Array
  left: number
  top: number
}

function premultiplied({ data }: Plane<Uint8Array>): Uint8Array {
  const made = Uint8Array.from(data)
  for (let at = 0; at < data.length; at += 4)
    for (let channel = 0; channel < 3; channel += 1)
      made[at + channel] = Math.round((get(data, at + channel) * get(data, at + 3)) / 255)
  return made
}

/**
 * The paths of a drawing in painting order, or undefined if it has too many regions.
 * @param picture RGBA samples
 */
export function traceDrawing(
  picture: Plane<Uint8Array>,
  settings: TraceSettings & RegionSettings,
): ColouredPath[] | undefined {
  const { width, height } = picture
  const { numbers, regions } = regionsOf(picture, settings)
  if (regions.length > MAX_REGIONS) return undefined
  const isClear = regions.map(({ colour }) => get(colour, 3) < VISIBLE)
  const hasClear = isClear.includes(true)
  const samples = premultiplied(picture)
  const inks = regions.map(({ colour }) =>
    colour.map((value, channel) => (channel < 3 ? (value * get(colour, 3)) / 255 : value)),
  )
  const order = orderOf(regions)
  const rank = new Int32Array(regions.length)
  order.forEach((number, at) => {
    rank[number] = at
  })
  const cuts = order.flatMap((number) => {
    if (isClear[number]) return []
    const region = regions[number] as Region
    const cut = cutOut(numbers, { width, height }, number, region, rank, isClear)
    // Regions inside are painted later, unless something is transparent.
    const contours = hasClear ? cut.contours : cut.contours.filter(({ area }) => area > 0)
    return [{ ...cut, contours, number, region }]
  })
  const isStairs = settings.pathMode === 'none'
  const measured = cuts.map((cut) => {
    if (isStairs) return []
    const part = crop(samples, width, cut)
    return cut.contours.map((contour) =>
      outlineOf(contour, cut.mask, part, inks[cut.number] as number[], { isHidden: (at) => cut.covered[at] === 1 }),
    )
  })
  const noise = noiseOf(measured.flat())
  return cuts.map(({ contours, mask, left, top, region }, index) => {
    const data = contours.map((contour, at) => {
      const outline = measured[index]?.[at]
      if (!outline) {
        const pieces = stairs(contour, mask.width)
        return pathData(
          pieces.map(({ to }) => ({ to: { x: to.x + left, y: to.y + top } })),
          1,
        )
      }
      for (let place = 0; place < outline.points.length; place += STRIDE) {
        outline.points[place] = get(outline.points, place) + left
        outline.points[place + 1] = get(outline.points, place + 1) + top
      }
      const curves = settings.pathMode === 'spline'
      return pathData(
        fitOutline(outline.points, { curves, cornerThreshold: settings.cornerThreshold, noise }),
        decimalsFor(picture),
      )
    })
    return { data: data.join(''), colour: region.colour }
  })
}

/** Larger extents first: a region that encloses another one has the larger. */
function orderOf(regions: readonly Region[]): number[] {
  const extent = ({ left, top, right, bottom }: Region): number => (right - left + 1) * (bottom - top + 1)
  return [...regions.keys()].sort((one, other) => {
    const [a, b] = [regions[one] as Region, regions[other] as Region]
    return extent(b) - extent(a) || b.area - a.area
  })
}

/** The mask of a region; it extends below later neighbours by a pixel, so that no gap shows between them. */
function cutOut(
  numbers: Int32Array,
  { width, height }: { width: number; height: number },
  number: number,
  region: Region,
  rank: Int32Array,
  isClear: readonly boolean[],
): Cut {
  const [left, top] = [Math.max(0, region.left - MARGIN), Math.max(0, region.top - MARGIN)]
  const size = {
    width: Math.min(width, region.right + 1 + MARGIN) - left,
    height: Math.min(height, region.bottom + 1 + MARGIN) - top,
  }
  const data = new Uint8Array(size.width * size.height)
  const covered = new Uint8Array(data.length)
  const own = get(rank, number)
  for (let y = 0, at = 0; y < size.height; y += 1)
    for (let x = 0; x < size.width; x += 1, at += 1) {
      const here = get(numbers, (top + y) * width + left + x)
      if (here === number) {
        data[at] = 1
        continue
      }
      if (isClear[here] || get(rank, here) < own) continue
      let [touches, isFree] = [false, true]
      for (let row = Math.max(0, top + y - 1); row <= Math.min(height - 1, top + y + 1); row += 1)
        for (let column = Math.max(0, left + x - 1); column <= Math.min(width - 1, left + x + 1); column += 1) {
          const next = get(numbers, row * width + column)
          if (next === number) touches = true
          else if (isClear[next] || get(rank, next) < own) isFree = false
        }
      if (touches && isFree) {
        data[at] = 1
        covered[at] = 1
      }
    }
  const mask = { ...size, data }
  const contours = contoursOf(mask, () => false)
  return { contours, mask, covered, left, top }
}

function crop(samples: Uint8Array, width: number, { left, top, mask }: Cut) {
  const data = new Uint8Array(mask.width * mask.height * 4)
  for (let y = 0; y < mask.height; y += 1) {
    const start = ((top + y) * width + left) * 4
    data.set(samples.subarray(start, start + mask.width * 4), y * mask.width * 4)
  }
  return { width: mask.width, height: mask.height, channels: 4, data }
}
