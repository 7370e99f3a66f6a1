import { environmentNumber } from '../../../../src/environment.ts'
import { MediaprocError } from '../../../../src/errors.ts'

/** Above this the samples (4 channels of 16 bits) do not fit into one array. */
const MAX_PIXELS = 2 ** 29

/** Refuses an oversized canvas for several images before it is allocated. @throws TARGET_UNREACHABLE */
export function checkCanvas(width: number, height: number): void {
  const configured = environmentNumber('MAX_CANVAS_PIXELS')
  const limit = configured === 0 ? MAX_PIXELS : Math.min(configured, MAX_PIXELS)
  if (width * height <= limit) return
  throw new MediaprocError(
    'TARGET_UNREACHABLE',
    `The result would be ${width} x ${height} pixels, ${Math.round((width * height) / 1e6)} million in total; the limit is ${limit / 1e6} million`,
    {
      hint:
        configured > 0 && configured < MAX_PIXELS
          ? 'Use fewer or smaller images, or raise MAX_CANVAS_PIXELS.'
          : 'Use fewer or smaller images.',
    },
  )
}
