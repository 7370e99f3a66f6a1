import type { Samples } from './picture.ts'

export interface Bounds {
  left: number
  top: number
  /** Distance of the last column and row from the right and lower edge of the picture. */
  right: number
  bottom: number
}

/** Where pixels differ from the background by more than `least` in a channel; undefined if none does. RGBA. */
export function inkBounds({ data, width, height }: Samples, ground: readonly number[], least = 40): Bounds | undefined {
  let [left, top, right, bottom] = [width, height, -1, -1]
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4
      if (ground.every((value, channel) => Math.abs(data[at + channel]! - value) <= least)) continue
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = y
    }
  return right < 0 ? undefined : { left, top, right: width - 1 - right, bottom: height - 1 - bottom }
}
