import { invalidSettings } from '../../../../src/tool/validate.ts'

/** One size of the video, px. */
export interface Rendition {
  /** The shorter side, as in 720p. */
  side: number
  width: number
  height: number
  /** The highest bit rate over two seconds, kbit/s. */
  mostKbps: number
}

const LEAST_SIDE = 144
const LARGEST_SIDE = 4320
const MOST_RENDITIONS = 8

/** Usual peak of 1080p H.264 with 30 frames per second; others follow the 0.75 power of their pixels per second. */
const USUAL = { pixels: 1920 * 1080 * 30, kbps: 5000 }
const POWER = 0.75

/** @throws MediaprocError INVALID_SETTINGS for anything but a list of sizes */
export function parseSides(text: string): number[] {
  const words = text.split(',').flatMap((word) => word.trim().replace(/p$/i, '') || [])
  const sides = words.map(Number)
  if (sides.length === 0 || sides.length > MOST_RENDITIONS || !sides.every(isSide))
    throw invalidSettings(
      `Expected 1 to ${MOST_RENDITIONS} resolutions of ${LEAST_SIDE} to ${LARGEST_SIDE} lines, got ${text}`,
      'For example: 1080,720,480',
    )
  return [...new Set(sides)].sort((one, other) => other - one)
}

const isSide = (side: number): boolean => Number.isInteger(side) && side >= LEAST_SIDE && side <= LARGEST_SIDE

const even = (side: number): number => Math.max(2, 2 * Math.round(side / 2))

/**
 * The sizes that a video is encoded in, none of them larger than itself: a larger one becomes its own size.
 * @param shown size of the video as displayed, px
 */
export function ladderOf(
  shown: { width: number; height: number },
  sides: readonly number[],
  fps: number,
): [Rendition, ...Rendition[]] {
  const own = Math.min(shown.width, shown.height)
  const [first = own, ...rest] = new Set(sides.map((side) => Math.min(side, own)))
  const sized = (side: number): Rendition => {
    const [width, height] = [shown.width, shown.height].map((length) => even((length * side) / own)) as [number, number]
    const pixels = width * height * fps
    return { side, width, height, mostKbps: Math.ceil(USUAL.kbps * (pixels / USUAL.pixels) ** POWER) }
  }
  return [sized(first), ...rest.map(sized)]
}
