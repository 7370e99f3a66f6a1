import { depthsOf } from './pyramid.ts'
import type { Textured } from './texture.ts'

/** Patches around hole pixels, and the best-matching known patch of each. */
export interface Matches {
  /** Radius of a patch, px: its side is 2 * reach + 1. */
  reach: number
  /** Centres of patches that overlap a hole, row by row. */
  targets: Int32Array
  /** The centre of a patch's match, by the centre of the patch. */
  sources: Int32Array
  /** Mean of squared differences. */
  costs: Float32Array
  /** 1 if a patch is inside the image and completely known. */
  isSource: Uint8Array
  /** Preferred positions of matches, if there are any; see PULL. */
  homes?: Int32Array
  /** Distance of the centres of hole patches from the known area. */
  depths: Uint16Array
}

/** Deterministic pseudo-random numbers (G. Marsaglia, "Xorshift RNGs", 2003). */
function random(): (below: number) => number {
  let state = 0x2545f491
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return Math.floor(((state >>> 0) / 4294967296) * below)
  }
}

/** Pixels that have no marked pixel within reach. */
function clearOf(marked: Uint8Array, width: number, height: number, reach: number): Uint8Array {
  const rows = new Uint8Array(marked.length)
  for (let y = 0; y < height; y += 1) {
    let count = 0
    for (let x = 0; x < Math.min(reach, width); x += 1) count += marked[y * width + x]!
    for (let x = 0; x < width; x += 1) {
      if (x + reach < width) count += marked[y * width + x + reach]!
      if (x > reach) count -= marked[y * width + x - reach - 1]!
      rows[y * width + x] = count > 0 ? 1 : 0
    }
  }
  const clear = new Uint8Array(marked.length)
  for (let x = 0; x < width; x += 1) {
    let count = 0
    for (let y = 0; y < Math.min(reach, height); y += 1) count += rows[y * width + x]!
    for (let y = 0; y < height; y += 1) {
      if (y + reach < height) count += rows[(y + reach) * width + x]!
      if (y > reach) count -= rows[(y - reach - 1) * width + x]!
      clear[y * width + x] = count === 0 ? 1 : 0
    }
  }
  return clear
}

/** Excludes patches with pixels that must not be copied, in place, unless no other one remains. */
function bar(isSource: Uint8Array, { barred, width, height }: Textured, reach: number): void {
  if (!barred) return
  const isFree = clearOf(barred, width, height, reach)
  if (!isSource.some((is, at) => is === 1 && isFree[at] === 1)) return
  for (let at = 0; at < isSource.length; at += 1) if (isFree[at] === 0) isSource[at] = 0
}

/** The patches of a view to match, and their candidates; undefined if no complete patch is known. */
export function openMatches(view: Textured, wanted: number): Matches | undefined {
  const { holes, width, height } = view
  for (let reach = Math.min(wanted, Math.floor((Math.min(width, height) - 1) / 2)); reach >= 1; reach -= 1) {
    const isSource = clearOf(holes, width, height, reach)
    let count = 0
    for (let y = 0, at = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1, at += 1)
        // A patch that extends beyond the image is not valid; 2 marks it for now.
        if (x < reach || y < reach || x >= width - reach || y >= height - reach) isSource[at] = 2
        else if (isSource[at] === 0) count += 1
    if (!isSource.includes(1)) continue
    const targets = new Int32Array(count)
    for (let at = 0, next = 0; at < isSource.length; at += 1)
      if (isSource[at] === 0) {
        targets[next] = at
        next += 1
      } else if (isSource[at] === 2) isSource[at] = 0
    bar(isSource, view, reach)
    const sources = new Int32Array(width * height).fill(-1)
    const costs = new Float32Array(width * height)
    return { reach, targets, isSource, sources, costs, depths: depthsOf(view) }
  }
  return undefined
}

/** The first known patch at or after a random position. */
function anySource(isSource: Uint8Array, pick: (below: number) => number): number {
  const found = isSource.indexOf(1, pick(isSource.length))
  return found < 0 ? isSource.indexOf(1) : found
}

/** Scales the matches of a view of half the size to this one; matches that do not fit are chosen at random. */
export function refineMatches(matches: Matches, { width }: Textured, coarse: Matches, coarseWidth: number): void {
  const pick = random()
  const { targets, sources, isSource } = matches
  for (const at of targets) {
    const [x, y] = [at % width, Math.floor(at / width)]
    const from = coarse.sources[(y >> 1) * coarseWidth + (x >> 1)]!
    const source =
      from < 0 ? -1 : (2 * Math.floor(from / coarseWidth) + (y & 1)) * width + 2 * (from % coarseWidth) + (x & 1)
    sources[at] = isSource[source] === 1 ? source : anySource(isSource, pick)
  }
}

/** Random initial matches for patches without one. */
export function startMatches({ targets, sources, isSource }: Matches): void {
  const pick = random()
  for (const at of targets) if (sources[at]! < 0) sources[at] = anySource(isSource, pick)
}

/** Mean of squared differences of two patches, or infinity as soon as it reaches `least`. */
function costOf({ data, width, channels }: Textured, reach: number, one: number, other: number, least: number): number {
  const length = (2 * reach + 1) * channels
  const most = least * (2 * reach + 1) * length
  let sum = 0
  for (let row = -reach; row <= reach; row += 1) {
    let a = (one + row * width - reach) * channels
    let b = (other + row * width - reach) * channels
    for (const end = a + length; a < end; a += 1, b += 1) {
      const difference = data[a]! - data[b]!
      sum += difference * difference
    }
    if (sum >= most) return Number.POSITIVE_INFINITY
  }
  return sum / ((2 * reach + 1) * length)
}

/** The additional cost of a match as far from its preferred position as the image is long; it grows quadratically. */
const PULL = 0.3

/**
 * Improves all matches once: with the matches of the neighbours just improved, and by random search in a shrinking
 * radius. C. Barnes et al., "PatchMatch: A Randomized Correspondence Algorithm for Structural Image Editing" (SIGGRAPH
 * 2009).
 * @param turn even: from the top, odd: from the bottom
 */
export function improveMatches(view: Textured, matches: Matches, turn: number): void {
  const { width, height } = view
  const { reach, targets, sources, costs, isSource, homes } = matches
  const pick = random()
  const step = turn % 2 === 0 ? 1 : -1
  const farthest = Math.max(width, height)
  const pull = PULL / farthest ** 2
  const extra = (at: number, source: number): number => {
    if (!homes) return 0
    const home = homes[at]!
    const [across, down] = [(source % width) - (home % width), Math.floor(source / width) - Math.floor(home / width)]
    return (across * across + down * down) * pull
  }
  for (let index = 0; index < targets.length; index += 1) {
    const at = targets[step === 1 ? index : targets.length - 1 - index]!
    let best = sources[at]!
    // The content of the patch can have changed since it was matched.
    let least = costOf(view, reach, at, best, Number.POSITIVE_INFINITY) + extra(at, best)
    for (let side = 0; side < 2; side += 1) {
      const offset = side === 0 ? step : step * width
      const candidate = sources[at - offset]! + offset
      if (sources[at - offset]! < 0 || candidate === best || isSource[candidate] !== 1) continue
      const more = extra(at, candidate)
      const cost = costOf(view, reach, at, candidate, least - more) + more
      if (cost < least) [best, least] = [candidate, cost]
    }
    for (let far = farthest; far >= 1; far >>= 1) {
      const x = Math.min(width - 1, Math.max(0, (best % width) + pick(2 * far + 1) - far))
      const y = Math.min(height - 1, Math.max(0, Math.floor(best / width) + pick(2 * far + 1) - far))
      const candidate = y * width + x
      if (candidate === best || isSource[candidate] !== 1) continue
      const more = extra(at, candidate)
      const cost = costOf(view, reach, at, candidate, least - more) + more
      if (cost < least) [best, least] = [candidate, cost]
    }
    sources[at] = best
    costs[at] = least
  }
}

/**
 * The weight of a patch decreases by this factor for every pixel of depth in a hole: certainty comes from the edges.
 */
const FADING = 1.3
const MOST_FADING = 40

/**
 * Replaces every hole pixel with the mean of what the matches of all patches around it have there, weighted by
 * similarity.
 * Y. Wexler, E. Shechtman, M. Irani, "Space-Time Completion of Video" (PAMI 2007).
 * @param sharpness weight of the most similar matches: higher values mix less
 */
export function vote(view: Textured, { reach, targets, sources, costs, depths }: Matches, sharpness: number): void {
  const { data, holes, width, channels } = view
  const sums = new Float32Array(data.length)
  const weights = new Float32Array(holes.length)
  const typical = quantile(targets, costs, 0.75)
  for (const at of targets) {
    const weight =
      FADING ** -Math.min(MOST_FADING, depths[at]!) * Math.exp((-sharpness * costs[at]!) / (2 * typical)) + 1e-20
    const shift = sources[at]! - at
    for (let row = -reach; row <= reach; row += 1)
      for (let to = at + row * width - reach, end = to + 2 * reach; to <= end; to += 1) {
        if (holes[to] !== 1) continue
        weights[to]! += weight
        for (let channel = 0; channel < channels; channel += 1)
          sums[to * channels + channel]! += weight * data[(to + shift) * channels + channel]!
      }
  }
  for (let at = 0; at < holes.length; at += 1)
    if (weights[at]! > 0)
      for (let channel = 0; channel < channels; channel += 1)
        data[at * channels + channel] = sums[at * channels + channel]! / weights[at]!
}

function quantile(targets: Int32Array, costs: Float32Array, part: number): number {
  const sorted = Float32Array.from(targets, (at) => costs[at]!).sort()
  return Math.max(1e-6, sorted[Math.floor((sorted.length - 1) * part)] ?? 0)
}

/** The source of every hole pixel, from the match of the patch around it; -1 elsewhere. */
export function originsOf({ holes, width, height }: Textured, { reach, sources }: Matches): Int32Array {
  const origins = new Int32Array(holes.length).fill(-1)
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1) {
      if (holes[at] !== 1) continue
      // At the borders of the image, the nearest complete patch is used.
      const column = Math.min(width - 1 - reach, Math.max(reach, x))
      const middle = Math.min(height - 1 - reach, Math.max(reach, y)) * width + column
      if (sources[middle]! >= 0) origins[at] = sources[middle]! + at - middle
    }
  return origins
}
