import type { Box, PageText } from './lines.ts'

/** Tolerance for text at the edge of its background; points. */
const NEAR = 3
/** A larger share of the page is its own background. */
const MOST = 0.6
/** Lightest channel values that do not show on white paper. */
const WHITE = 0xf8

const channels = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

/** The colour of the topmost filled rectangle behind a box; undefined for white paper. */
export function groundOf(box: Box, { vectors, width, height }: PageText): string | undefined {
  const found = vectors.findLast(
    (fill) =>
      !fill.isStroked &&
      fill.x0 <= box.x0 + NEAR &&
      fill.x1 >= box.x1 - NEAR &&
      fill.y0 <= box.y0 + NEAR &&
      fill.y1 >= box.y1 - NEAR &&
      (fill.x1 - fill.x0) * (fill.y1 - fill.y0) < width * height * MOST,
  )
  return found && Math.min(...channels(found.color)) < WHITE ? found.color : undefined
}

/** Whether white letters can be read on it. */
export const isDarkGround = (color: string): boolean => {
  const [red = 0, green = 0, blue = 0] = channels(color)
  return red * 0.3 + green * 0.59 + blue * 0.11 < 150
}

export const aroundAll = (boxes: readonly Box[]): Box => ({
  x0: Math.min(...boxes.map(({ x0 }) => x0)),
  x1: Math.max(...boxes.map(({ x1 }) => x1)),
  y0: Math.min(...boxes.map(({ y0 }) => y0)),
  y1: Math.max(...boxes.map(({ y1 }) => y1)),
})
