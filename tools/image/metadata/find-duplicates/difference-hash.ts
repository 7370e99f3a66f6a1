import type { Sharp } from '../../../../src/engines/sharp.ts'
import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import { areaMeans } from './area-means.ts'

/** Bits of a hash: 64 of rows, 64 of columns. */
export const HASH_BITS = 128

/** The fingerprint by which copies of an image are detected. */
export interface Fingerprint {
  /** Brightness difference of each cell to its neighbour, grey levels; the hash has a bit for each, set if above 0. */
  steps: Float32Array
  /** Mean red, green and blue, 0 to 255. */
  colour: readonly number[]
  /** Number of differences above the noise of a copy. */
  telling: number
  /**
   * The same for alpha, if the image is partly transparent: on white, a white drawing would look like an empty page.
   */
  cover?: Fingerprint
}

/**
 * Grey levels: copies of other sizes and qualities change a difference by less, so a bit that flips by less is ignored.
 */
const NOISE = 1

/** With fewer significant differences an image is nearly plain: other images share its hash by chance. */
const PLAIN_BELOW = 16

/** Maximum difference of the mean colours of nearly plain copies, in each channel. */
const PLAIN_APART = 8

/**
 * The difference hash (N. Krawetz, "Kind of Like That", 2013) in both directions: how much brighter each cell of an 8 x
 * 8 grid is than its right neighbour, then than the one below. A cell is the mean of all its pixels: JPEG's
 * shrink-on-load and a kernel's ringing would flip bits between an image and its smaller copy.
 * @param frame of one page, in sRGB
 */
export async function fingerprintOf(frame: ImageFrame): Promise<Fingerprint> {
  const settled = await frame.settled()
  const shown = settled.hasAlpha ? await laidOnWhite(settled) : settled
  const image = await shown.pipeline()
  // Converting the colour space by name maps 16 bits to 8; changing only the depth would clip them.
  const print = await printOf(image.clone().greyscale().toColourspace('b-w'), image.toColourspace('srgb'))
  if (!settled.hasAlpha) return print
  const alpha = (await settled.pipeline()).extractChannel('alpha').toColourspace('b-w')
  const cover = await printOf(alpha, alpha.clone())
  return cover.telling === 0 && cover.colour[0] === 255 ? print : { ...print, cover }
}

/** As pixels: reading the file could shrink on load, which mixes transparent pixels with the others. */
async function laidOnWhite(frame: ImageFrame): Promise<ImageFrame> {
  const opaque = (await frame.pipeline()).flatten({ background: '#ffffff' }).toColourspace('srgb')
  const { data, info } = await opaque.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  return frame.withPixels({ width, height, channels, pageHeight: height, data })
}

/** @param grey one 8-bit channel @param coloured the same image, for its mean */
async function printOf(grey: Sharp, coloured: Sharp): Promise<Fingerprint> {
  const mean = coloured.clone().resize(1, 1, { fit: 'fill' }).raw({ depth: 'uchar' })
  const { data, info } = await grey.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  const rows = areaMeans(data, info, { columns: 9, rows: 8 })
  const columns = areaMeans(data, info, { columns: 8, rows: 9 })
  const steps = new Float32Array(HASH_BITS)
  for (let y = 0; y < 8; y += 1)
    for (let x = 0; x < 8; x += 1) {
      steps[y * 8 + x] = rows[y * 9 + x]! - rows[y * 9 + x + 1]!
      steps[64 + y * 8 + x] = columns[y * 8 + x]! - columns[(y + 1) * 8 + x]!
    }
  return { steps, colour: [...(await mean.toBuffer())], telling: steps.filter((step) => Math.abs(step) > NOISE).length }
}

/** The number of differing bits of two hashes (Hamming distance), without those flipped only by noise. */
export function hashDistance(a: Fingerprint, b: Fingerprint): number {
  let distance = 0
  for (let index = 0; index < HASH_BITS; index += 1) {
    const [one, other] = [a.steps[index]!, b.steps[index]!]
    if (one > 0 !== other > 0 && Math.abs(one - other) > NOISE) distance += 1
  }
  return distance
}

/**
 * Whether one image looks like a copy of the other. If both are partly transparent, it must be in the same places; a
 * copy without transparency is matched by its visible content, which must be more than a plain area.
 */
export function isCopy(a: Fingerprint, b: Fingerprint, threshold: number): boolean {
  if (!looksAlike(a, b, threshold)) return false
  if (a.cover && b.cover) return looksAlike(a.cover, b.cover, threshold)
  return a.cover === b.cover || Math.min(a.telling, b.telling) >= PLAIN_BELOW
}

/** Nearly plain images, whose bits are almost all alike, must match in colour and in most of their differences. */
function looksAlike(a: Fingerprint, b: Fingerprint, threshold: number): boolean {
  const distance = hashDistance(a, b)
  if (distance > threshold) return false
  const [fewer, more] = [Math.min(a.telling, b.telling), Math.max(a.telling, b.telling)]
  if (fewer >= PLAIN_BELOW) return true
  if (a.colour.some((value, channel) => Math.abs(value - b.colour[channel]!) > PLAIN_APART)) return false
  return distance <= fewer / 4 && more <= 2 * Math.max(fewer, 1)
}
