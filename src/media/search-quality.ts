/** Range and effort of a search; values are integers. */
export interface SearchOptions {
  /** The lowest value to try; default 1. */
  lowest?: number
  /** The highest value to try; default 100. */
  highest?: number
  /** The first value to try; by default the middle. */
  first?: number
  /** Share of the budget that is accepted after four tries; default 0.95. */
  nearly?: number
  /**
   * After this number of tries, any result that fits is accepted; by default the search continues towards the budget.
   */
  enough?: number
  /** How sizes depend on values; by default like images on quality. */
  curve?: Curve
  /** Called after every try: 0 to 1. */
  onProgress?: (fraction: number) => void
}

/** Assumption about sizes before the first try: their logarithm grows by `slope` for every unit of `place`. */
export interface Curve {
  place: (value: number) => number
  slope: number
}

export interface Found<Result> {
  data: Result
  quality: number
  /** Whether the result is within the budget; otherwise it is the smallest result. */
  met: boolean
}

/** Maximum number of encodes, enough to distinguish 100 qualities (catalogue: compress, compress-pdf, image-to-pdf). */
const MOST_TRIES = 8

/** After this number of encodes, a nearly optimal result is accepted: each encode may take seconds. */
const USUAL_TRIES = 4

/** From this share of the budget, further search gives no visible gain. */
export const CLOSE_ENOUGH = 0.97

/** The same after the usual number of tries. */
const NEARLY = 0.95

/** Target size, so that a small error in either direction is still close enough. Share of the budget. */
const AIM = (1 + CLOSE_ENOUGH) / 2

/**
 * JPEG quantizer steps grow like this as the quality decreases (libjpeg, `jpeg_quality_scaling`); sizes follow them
 * approximately as a power. Other encoders differ, but the shape is the same. The slope was measured on mozjpeg's sizes
 * of photographs and drawings.
 */
export const QUALITY_CURVE: Curve = {
  place: (quality) => -Math.log(quality < 50 ? 5000 / quality : Math.max(1.5, 200 - 2 * quality)),
  slope: 0.7,
}

/** One try: its value, and the logarithm of its size relative to the target. */
interface Try {
  value: number
  over: number
}

/** The state after the tries so far. */
interface Bracket {
  /** The largest value that fits, and the smallest that does not. */
  below?: Try
  above?: Try
  last?: 'below' | 'above'
  /** The number of consecutive tries before the last one on the same side. */
  repeated: number
}

function narrowed(bracket: Bracket, value: number, over: number, fits: boolean): Bracket {
  const last = fits ? 'below' : 'above'
  return { ...bracket, [last]: { value, over }, last, repeated: bracket.last === last ? bracket.repeated + 1 : 0 }
}

/**
 * The expected position of a result that exactly meets the budget: on the straight line between the nearest tries, or
 * along the curve while all are on one side. The weight of an end that did not move is halved each time, so that the
 * other does not converge slowly (Illinois method).
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

/** The value in a range whose place is nearest. */
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
 * Searches for the largest result within a budget over the quality range, or the smallest possible result. It is guided
 * by the sizes found, and stops early when a result is within 3 % below the budget, or within `nearly` after four
 * encodes.
 * @param encode creates a result at a quality; the search assumes that sizes rarely decrease as the quality increases
 * @param budget maximum `length` of the result, in bytes
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
    // An image whose curve is atypical must not use up the tries.
    const halves = tries > USUAL_TRIES && bracket.below && bracket.above
    quality = halves ? Math.floor((low + high) / 2) : valueAt(expectedPlace(bracket, curve), low, high, curve)
  }
  return best ? { ...best, met: true } : { ...smallest!, met: false }
}
