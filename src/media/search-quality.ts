/** How far and how long a search goes; values are whole numbers. */
export interface SearchOptions {
  /** The lowest value that is tried; default 1. */
  lowest?: number
  /** The highest value that is tried; default 100. */
  highest?: number
  /** The value that is tried first; by default the middle. */
  first?: number
  /** The part of the budget that is enough after four tries; default 0.95. */
  nearly?: number
  /** After so many tries any result that fits is enough; by default the search continues towards the budget. */
  enough?: number
  /** How sizes follow values; by default as those of pictures follow a quality. */
  curve?: Curve
  /** Told after every try: 0 to 1. */
  onProgress?: (fraction: number) => void
}

/** What is known of sizes before anything was made: their logarithm grows by `slope` for every unit of `place`. */
export interface Curve {
  place: (value: number) => number
  slope: number
}

export interface Found<Result> {
  data: Result
  quality: number
  /** Whether the result is within the budget; else it is the smallest there was. */
  met: boolean
}

/** At most so many encodes, enough to tell 100 qualities apart (catalogue: compress, compress-pdf, image-to-pdf). */
const MOST_TRIES = 8

/** After so many encodes nearly as good will do: each may take seconds. */
const USUAL_TRIES = 4

/** From this part of the budget on nothing visible is left to gain. */
export const CLOSE_ENOUGH = 0.97

/** The same after the usual number of tries. */
const NEARLY = 0.95

/** What is aimed at, so that a small error to either side is still close enough. Part of the budget. */
const AIM = (1 + CLOSE_ENOUGH) / 2

/**
 * The steps of a JPEG quantiser grow like this as the quality falls (libjpeg, `jpeg_quality_scaling`); sizes follow them
 * nearly as a power. Other encoders differ, but the course is the same. The slope was measured over mozjpeg's sizes of
 * photographs and drawings.
 */
export const QUALITY_CURVE: Curve = {
  place: (quality) => -Math.log(quality < 50 ? 5000 / quality : Math.max(1.5, 200 - 2 * quality)),
  slope: 0.7,
}

/** One try: its value, and the logarithm of its size over what is aimed at. */
interface Try {
  value: number
  over: number
}

/** What the tries so far say. */
interface Bracket {
  /** The largest value that fits, and the smallest that does not. */
  below?: Try
  above?: Try
  last?: 'below' | 'above'
  /** How many tries before the last fell on its side, in a row. */
  repeated: number
}

function narrowed(bracket: Bracket, value: number, over: number, fits: boolean): Bracket {
  const last = fits ? 'below' : 'above'
  return { ...bracket, [last]: { value, over }, last, repeated: bracket.last === last ? bracket.repeated + 1 : 0 }
}

/**
 * Where a size of just the budget is to be expected: on the straight line between the nearest tries, or along the curve while
 * all lie on one side. An end that did not move counts half each time, so that the other cannot creep towards it (the
 * Illinois method).
 */
function expectedPlace({ below, above, last, repeated }: Bracket, { place, slope }: Curve): number {
  const weight = 2 ** repeated
  if (!below || !above) {
    const { value, over } = (below ?? above)!
    return place(value) - (over / slope) * weight
  }
  const low = last === 'above' ? below.over / weight : below.over
  const high = last === 'below' ? above.over / weight : above.over
  return place(below.value) + ((place(above.value) - place(below.value)) * low) / (low - high)
}

/** The value of a range whose place is nearest. */
function valueAt(wanted: number, low: number, high: number, { place }: Curve): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (place(middle) < wanted) from = middle + 1
    else to = middle
  }
  return from > low && wanted - place(from - 1) < place(from) - wanted ? from - 1 : from
}

/**
 * The largest result within a budget that a search over the quality finds, or the smallest there is. It goes by the sizes
 * that it has seen, and stops early when a result is within 3 % below the budget, after four encodes within `nearly`.
 * @param encode makes a result at a quality; the search takes it that sizes hardly ever fall as the quality grows
 * @param budget the largest `length` that is wanted, in bytes
 */
export async function searchQuality<Result extends { readonly length: number }>(
  encode: (quality: number) => Promise<Result>,
  budget: number,
  {
    lowest = 1,
    highest = 100,
    first,
    enough = MOST_TRIES,
    nearly = NEARLY,
    curve = QUALITY_CURVE,
    onProgress,
  }: SearchOptions = {},
): Promise<Found<Result>> {
  let low = lowest
  let high = highest
  let quality = Math.min(highest, Math.max(lowest, first ?? Math.floor((low + high) / 2)))
  let best: { data: Result; quality: number } | undefined
  let smallest: { data: Result; quality: number } | undefined
  let bracket: Bracket = { repeated: 0 }
  for (let tries = 1; low <= high && tries <= MOST_TRIES; tries += 1) {
    const data = await encode(quality)
    onProgress?.(tries / MOST_TRIES)
    const { length } = data
    const fits = length <= budget
    if (!smallest || length < smallest.data.length) smallest = { data, quality }
    if (fits && (!best || length > best.data.length)) best = { data, quality }
    if (fits && length >= budget * CLOSE_ENOUGH) break
    if (tries >= USUAL_TRIES && best && best.data.length >= budget * nearly) break
    if (tries >= enough && best) break
    if (fits) low = quality + 1
    else high = quality - 1
    bracket = narrowed(bracket, quality, Math.log(length / (budget * AIM)), fits)
    // A curve that is like no picture's must not use up the tries.
    const halves = tries > USUAL_TRIES && bracket.below && bracket.above
    quality = halves ? Math.floor((low + high) / 2) : valueAt(expectedPlace(bracket, curve), low, high, curve)
  }
  return best ? { ...best, met: true } : { ...smallest!, met: false }
}
