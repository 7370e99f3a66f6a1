import type { Pixels } from '../../../../src/media/image/frame.ts'
import type { Edges } from '../layout/edges.ts'

/** Pixels at a border that are compared with those further inside. */
const STRIP = 3
/** A larger difference of a channel from the border, of 255, is another thing. */
const OTHER = 30
/** The margin ends where more than this share of a row or column shows another thing than the border. */
const SHARE = 0.1
/** It ends somewhat earlier, as soft outlines begin there. */
const SAFE = 0.85
const SIDES = ['left', 'top', 'right', 'bottom'] as const

/**
 * How far an image continues from each side as it is at the border, as shares of its width and height: sky up to the
 * mountains, a wall up to the person in front of it. 1 if nothing else appears.
 * @param small a small copy, as means over areas: texture must not count
 */
export function marginsOf({
  data,
  width,
  height,
  channels,
}: Pick<Pixels, 'data' | 'width' | 'height' | 'channels'>): Edges {
  const marginAt = (side: (typeof SIDES)[number]): number => {
    const isUpright = side === 'top' || side === 'bottom'
    const [deep, long] = isUpright ? [height, width] : [width, height]
    const at = (depth: number, along: number): number => {
      const inward = side === 'left' || side === 'top' ? depth : deep - 1 - depth
      return (isUpright ? inward * width + along : along * width + inward) * channels
    }
    const strip = Math.min(STRIP, deep)
    for (let depth = strip; depth < deep; depth += 1) {
      let others = 0
      for (let along = 0; along < long; along += 1) {
        let most = 0
        for (let channel = 0; channel < Math.min(3, channels); channel += 1) {
          let sum = 0
          for (let row = 0; row < strip; row += 1) sum += data[at(row, along) + channel] as number
          most = Math.max(most, Math.abs((data[at(depth, along) + channel] as number) - sum / strip))
        }
        if (most > OTHER) others += 1
      }
      if (others > SHARE * long) return (depth / deep) * SAFE
    }
    return 1
  }
  const [left, top, right, bottom] = SIDES.map(marginAt) as [number, number, number, number]
  return { left, top, right, bottom }
}
