export type Colour = readonly [number, number, number]

/** Lists of numbers, not of objects, which take several times as long. */
export interface Shades {
  /** Each colour once, 0xRRGGBB. */
  colours: Uint32Array
  /** Their visible amounts: sums of alpha, whole numbers, so that all sums are exact. */
  weights: Uint32Array
}

interface Bucket {
  shades: Shades
  weight: number
  /** How far the channel with the widest range is shifted in a colour, and that range. */
  shift: number
  range: number
  /** The colour that represents the bucket, once it was needed. */
  typical?: Colour
}

/** How far red, green and blue are shifted in a colour. */
const SHIFTS = [16, 8, 0] as const

const colourOf = (value: number): Colour => [value >> 16, (value >> 8) & 255, value & 255]

function bucketOf(shades: Shades): Bucket {
  let [widest, range] = [0, -1]
  for (const shift of SHIFTS) {
    let [low, high] = [255, 0]
    for (const colour of shades.colours) {
      const value = (colour >> shift) & 255
      if (value < low) low = value
      if (value > high) high = value
    }
    if (high - low > range) [widest, range] = [shift, high - low]
  }
  let weight = 0
  for (const amount of shades.weights) weight += amount
  return { shades, weight, shift: widest, range }
}

/**
 * The median of a channel, weighted by visible amount.
 * @returns the value, and the amounts of the shades below it and up to it
 */
function medianOf({ shades, weight }: Bucket, shift: number): { value: number; below: number; upTo: number } {
  const { colours, weights } = shades
  const amounts = new Float64Array(256)
  for (let at = 0; at < colours.length; at += 1)
    amounts[((colours[at] as number) >> shift) & 255]! += weights[at] as number
  let [value, below, upTo] = [-1, 0, 0]
  while (value < 255 && upTo * 2 < weight) {
    value += 1
    below = upTo
    upTo += amounts[value]!
  }
  return { value, below, upTo }
}

/**
 * Splits a bucket at the median; colours of the same value stay together, so that a plain area is never in two buckets.
 */
function halved(bucket: Bucket): [Bucket, Bucket] {
  const { weight, shift } = bucket
  const { value, below, upTo } = medianOf(bucket, shift)
  const unevenness = (part: number): number => Math.abs(part - weight / 2)
  const isBelow = below > 0 && (upTo >= weight || unevenness(below) < unevenness(upTo))
  const [lower, upper] = parted(bucket.shades, shift, isBelow ? value - 1 : value)
  return [bucketOf(lower), bucketOf(upper)]
}

/** The shades whose value in a channel is at most `last`, and the others. */
function parted({ colours, weights }: Shades, shift: number, last: number): [Shades, Shades] {
  let count = 0
  for (const colour of colours) if (((colour >> shift) & 255) <= last) count += 1
  const empty = (length: number): Shades => ({ colours: new Uint32Array(length), weights: new Uint32Array(length) })
  const [lower, upper] = [empty(count), empty(colours.length - count)]
  let [low, high] = [0, 0]
  for (let at = 0; at < colours.length; at += 1) {
    const isLower = (((colours[at] as number) >> shift) & 255) <= last
    const [part, index] = isLower ? [lower, low++] : [upper, high++]
    part.colours[index] = colours[at] as number
    part.weights[index] = weights[at] as number
  }
  return [lower, upper]
}

/**
 * The representative colour of a bucket: the existing colour nearest to the median of each channel. A mean would be a
 * colour that does not occur in the image if a bucket holds two.
 */
function typicalOf(bucket: Bucket): Colour {
  const { colours, weights } = bucket.shades
  const [red, green, blue] = SHIFTS.map((shift) => medianOf(bucket, shift).value) as unknown as Colour
  let [best, least] = [0, Number.POSITIVE_INFINITY]
  for (let at = 0; at < colours.length; at += 1) {
    const colour = colours[at] as number
    const distance = ((colour >> 16) - red) ** 2 + (((colour >> 8) & 255) - green) ** 2 + ((colour & 255) - blue) ** 2
    if (distance < least || (distance === least && (weights[at] as number) > (weights[best] as number)))
      [best, least] = [at, distance]
  }
  return colourOf(colours[best]!)
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
 * @param count maximum number of colours; returns fewer if there are fewer distinguishable colours
 * @returns most frequent first
 */
export function dominantColours(shades: Shades, count: number): Colour[] {
  if (shades.colours.length === 0) return []
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
