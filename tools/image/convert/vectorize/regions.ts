/** Divides a drawing into regions of one colour each; the soft pixels of an edge join one of its sides. */
import { flatOnes, pureOnes } from './flat.ts'
import { get, type Plane } from './plane.ts'

export interface Region {
  /** Red, green, blue and alpha. */
  colour: readonly number[]
  /** Pixels. */
  area: number
  left: number
  top: number
  right: number
  bottom: number
}

export interface Regions {
  /** The number of each pixel's region: an index into `regions`. */
  numbers: Int32Array
  regions: Region[]
}

export interface RegionSettings {
  /** Significant bits per channel, 1 to 8. */
  precision: number
  /** Minimum difference between two colours, 0 to 255. */
  layerDifference: number
  /** Smaller areas are omitted, pixels. */
  filterSpeckle: number
}

/** Colours of a drawing, at most; the most frequent. */
const MAX_COLOURS = 256
/** Search radius for the colours on both sides of an edge, px. */
const REACH = 3
/** A thin line has a colour of its own if it differs by this from all others, in one channel. */
const OWN = 40
/** Areas smaller than `area`, px, that differ by less than `difference` from a neighbour are noise: exact and lossy images. */
const NOISE = { exact: { area: 16, difference: 12 }, lossy: { area: 400, difference: 48 } } as const
/** In a lossy image, less than this share of the flat pixels has exactly the colour of its area. */
const EXACT = 0.97

type Colour = number[]

const differenceOf = (one: ArrayLike<number>, other: ArrayLike<number>): number => {
  let most = 0
  for (let channel = 0; channel < 4; channel += 1)
    most = Math.max(most, Math.abs(get(one, channel) - get(other, channel)))
  return most
}

/** Adds the frequent colours of the selected pixels that differ from those that are known. */
function addColours(
  palette: Colour[],
  data: Uint8Array,
  isCounted: (at: number) => boolean,
  shift: number,
  least: number,
): void {
  const counts = new Map<number, { count: number; sum: Colour }>()
  for (let at = 0; at * 4 < data.length; at += 1) {
    if (!isCounted(at)) continue
    let key = 0
    for (let channel = 0; channel < 4; channel += 1) key = key * 256 + (get(data, at * 4 + channel) >> shift)
    let bin = counts.get(key)
    if (!bin) {
      bin = { count: 0, sum: [0, 0, 0, 0] }
      counts.set(key, bin)
    }
    bin.count += 1
    for (let channel = 0; channel < 4; channel += 1)
      bin.sum[channel] = get(bin.sum, channel) + get(data, at * 4 + channel)
  }
  for (const { count, sum } of [...counts.values()].sort((one, other) => other.count - one.count)) {
    if (palette.length >= MAX_COLOURS) return
    const colour = sum.map((value) => Math.round(value / count))
    if (palette.every((known) => differenceOf(known, colour) >= least)) palette.push(colour)
  }
}

/** The palette index of each pixel. */
function labelsOf(
  picture: Plane<Uint8Array>,
  flat: Uint8Array,
  palette: Colour[],
  settings: RegionSettings,
): Int32Array {
  const { data, width, height } = picture
  const pure = pureOnes(picture)
  const shift = 8 - settings.precision
  const least = Math.max(settings.layerDifference, 2 ** shift, 1)
  addColours(palette, data, (at) => flat[at] === 1, shift, least)
  const solid = palette.length
  addColours(palette, data, (at) => flat[at] === 0 && pure[at] === 1, Math.max(shift, 5), Math.max(least, OWN))
  const far = (at: number, index: number): number => {
    const colour = palette[index] as Colour
    let sum = 0
    for (let channel = 0; channel < 4; channel += 1) sum += (get(data, at * 4 + channel) - get(colour, channel)) ** 2
    return sum
  }
  const nearest = (at: number, candidates: Iterable<number>): number => {
    let [best, distance] = [0, Number.POSITIVE_INFINITY]
    for (const index of candidates) {
      const found = far(at, index)
      if (found < distance) [best, distance] = [index, found]
    }
    return best
  }
  const labels = new Int32Array(width * height).fill(-1)
  const known = new Map<number, number>()
  const colours = new Uint32Array(data.buffer, data.byteOffset, width * height)
  const solids = palette.slice(0, solid).keys()
  const solidIndexes = [...solids]
  for (let at = 0; at < labels.length; at += 1) {
    if (flat[at] === 0) continue
    const colour = get(colours, at)
    let label = known.get(colour)
    if (label === undefined) {
      label = nearest(at, solidIndexes)
      known.set(colour, label)
    }
    labels[at] = label
  }
  const thin = [...palette.keys()].slice(solid)
  const settled = labels.slice()
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1) {
      if (settled[at] !== -1) continue
      const around = new Set<number>()
      for (let row = Math.max(0, y - REACH); row <= Math.min(height - 1, y + REACH); row += 1)
        for (let column = Math.max(0, x - REACH); column <= Math.min(width - 1, x + REACH); column += 1) {
          const label = get(settled, row * width + column)
          if (label !== -1) around.add(label)
        }
      // Far from flat colour, in the noise of JPEG, every colour of the drawing is possible.
      const candidates = around.size === 0 ? palette.keys() : pure[at] === 1 ? [...around, ...thin] : around
      labels[at] = nearest(at, candidates)
    }
  return labels
}

/** Numbers the connected pixels of equal label. */
function connect(labels: Int32Array, width: number, height: number, palette: readonly Colour[]): Regions {
  const numbers = new Int32Array(labels.length).fill(-1)
  const regions: Region[] = []
  const queue: number[] = []
  for (let start = 0; start < labels.length; start += 1) {
    if (numbers[start] !== -1) continue
    const label = get(labels, start)
    const number = regions.length
    const region = { colour: palette[label] as Colour, area: 0, left: width, top: height, right: 0, bottom: 0 }
    regions.push(region)
    numbers[start] = number
    queue.push(start)
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)]
      region.area += 1
      region.left = Math.min(region.left, x)
      region.right = Math.max(region.right, x)
      region.top = Math.min(region.top, y)
      region.bottom = Math.max(region.bottom, y)
      const visit = (place: number): void => {
        if (labels[place] !== label || numbers[place] !== -1) return
        numbers[place] = number
        queue.push(place)
      }
      if (x > 0) visit(at - 1)
      if (x < width - 1) visit(at + 1)
      if (y > 0) visit(at - width)
      if (y < height - 1) visit(at + width)
    }
  }
  return { numbers, regions }
}

/** Gives the pixels of small regions to the neighbour with the longest common side. Returns whether any changed. */
function absorb(
  labels: Int32Array,
  { numbers, regions }: Regions,
  width: number,
  { filterSpeckle }: RegionSettings,
  noise: { area: number; difference: number },
): boolean {
  const isSmall = regions.map(({ area }) => area < Math.max(filterSpeckle, noise.area))
  if (!isSmall.includes(true)) return false
  const sides = new Map<number, Map<number, number>>()
  const meet = (one: number, other: number): void => {
    const [number, next] = [get(numbers, one), get(numbers, other)]
    if (number === next || !isSmall[number]) return
    let counts = sides.get(number)
    if (!counts) {
      counts = new Map()
      sides.set(number, counts)
    }
    counts.set(next, (counts.get(next) ?? 0) + 1)
  }
  const labelOf = new Map<number, number>()
  for (let at = 0; at < numbers.length; at += 1) {
    labelOf.set(get(numbers, at), get(labels, at))
    for (const other of [at % width < width - 1 ? at + 1 : -1, at + width]) {
      if (other < 0 || other >= numbers.length) continue
      meet(at, other)
      meet(other, at)
    }
  }
  const into = new Map<number, number>()
  for (const [number, counts] of sides) {
    const { area, colour } = regions[number] as Region
    const larger = [...counts].filter(([next]) => (regions[next] as Region).area > area)
    const [best] = larger.sort((one, other) => other[1] - one[1])
    if (!best) continue
    const isNoise = area < filterSpeckle || differenceOf(colour, (regions[best[0]] as Region).colour) < noise.difference
    if (isNoise) into.set(number, labelOf.get(best[0]) ?? 0)
  }
  if (into.size === 0) return false
  for (let at = 0; at < labels.length; at += 1) labels[at] = into.get(get(numbers, at)) ?? get(labels, at)
  return true
}

/** Whether the flat areas of an image vary, as after JPEG. */
function isLossy(
  { data }: Plane<Uint8Array>,
  flat: Uint8Array,
  labels: Int32Array,
  palette: readonly Colour[],
): boolean {
  let [exact, all] = [0, 0]
  for (let at = 0; at < flat.length; at += 1) {
    if (flat[at] === 0) continue
    all += 1
    const colour = palette[get(labels, at)] as Colour
    if (differenceOf(colour, data.subarray(at * 4, at * 4 + 4)) === 0) exact += 1
  }
  return exact < EXACT * all
}

/** @param picture RGBA samples */
export function regionsOf(picture: Plane<Uint8Array>, settings: RegionSettings): Regions {
  const { width, height } = picture
  const palette: Colour[] = []
  const flat = flatOnes(picture)
  const labels = labelsOf(picture, flat, palette, settings)
  const noise = isLossy(picture, flat, labels, palette) ? NOISE.lossy : NOISE.exact
  let found = connect(labels, width, height, palette)
  // A small region next to another small one may need a second pass.
  for (let pass = 0; pass < 4 && absorb(labels, found, width, settings, noise); pass += 1)
    found = connect(labels, width, height, palette)
  return found
}
