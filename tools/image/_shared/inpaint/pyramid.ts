import { lastOf } from '../../../../src/lists.ts'
import type { Textured } from './texture.ts'

/** Smaller copies are made while both sides have at least this many pixels. */
const LEAST_SIDE = 20

/** And while a hole is deeper than this, px: thinner holes are guessed from their edges. */
const SHALLOW = 2

/** Marks unknown pixels. */
const FAR = 65535

/** Distance of hole pixels to the known area, 0 if known; pixels beyond the image are not known. */
export function depthsOf({ holes, width, height }: Pick<Textured, 'holes' | 'width' | 'height'>): Uint16Array {
  const depths = new Uint16Array(holes.length)
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 1) {
      if (holes[at] !== 1) continue
      const left = x > 0 ? depths[at - 1]! : FAR
      const above = y > 0 ? depths[at - width]! : FAR
      depths[at] = Math.min(FAR, Math.min(left, above) + 1)
    }
  for (let y = height - 1, at = holes.length - 1; y >= 0; y -= 1)
    for (let x = width - 1; x >= 0; x -= 1, at -= 1) {
      if (holes[at] !== 1) continue
      const right = x < width - 1 ? depths[at + 1]! : FAR
      const below = y < height - 1 ? depths[at + width]! : FAR
      depths[at] = Math.min(depths[at]!, Math.min(right, below) + 1)
    }
  return depths
}

/**
 * Half the size: the mean of the known pixels of each two-by-two block; missing if less than half of them are known.
 */
function halved({ data, holes, width, height, channels, barred }: Textured): Textured {
  const [across, down] = [Math.ceil(width / 2), Math.ceil(height / 2)]
  const half: Textured = {
    ...{ width: across, height: down, channels },
    data: new Float32Array(across * down * channels),
    holes: new Uint8Array(across * down),
    ...(barred && { barred: new Uint8Array(across * down) }),
  }
  for (let y = 0, to = 0; y < down; y += 1)
    for (let x = 0; x < across; x += 1, to += 1) {
      let [known, count] = [0, 0]
      for (let row = 2 * y; row < Math.min(height, 2 * y + 2); row += 1)
        for (let column = 2 * x; column < Math.min(width, 2 * x + 2); column += 1) {
          const from = row * width + column
          count += 1
          if (half.barred && barred?.[from] === 1) half.barred[to] = 1
          if (holes[from] === 1) continue
          known += 1
          for (let channel = 0; channel < channels; channel += 1)
            half.data[to * channels + channel]! += data[from * channels + channel]!
        }
      const isHole = known * 2 < count
      half.holes[to] = isHole ? 1 : 0
      for (let channel = 0; channel < channels; channel += 1)
        half.data[to * channels + channel] = isHole ? 0 : half.data[to * channels + channel]! / known
    }
  return half
}

/** A view and its smaller copies, the smallest last. */
export function pyramidOf(view: Textured): Textured[] {
  const levels = [view]
  for (;;) {
    const last = lastOf(levels)
    const deepest = depthsOf(last).reduce((most, depth) => Math.max(most, depth), 0)
    if (deepest <= SHALLOW || Math.min(last.width, last.height) < 2 * LEAST_SIDE) return levels
    levels.push(halved(last))
  }
}

/** Fills holes from their edges inwards, in place: every pixel becomes the mean of its existing neighbours. */
export function fillFromEdges({ data, holes, width, height, channels }: Textured): void {
  const depths = depthsOf({ holes, width, height })
  const order = [...holes.keys()].filter((at) => holes[at] === 1).sort((one, other) => depths[one]! - depths[other]!)
  for (const at of order) {
    const [x, y] = [at % width, Math.floor(at / width)]
    const sums = new Float64Array(channels)
    let count = 0
    for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row += 1)
      for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column += 1) {
        const from = row * width + column
        if (depths[from]! >= depths[at]!) continue
        count += 1
        for (let channel = 0; channel < channels; channel += 1) sums[channel]! += data[from * channels + channel]!
      }
    for (let channel = 0; channel < channels; channel += 1)
      data[at * channels + channel] = count === 0 ? 0 : sums[channel]! / count
  }
}
