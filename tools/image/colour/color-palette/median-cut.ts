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
}

function bucketOf(shades: readonly Shade[]): Bucket {
  let [channel, range] = [0, -1]
  for (let index = 0; index < 3; index += 1) {
    let [low, high] = [255, 0]
    for (const { colour } of shades) {
      low = Math.min(low, colour[index]!)
      high = Math.max(high, colour[index]!)
    }
    if (high - low > range) [channel, range] = [index, high - low]
  }
  return { shades, weight: shades.reduce((sum, { weight }) => sum + weight, 0), channel, range }
}

/** The median of a channel, weighted by visible amount. */
function medianOf({ shades, weight }: Pick<Bucket, 'shades' | 'weight'>, channel: number): number {
  const amounts = new Float64Array(256)
  for (const { colour, weight: amount } of shades) amounts[colour[channel]!]! += amount
  let seen = 0
  return amounts.findIndex((amount) => {
    seen += amount
    return seen * 2 >= weight
  })
}

/**
 * Splits a bucket at the median; colours of the same value stay together, so that a plain area is never in two buckets.
 */
function halved(bucket: Bucket): [Bucket, Bucket] {
  const { shades, weight, channel } = bucket
  const median = medianOf(bucket, channel)
  const below = shades.filter(({ colour }) => colour[channel]! < median)
  const upTo = shades.filter(({ colour }) => colour[channel]! <= median)
  const unevenness = (part: readonly Shade[]): number => Math.abs(bucketOf(part).weight - weight / 2)
  const isBelow = below.length > 0 && (upTo.length === shades.length || unevenness(below) < unevenness(upTo))
  const lower = new Set(isBelow ? below : upTo)
  return [bucketOf([...lower]), bucketOf(shades.filter((shade) => !lower.has(shade)))]
}

/**
 * The representative colour of a bucket: the existing colour nearest to the median of each channel. A mean would be a
 * colour that does not occur in the image if a bucket holds two.
 */
function typicalOf(bucket: Bucket): Colour {
  const middle = [0, 1, 2].map((channel) => medianOf(bucket, channel))
  const distance = ({ colour }: Shade): number =>
    colour.reduce((sum, value, channel) => sum + (value - middle[channel]!) ** 2, 0)
  return bucket.shades.reduce((best, shade) => {
    const nearer = distance(best) - distance(shade)
    return nearer > 0 || (nearer === 0 && shade.weight > best.weight) ? shade : best
  }).colour
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
    const colour = typicalOf(bucket)
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
