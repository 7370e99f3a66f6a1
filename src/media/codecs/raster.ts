import { MediaprocError } from '../../errors.ts'
import { limitExceeded } from '../../limit-exceeded.ts'
import { damaged } from './failures.ts'

/** Pixels in memory: interleaved, row by row from the top left, straight (not premultiplied) alpha. */
export interface Raster {
  width: number
  height: number
  /** 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha. */
  channels: 1 | 2 | 3 | 4
  /** Bits per sample: 8 and 16 are sRGB-like and use the full range, 32 is linear floating point with 1 as white. */
  depth: 8 | 16 | 32
  data: Uint8Array | Uint16Array | Float32Array
}

/** Maximum size of a raster in bytes, whatever the pixel limit: the largest buffer that Node 20 can allocate. */
const MAX_RASTER_BYTES = 2 ** 32

/**
 * Rejects invalid sizes before memory is allocated for them.
 * @param maxPixels maximum number of pixels; 0 means no limit except that of memory
 * @returns the number of samples (width × height × channels)
 * @throws INVALID_FILE for a size that is not positive, LIMIT_EXCEEDED for a size over the limit
 */
export function checkRasterSize(
  width: number,
  height: number,
  channels: number,
  depth: number,
  maxPixels: number,
): number {
  if (!Number.isSafeInteger(width) || !Number.isSafeInteger(height) || width < 1 || height < 1) {
    throw damaged(`The file declares a picture of ${width} × ${height} pixels`)
  }
  const pixels = width * height
  if (maxPixels > 0 && pixels > maxPixels) {
    const [asked, limit] = [pixels, maxPixels].map((count) => String(Number((count / 1e6).toPrecision(4))))
    throw limitExceeded(
      `The picture has ${width} × ${height} pixels (${asked} megapixels); the limit is ${limit} megapixels`,
      { hint: 'Raise the limit with the environment variable MAX_MEGAPIXELS.' },
    )
  }
  const samples = pixels * channels
  if (samples * (depth / 8) > MAX_RASTER_BYTES) throw outOfMemory(width, height)
  return samples
}

function outOfMemory(width: number, height: number, cause?: unknown): MediaprocError {
  return new MediaprocError('LIMIT_EXCEEDED', `The picture of ${width} × ${height} pixels does not fit in memory`, {
    hint: 'Make it smaller first, or use a machine with more memory.',
    cause,
  })
}

/**
 * Creates a raster of zeros (transparent or black), after `checkRasterSize`. The type of `data` follows from `depth`.
 */
export function createRaster<Depth extends 8 | 16 | 32>(
  width: number,
  height: number,
  channels: Raster['channels'],
  depth: Depth,
  maxPixels: number,
): Raster & { data: Depth extends 8 ? Uint8Array : Depth extends 16 ? Uint16Array : Float32Array } {
  const samples = checkRasterSize(width, height, channels, depth, maxPixels)
  const Data = depth === 8 ? Uint8Array : depth === 16 ? Uint16Array : Float32Array
  try {
    return { width, height, channels, depth, data: new Data(samples) } as never
  } catch (error) {
    throw outOfMemory(width, height, error)
  }
}
