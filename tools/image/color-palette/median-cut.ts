export type Colour = [number, number, number]

interface Bucket {
  colours: Colour[]
  /** The channel with the widest range, and that range. */
  channel: number
  range: number
}

function bucketOf(colours: Colour[]): Bucket {
  let [channel, range] = [0, -1]
  for (let index = 0; index < 3; index += 1) {
    let [low, high] = [255, 0]
    for (const colour of colours) {
      low = Math.min(low, colour[index]!)
      high = Math.max(high, colour[index]!)
    }
    if (high - low > range) [channel, range] = [index, high - low]
  }
  return { colours, channel, range }
}

/** Two halves at the median; colours of the same value stay together, so that a plain area is never in two buckets. */
function halved({ colours, channel }: Bucket): [Bucket, Bucket] {
  const sorted = [...colours].sort((one, other) => one[channel]! - other[channel]!)
  const median = sorted[sorted.length >> 1]![channel]!
  const below = sorted.findIndex((colour) => colour[channel] === median)
  const above = sorted.findIndex((colour) => colour[channel]! > median)
  const half = sorted.length / 2
  const cut = below === 0 || (above > 0 && above - half < half - below) ? above : below
  return [bucketOf(sorted.slice(0, cut)), bucketOf(sorted.slice(cut))]
}

/**
 * The dominant colours by median cut (P. Heckbert, "Color image quantization for frame buffer display", SIGGRAPH 1982):
 * the bucket with the widest range of a channel is halved until there are enough; each gives its mean.
 * @param data RGB, 8 bit, at least one pixel
 * @param count at most so many; fewer come back where there are fewer colours
 * @returns most frequent first
 */
export function dominantColours(data: Uint8Array, count: number): Colour[] {
  const pixels: Colour[] = []
  for (let at = 0; at + 2 < data.length; at += 3) pixels.push([data[at]!, data[at + 1]!, data[at + 2]!])
  const buckets = [bucketOf(pixels)]
  while (buckets.length < count) {
    const widest = buckets.reduce((one, other) => (other.range > one.range ? other : one))
    if (widest.range === 0) break
    buckets.splice(buckets.indexOf(widest), 1, ...halved(widest))
  }
  const found = new Map<string, { colour: Colour; size: number }>()
  for (const { colours } of buckets) {
    const mean = [0, 1, 2].map((channel) =>
      Math.round(colours.reduce((sum, colour) => sum + colour[channel]!, 0) / colours.length),
    ) as Colour
    const known = found.get(mean.join())
    found.set(mean.join(), { colour: mean, size: colours.length + (known?.size ?? 0) })
  }
  return [...found.values()].sort((one, other) => other.size - one.size).map(({ colour }) => colour)
}
