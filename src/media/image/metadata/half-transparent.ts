import { printableName } from '../../file.ts'
import type { ImageFrame, Pixels } from '../frame.ts'

/**
 * Alpha values within this distance of transparent or opaque (0, 255) can be rounded to it without a visible change.
 */
const VISIBLE = 16

/** Share of a frame from which half-transparent areas cause a warning. */
const LEAST_SHARE = 0.01

/**
 * The share of a frame, 0 to 1, in half-transparent areas: partly transparent pixels whose four neighbours are partly
 * transparent too, so that anti-aliased edges do not count. For an animation, the maximum over its frames.
 */
export function halfTransparentShare({ data, width, height, channels, pageHeight }: Pixels): number {
  if (channels % 2 === 1) return 0
  const isPartly = (at: number): boolean => {
    const alpha = data[at * channels + channels - 1]!
    return alpha >= VISIBLE && alpha <= 255 - VISIBLE
  }
  let most = 0
  for (let first = 0; first < width * height; first += width * pageHeight) {
    const end = first + width * pageHeight
    let inside = 0
    for (let at = first; at < end; at += 1) {
      if (!isPartly(at)) continue
      const column = at % width
      // Neighbours outside the frame are ignored: an area may extend to its edge.
      const isInside =
        (column === 0 || isPartly(at - 1)) &&
        (column === width - 1 || isPartly(at + 1)) &&
        (at - width < first || isPartly(at - width)) &&
        (at + width >= end || isPartly(at + width))
      if (isInside) inside += 1
    }
    most = Math.max(most, inside / (end - first))
  }
  return most
}

/**
 * The loss of a frame with alpha that is written as GIF, whose pixels are either opaque or transparent:
 * half-transparent areas, such as gradients, shadows and watermarks, become one of the two.
 */
export async function halfTransparentLoss(frame: ImageFrame): Promise<string[]> {
  // The pixels of a GIF are already opaque or transparent.
  if (frame.untouched && frame.origin.type.id === 'gif') return []
  const share = halfTransparentShare(await frame.pixels())
  if (share < LEAST_SHARE) return []
  const part = `${Math.round(share * 100)} % of ${printableName(frame.origin.name)}`
  return [`GIF has no half-transparent pixels: ${part} become opaque or clear`]
}
