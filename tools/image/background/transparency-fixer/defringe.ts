import type { Matte } from '../../_shared/matting/matte.ts'

/** Alpha below the first is always fringe; below the second, transparent (catalogue). */
const FAINT = 64
const NOTHING = 8

/** Running minimum or maximum of a row or column within a radius. */
function extremes(
  values: Buffer,
  { width, height }: Pick<Matte, 'width' | 'height'>,
  reach: number,
  isLargest: boolean,
): Buffer {
  const pick = isLargest ? Math.max : Math.min
  const along = (from: Buffer, count: number, stride: number, lines: number, step: number): Buffer => {
    const to = Buffer.alloc(from.length)
    for (let line = 0; line < lines; line += 1)
      for (let at = 0; at < count; at += 1) {
        let best = from[line * step + at * stride]!
        for (let near = Math.max(0, at - reach); near <= Math.min(count - 1, at + reach); near += 1)
          best = pick(best, from[line * step + near * stride]!)
        to[line * step + at * stride] = best
      }
    return to
  }
  return along(along(values, width, 1, height, width), height, width, width, 1)
}

/**
 * Removes the faint fringe of a matte: faint pixels go if their surroundings are mostly transparent, stronger ones only
 * if the background itself is near and the surroundings are weak compared with the strongest alpha there.
 * @param blurred the matte, blurred by the strength of the defringe
 * @param defringe 0 to 100
 */
export function defringed(matte: Matte, blurred: Buffer, defringe: number): Buffer {
  const { data } = matte
  const reach = Math.max(1, Math.ceil(Math.max(0.3, Math.round(defringe / 20)) * 2))
  const threshold = Math.round(128 + defringe * 0.8)
  const least = extremes(data, matte, reach, false)
  const most = extremes(data, matte, reach, true)
  return Buffer.from(
    data.map((alpha, at) => {
      if (alpha < FAINT) return blurred[at]! < threshold ? 0 : alpha
      const isRim = least[at]! < NOTHING && blurred[at]! * 255 < threshold * most[at]!
      return isRim ? 0 : alpha
    }),
  )
}
