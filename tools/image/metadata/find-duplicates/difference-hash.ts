import type { Sharp } from '../../../../src/engines/sharp.ts'
import type { ImageFrame } from '../../../../src/media/image/frame.ts'
import { areaMeans } from './area-means.ts'

/** Bits of a hash: 64 of rows, 64 of columns. */
export const HASH_BITS = 128

/** The fingerprint of a picture, for comparison with others. */
export interface Fingerprint {
  /** How much brighter each cell is than its neighbour, grey levels; the hash has a bit for each, set above 0. */
  steps: Float32Array
  /** Mean red, green and blue, 0 to 255. */
  colour: readonly number[]
  /** How many of the steps are more than the noise of a copy. */
  telling: number
  /** The same of how much is covered, where not all is: laid on white, a white drawing would be as an empty page. */
  cover?: Fingerprint
}

/** Grey levels: copies in other sizes and qualities move a step by less, so a bit that turns by less says nothing. */
const NOISE = 1

/** With fewer significant steps a picture is nearly plain: others have the same hash by chance. */
const PLAIN_BELOW = 16

/** How far the mean colours of nearly plain copies may be apart, in each channel. */
const PLAIN_APART = 8

/**
 * The difference hash (N. Krawetz, "Kind of Like That", 2013) in both directions: how much brighter each cell of an 8 x 8
 * grid is than its right neighbour, then than the one below. A cell is the mean of all pixels in it: JPEG's own
 * shrinking and a kernel's ringing would turn bits between a picture and its smaller copy.
 * @param frame of one page, in sRGB
 */
export async function fingerprintOf(frame: ImageFrame): Promise<Fingerprint> {
  const settled = await frame.settled()
  const shown = settled.hasAlpha ? await laidOnWhite(settled) : settled
  const image = await shown.pipeline()
  // The name of the colour space brings 16 bit to 8; the depth alone would clip them.
  const print = await printOf(image.clone().greyscale().toColourspace('b-w'), image.toColourspace('srgb'))
  if (!settled.hasAlpha) return print
  const alpha = (await settled.pipeline()).extractChannel('alpha').toColourspace('b-w')
  const cover = await printOf(alpha, alpha.clone())
  return cover.telling === 0 && cover.colour[0] === 255 ? print : { ...print, cover }
}

/** As pixels: of a file, a small copy would be read whose clear pixels have mixed with the others. */
async function laidOnWhite(frame: ImageFrame): Promise<ImageFrame> {
  const opaque = (await frame.pipeline()).flatten({ background: '#ffffff' }).toColourspace('srgb')
  const { data, info } = await opaque.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  return frame.withPixels({ width, height, channels, pageHeight: height, data })
}

/** @param grey of one channel of 8 bit @param coloured the same picture, for its mean */
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

/** In how many bits two hashes differ (Hamming distance), those left out that only noise has turned. */
export function hashDistance(a: Fingerprint, b: Fingerprint): number {
  let distance = 0
  for (let index = 0; index < HASH_BITS; index += 1) {
    const [one, other] = [a.steps[index]!, b.steps[index]!]
    if (one > 0 !== other > 0 && Math.abs(one - other) > NOISE) distance += 1
  }
  return distance
}

/**
 * Whether one looks like a copy of the other. If both are partly transparent, they must be so in the same places; a copy
 * without transparency is recognised by its content, which must be more than a plain area.
 */
export function isCopy(a: Fingerprint, b: Fingerprint, threshold: number): boolean {
  if (!looksAlike(a, b, threshold)) return false
  if (a.cover && b.cover) return looksAlike(a.cover, b.cover, threshold)
  return a.cover === b.cover || Math.min(a.telling, b.telling) >= PLAIN_BELOW
}

/**
 * Nearly plain pictures, whose bits are almost all alike, must agree in colour and in most of the steps that they have.
 */
function looksAlike(a: Fingerprint, b: Fingerprint, threshold: number): boolean {
  const distance = hashDistance(a, b)
  if (distance > threshold) return false
  const [fewer, more] = [Math.min(a.telling, b.telling), Math.max(a.telling, b.telling)]
  if (fewer >= PLAIN_BELOW) return true
  if (a.colour.some((value, channel) => Math.abs(value - b.colour[channel]!) > PLAIN_APART)) return false
  return distance <= fewer / 4 && more <= 2 * Math.max(fewer, 1)
}
