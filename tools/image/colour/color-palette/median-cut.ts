import { firstOf } from '../../../../src/lists.ts'

export type Colour = readonly [number, number, number]

/** A colour and its visible amount. */
export interface Shade {
  colour: Colour
  weight: number
}

interface Bucket {
  shades: readonly Shade[]
  weight: number
  /** The channel with the widest range, and that range. */
  channel: number
  range: number
  /** The colour that represents the bucket, once it was needed. */
  typical?: Colour
}

function bucketOf(shades: readonly Shade[]): Bucket {
  let [channel, range] = [0, -1]
  for (let index = 0; index < 3; index += 1) {
    let [low, high] = [255, 0]
    for (const { colour } of shades) {
      const value = colour[index]!
      if (value < low) low = value
      if (value > high) high = value
    }
    if (high - low > range) [channel, range] = [index, high - low]
  }
  return { shades, weight: shades.reduce((sum, { weight }) => sum + weight, 0), channel, range }
}

/** The median of a channel, weighted by visible amount. */
function medianOf({ shades, weight }: Pick<Bucket, 'shades' | 'weight'>, channel: number): number {
  const amounts = new Float64Array(256)
  for (const { colour, weight: amount } of shades) amounts[colour[channel]!]! += amount
  let [value, seen] = [-1, 0]
  while (value < 255 && seen * 2 < weight) {
    value += 1
    seen += amounts[value]!
  }
  return value
}

/**
 * Splits a bucket at the median; colours of the same value stay together, so that a plain area is never in two buckets.
 */
function halved(bucket: Bucket): [Bucket, Bucket] {
  const { shades, weight, channel } = bucket
  const median = medianOf(bucket, channel)
  const [below, upTo] = [bucketOf(upToValue(bucket, median - 1)), bucketOf(upToValue(bucket, median))]
  const unevenness = (part: Bucket): number => Math.abs(part.weight - weight / 2)
  const isBelow =
    below.shades.length > 0 && (upTo.shades.length === shades.length || unevenness(below) < unevenness(upTo))
  const last = isBelow ? median - 1 : median
  return [isBelow ? below : upTo, bucketOf(shades.filter(({ colour }) => colour[channel]! > last))]
}

/** The shades of a bucket whose value in its widest channel is at most `last`. */
function upToValue({ shades, channel }: Bucket, last: number): Shade[] {
  return shades.filter(({ colour }) => colour[channel]! <= last)
}

/**
 * The representative colour of a bucket: the existing colour nearest to the median of each channel. A mean would be a
 * colour that does not occur in the image if a bucket holds two.
 */
function typicalOf(bucket: Bucket): Colour {
  const middle = [0, 1, 2].map((channel) => medianOf(bucket, channel)) as unknown as Colour
  let [best, least] = [firstOf(bucket.shades), Number.POSITIVE_INFINITY]
  for (const shade of bucket.shades) {
    const distance = squaredDistance(shade.colour, middle)
    if (distance < least || (distance === least && shade.weight > best.weight)) [best, least] = [shade, distance]
  }
  return best.colour
}

function squaredDistance([red, green, blue]: Colour, other: Colour): number {
  return (red - other[0]) ** 2 + (green - other[1]) ** 2 + (blue - other[2]) ** 2
}

/**
 * Colours that differ by no more than this in any channel look the same next to each other: the edges and noise of one
 * area.
 */
const SAME_LOOK = 6

/** Minimum amount of a colour that replaces a similar-looking one: edges are not areas. */
const LEAST_SHARE = 0.01

/** The colours of buckets, most frequent first; similar-looking ones are merged. */
function distinctColours(buckets: readonly Bucket[]): Colour[] {
  const found: { colour: Colour; weight: number }[] = []
  for (const bucket of [...buckets].sort((one, other) => other.weight - one.weight)) {
    bucket.typical ??= typicalOf(bucket)
    const colour = bucket.typical
    const alike = found.find((one) => one.colour.every((value, at) => Math.abs(value - colour[at]!) <= SAME_LOOK))
    if (alike) alike.weight += bucket.weight
    else found.push({ colour, weight: bucket.weight })
  }
  return found.sort((one, other) => other.weight - one.weight).map(({ colour }) => colour)
}

/**
 * The dominant colours by median cut (P. Heckbert, "Color image quantization for frame buffer display", SIGGRAPH 1982):
 * splits the bucket with the widest range of a channel until there are enough; each bucket yields one of its colours.
 * @param shades each colour once
 * @param count maximum number of colours; returns fewer if there are fewer distinguishable colours
 * @returns most frequent first
 */
export function dominantColours(shades: readonly Shade[], count: number): Colour[] {
  if (shades.length === 0) return []
  const whole = bucketOf(shades)
  const buckets = [whole]
  let found = distinctColours(buckets)
  while (found.length < count) {
    const least = buckets.length < count ? 0 : whole.weight * LEAST_SHARE
    const divisible = buckets.filter(({ range, weight }) => range > 0 && weight >= least)
    if (divisible.length === 0) break
    const widest = divisible.reduce((one, other) => (other.range > one.range ? other : one))
    buckets.splice(buckets.indexOf(widest), 1, ...halved(widest))
    if (buckets.length >= count) found = distinctColours(buckets)
  }
  return distinctColours(buckets).slice(0, count)
}
