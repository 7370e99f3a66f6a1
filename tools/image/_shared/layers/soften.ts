import { openRawPixels } from '../../../../src/engines/sharp.ts'
import type { ImageFrame, Size } from '../../../../src/media/image/frame.ts'

/** A blur at least this strong (sigma, px) loses nothing when computed on fewer pixels. */
const ENOUGH = 6

/** How many times an image can be scaled down for blurring. */
const factorFor = (sigma: number): number => Math.max(1, sigma / ENOUGH)

const smaller = ({ width, height }: Size, factor: number): Size => ({
  width: Math.max(1, Math.round(width / factor)),
  height: Math.max(1, Math.round(height / factor)),
})

/** libvips truncates the kernel at 1.8 sigma by default; sharp's smallest sigma is 0.3. */
const gaussian = (sigma: number) => ({ sigma: Math.max(0.3, sigma), precision: 'float' as const, minAmplitude: 0.001 })

/**
 * A mask (one byte per pixel) with a true Gaussian blur. For a strong blur, where this is not visible, the mask is
 * scaled down first and up again afterwards, since a full kernel takes seconds.
 * @param sigma px; 0 leaves it unchanged
 */
export async function softMask({ data, ...size }: Size & { data: Buffer }, sigma: number): Promise<Buffer> {
  if (sigma <= 0) return data
  const factor = factorFor(sigma)
  const small = smaller(size, factor)
  const blurred = await (await openRawPixels({ data, ...size, channels: 1 }))
    .resize({ ...small, fit: 'fill' })
    .blur(gaussian(sigma / factor))
    .toColourspace('b-w')
    .raw()
    .toBuffer()
  if (factor === 1) return blurred
  const enlarged = (await openRawPixels({ data: blurred, ...small, channels: 1 })).resize({ ...size, fit: 'fill' })
  return enlarged.toColourspace('b-w').raw().toBuffer()
}

/** One page stretched to `size` and blurred with a true Gaussian of `sigma` px. */
export async function softCover(frame: ImageFrame, size: Size, sigma: number): Promise<ImageFrame> {
  const factor = factorFor(sigma)
  const small = smaller(size, factor)
  const blurred = await frame.apply(
    (image) => image.resize({ ...small, fit: 'cover' }).blur(gaussian(sigma / factor)),
    { size: small },
  )
  return blurred.apply((image) => image.resize({ ...size, fit: 'fill', kernel: 'cubic' }), { size })
}
