/** Black and white: one path per connected area, with its holes. */
import { type Contour, componentsOf, contoursOf } from './contours.ts'
import { type Ink, type Outline, outlineOf, type Samples } from './crossings.ts'
import { fitOutline, type Piece } from './fit.ts'
import { get, type Plane } from './plane.ts'
import { pathData } from './svg-path.ts'

export interface TraceSettings {
  /** Outlines as pixels, lines or curves. */
  pathMode: 'none' | 'polygon' | 'spline'
  /** Smaller areas are omitted, pixels. */
  filterSpeckle: number
  /** Minimum angle of a corner, degrees. */
  cornerThreshold: number
}

/** Standard deviation of outline points, px: with soft pixels on edges, and without. */
const NOISE = { soft: 0.1, hard: 0.35 } as const
/** Share of soft steps from which an image has soft edges. */
const SOFT = 0.25

/** The colour of each region: that of its interior, otherwise the most distant from `paper`. */
export function inksOf(numbers: Int32Array, samples: Samples, paper: (number: number) => Ink): number[][] {
  const { data, width, height, channels } = samples
  const sums: number[][] = []
  const extremes: { far: number; ink: number[] }[] = []
  const colourAt = (at: number): number[] => Array.from(data.subarray(at * channels, (at + 1) * channels))
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1) {
      const number = get(numbers, at)
      if (number === 0) continue
      const isInterior =
        x > 0 &&
        y > 0 &&
        x < width - 1 &&
        y < height - 1 &&
        numbers[at - 1] === number &&
        numbers[at + 1] === number &&
        numbers[at - width] === number &&
        numbers[at + width] === number
      if (isInterior) {
        const sum = sums[number] ?? new Array<number>(channels + 1).fill(0)
        sums[number] = sum
        for (let channel = 0; channel < channels; channel += 1)
          sum[channel] = (sum[channel] as number) + get(data, at * channels + channel)
        sum[channels] = (sum[channels] as number) + 1
      } else if (!sums[number]) {
        const ground = paper(number)
        let far = 0
        for (let channel = 0; channel < channels; channel += 1)
          far += (get(data, at * channels + channel) - get(ground, channel)) ** 2
        const known = extremes[number]
        if (!known || far > known.far) extremes[number] = { far, ink: colourAt(at) }
      }
    }
  const inks: number[][] = []
  const largest = Math.max(sums.length, extremes.length)
  for (let number = 1; number < largest; number += 1) {
    const sum = sums[number]
    inks[number] = sum
      ? sum.slice(0, channels).map((value) => value / (sum[channels] as number))
      : (extremes[number]?.ink ?? [])
  }
  return inks
}

export const noiseOf = (outlines: readonly Outline[]): number => {
  const [soft, hard] = outlines.reduce(([one, other], outline) => [one + outline.soft, other + outline.hard], [0, 0])
  return soft >= SOFT * (soft + hard) ? NOISE.soft : NOISE.hard
}

/** The sides of the pixels as they are. */
export function stairs({ corners }: Contour, width: number): Piece[] {
  const places = corners.map((corner) => ({ x: corner % (width + 1), y: Math.floor(corner / (width + 1)) }))
  return places.flatMap((to, at) => {
    const [before, after] = [places.at(at - 1), places[(at + 1) % places.length]]
    const isStraight = (before?.x === to.x && to.x === after?.x) || (before?.y === to.y && to.y === after?.y)
    return isStraight ? [] : [{ to }]
  })
}

/** Digits after the point: a hundredth of a pixel is visible only in small drawings. */
export const decimalsFor = ({ width, height }: { width: number; height: number }): number =>
  Math.max(width, height) < 400 ? 2 : 1

/**
 * Path data of the dark regions of a grey image.
 * @param threshold darker values are black
 */
export function traceBlack(grey: Plane<Uint8Array>, threshold: number, settings: TraceSettings): string[] {
  const { width, height } = grey
  const mask = { width, height, data: Uint8Array.from(grey.data, (value) => (value < threshold ? 1 : 0)) }
  const joins = (x: number, y: number): boolean => {
    const at = y * width + x
    return (
      get(grey.data, at) + get(grey.data, at - 1) + get(grey.data, at - width) + get(grey.data, at - width - 1) <
      4 * threshold
    )
  }
  const contours = contoursOf(mask, joins).filter(({ area }) => Math.abs(area) >= settings.filterSpeckle)
  const numbers = componentsOf(mask)
  const samples = { ...grey, channels: 1 }
  const isStairs = settings.pathMode === 'none'
  const inks = isStairs ? [] : inksOf(numbers, samples, () => [255])
  const outlines = isStairs
    ? []
    : contours.map((contour) =>
        outlineOf(contour, mask, samples, inks[get(numbers, contour.pixel)] ?? [0], { threshold }),
      )
  const noise = noiseOf(outlines)
  const paths = new Map<number, string>()
  contours.forEach((contour, index) => {
    const outline = outlines[index]
    const pieces = outline
      ? fitOutline(outline.points, {
          curves: settings.pathMode === 'spline',
          cornerThreshold: settings.cornerThreshold,
          noise,
        })
      : stairs(contour, width)
    const number = get(numbers, contour.pixel)
    paths.set(number, (paths.get(number) ?? '') + pathData(pieces, decimalsFor(grey)))
  })
  return [...paths.values()]
}
