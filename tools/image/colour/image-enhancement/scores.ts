import type { Pixels } from '../../../../src/media/image/frame.ts'
import { LUMINANCE } from '../../_shared/colour/srgb.ts'
import { castOf } from './cast.ts'

/** Analysis of an image for image-enhancement. Figures and thresholds: catalogue, image-enhancement. */
export interface Analysis {
  /** Integers from 0 to 100; 50 is ideal. */
  scores: Record<'exposure' | 'contrast' | 'whiteBalance' | 'saturation' | 'sharpness' | 'noise', number>
  corrections: Record<'brightness' | 'contrast' | 'temperature' | 'saturation' | 'sharpness' | 'denoise', number>
  issues: string[]
  suggestedMode: 'auto' | 'low-light' | 'document'
}

/**
 * Means of red, green and blue, and mean, deviation and entropy (bits) of luminance, over non-transparent pixels; 0 to
 * 255.
 */
interface Figures {
  means: [number, number, number]
  luminance: number
  deviation: number
  entropy: number
}

/** Luminance histogram and channel sums. */
function measure({ data, channels }: Pick<Pixels, 'data' | 'channels'>): Figures {
  const bins = new Uint32Array(256)
  const isGrey = channels < 3
  const [sums, hasAlpha] = [[0, 0, 0] as [number, number, number], channels % 2 === 0]
  const [weightRed, weightGreen, weightBlue] = LUMINANCE
  const add = (all: boolean): void => {
    for (let at = 0; at < data.length; at += channels) {
      if (!all && data[at + channels - 1] === 0) continue
      const red = data[at]!
      const green = isGrey ? red : data[at + 1]!
      const blue = isGrey ? red : data[at + 2]!
      sums[0] += red
      sums[1] += green
      sums[2] += blue
      bins[Math.round(weightRed * red + weightGreen * green + weightBlue * blue)]! += 1
    }
  }
  add(!hasAlpha)
  // A fully transparent image shows nothing; then its hidden colours are used.
  if (bins.every((count) => count === 0)) add(true)
  const total = bins.reduce((sum, count) => sum + count, 0)
  const luminance = bins.reduce((sum, count, value) => sum + count * value, 0) / total
  const variance = bins.reduce((sum, count, value) => sum + count * (value - luminance) ** 2, 0) / total
  const entropy = bins.reduce((sum, count) => (count ? sum - (count / total) * Math.log2(count / total) : sum), 0)
  const means = sums.map((sum) => sum / total) as Figures['means']
  return { means, luminance, deviation: Math.sqrt(variance), entropy }
}

const score = (value: number): number => Math.round(Math.min(100, Math.max(0, value)))
const rounded = (value: number): number => Math.round(value * 100) / 100
const clamp = (value: number, low: number, high: number): number => rounded(Math.min(high, Math.max(low, value)))

/** Signed distance of a score from the ideal: the correction to add; 0 if none is needed. */
const missing = (value: number, low = 40, high = 60): number => (value < low || value > high ? 50 - value : 0)

/**
 * Towards warm (1) or cold (-1): a bluish image needs warming, a reddish one cooling; a green or magenta cast is not on
 * that axis.
 */
function directionOf([red, green, blue]: Figures['means']): number {
  const spread = Math.max(red, green, blue) - Math.min(red, green, blue)
  return spread === 0 ? 0 : (blue - red) / spread
}

function correctionsOf(scores: Analysis['scores'], means: Figures['means'], cast: number): Analysis['corrections'] {
  const direction = directionOf(means)
  const { exposure, contrast, whiteBalance, saturation, sharpness, noise } = scores
  const chroma = missing(saturation)
  return {
    brightness: clamp(missing(exposure) * 0.8, -60, 60),
    contrast: clamp(missing(contrast) * 0.6, -60, 60),
    temperature: direction * cast > 0 ? clamp(missing(whiteBalance) * 0.5 * direction, -60, 60) : 0,
    saturation: clamp(chroma * (chroma > 0 ? 0.6 : 0.4), -20, 30),
    sharpness: clamp(missing(sharpness, 40, 100), 0, 50),
    denoise: noise < 25 ? 5 : noise < 35 ? 3 : 0,
  }
}

function issuesOf(
  { exposure, contrast, whiteBalance, saturation, sharpness, noise }: Analysis['scores'],
  cast: number,
): string[] {
  const found: [boolean, string][] = [
    [exposure < 35, 'underexposed'],
    [exposure > 70, 'overexposed'],
    [contrast < 35, 'low-contrast'],
    [whiteBalance < 35 && cast !== 0, 'color-cast'],
    [saturation < 30, 'desaturated'],
    [sharpness < 35, 'soft-focus'],
    [noise < 30, 'noisy'],
  ]
  return found.flatMap(([isThere, issue]) => (isThere ? [issue] : []))
}

/** Scores an image by statistics alone; no model. Takes 8-bit sRGB, or grey with 1 or 2 channels. */
export function analysePicture(pixels: Pick<Pixels, 'data' | 'channels'>): Analysis {
  const { means, luminance, deviation, entropy } = measure(pixels)
  const isGrey = pixels.channels < 3
  const spread = Math.max(...means) - Math.min(...means)
  const scores = {
    exposure: score((luminance / 255) * 100),
    contrast: score(deviation / 1.2),
    whiteBalance: isGrey ? 50 : score(50 - spread * 0.8),
    saturation: isGrey ? 50 : score(spread * 1.2 + 20),
    sharpness: score(deviation * 0.8 + 10),
    noise: score(100 - (entropy - 5) * 20),
  }
  const { exposure, contrast, saturation } = scores
  const cast = castOf(pixels)
  return {
    scores,
    corrections: correctionsOf(scores, means, cast),
    issues: issuesOf(scores, cast),
    suggestedMode: exposure < 30 ? 'low-light' : contrast > 60 && saturation < 30 ? 'document' : 'auto',
  }
}
