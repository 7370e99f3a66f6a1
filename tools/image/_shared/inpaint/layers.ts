import type { Matches } from './patch-match.ts'
import type { Textured } from './texture.ts'

/** Maximum number of patch comparisons: about half a second. */
const MOST_COMPARISONS = 1.5e6

/** Pixels of holes, from their edges inwards. */
export function inwards(view: Textured, depths: Uint16Array): number[] {
  const order = [...view.holes.keys()].filter((at) => view.holes[at] === 1)
  return order.sort((one, other) => depths[one]! - depths[other]! || one - other)
}

/**
 * A first guess for a small view, in place, from the edges of its holes inwards: every pixel takes the centre of the
 * patch that best matches its known surroundings (A. Efros, T. Leung, "Texture Synthesis by Non-parametric Sampling",
 * ICCV 1999). A guess from means would be smooth, and would match any smooth area.
 * @returns whether it ran: it is skipped if it would take long
 */
export function fillByLayers(view: Textured, { reach, sources, isSource, depths }: Matches): boolean {
  const { data, holes, width, height, channels } = view
  const known = Int32Array.from(isSource.keys()).filter((at) => isSource[at] === 1)
  const order = inwards(view, depths)
  if (order.length * known.length > MOST_COMPARISONS) return false
  const isThere = Uint8Array.from(holes, (hole) => 1 - hole)
  for (const at of order) {
    const offsets = offsetsOf(isThere, at, { width, height, reach })
    let [best, least] = [known[0]!, Number.POSITIVE_INFINITY]
    for (const source of known) {
      let sum = 0
      for (let index = 0; index < offsets.length && sum < least; index += 1) {
        const here = (at + offsets[index]!) * channels
        const there = (source + offsets[index]!) * channels
        for (let channel = 0; channel < channels; channel += 1)
          sum += (data[here + channel]! - data[there + channel]!) ** 2
      }
      if (sum < least) [best, least] = [source, sum]
    }
    for (let channel = 0; channel < channels; channel += 1)
      data[at * channels + channel] = data[best * channels + channel]!
    isThere[at] = 1
    if (isSource[best] === 1) sources[at] = best
  }
  return true
}

/** Offsets of the patch pixels that have a colour already, relative to its centre. */
function offsetsOf(
  isThere: Uint8Array,
  at: number,
  { width, height, reach }: { width: number; height: number; reach: number },
): number[] {
  const [x, y] = [at % width, Math.floor(at / width)]
  const offsets: number[] = []
  for (let row = -Math.min(reach, y); row <= Math.min(reach, height - 1 - y); row += 1)
    for (let column = -Math.min(reach, x); column <= Math.min(reach, width - 1 - x); column += 1)
      if (isThere[at + row * width + column] === 1) offsets.push(row * width + column)
  return offsets
}
