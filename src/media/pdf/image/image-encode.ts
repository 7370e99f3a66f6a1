import { deflateSync } from 'node:zlib'
import { loadMupdf } from '../../../engines/mupdf.ts'
import { openRawPixels } from '../../../engines/sharp.ts'
import { averageTo } from './image-average.ts'
import type { ImageSamples } from './image-samples.ts'
import type { ShownSize } from './image-uses.ts'

/** Points per inch. */
const POINTS = 72

/** Samples in the same colour space, at the size at which they are encoded. */
export type Raster = Pick<ImageSamples, 'width' | 'height' | 'components' | 'data'>

/**
 * The size in pixels that gives `dpi` in both directions at the largest displayed size; never larger than the image.
 */
export function sizeAt(
  { width, height }: { width: number; height: number },
  shown: ShownSize | undefined,
  dpi: number,
): { width: number; height: number } {
  if (!shown) return { width, height }
  const scale = Math.max((shown.width / POINTS) * (dpi / width), (shown.height / POINTS) * (dpi / height))
  if (scale >= 1) return { width, height }
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Scales the image to this size by averaging. */
export function resized(samples: Raster, size: { width: number; height: number }): Raster {
  if (size.width === samples.width && size.height === samples.height) return samples
  return { ...size, components: samples.components, data: averageTo(samples.data, samples, size.width, size.height) }
}

/**
 * Encodes a JPEG that decodes to the same sample values (so colour space and Decode of the dictionary still apply),
 * with chroma halved in both directions and the tables of annex K.
 */
export async function encodeJpeg(raster: Raster, quality: number): Promise<Uint8Array> {
  if (raster.components === 4) return encodeInks(raster, quality)
  const { width, height, components } = raster
  const data = Buffer.from(raster.data.buffer, raster.data.byteOffset, raster.data.length)
  const pipeline = await openRawPixels({ width, height, channels: components, data })
  return pipeline
    .toColourspace(components === 1 ? 'b-w' : 'srgb')
    .jpeg({
      quality,
      chromaSubsampling: '4:2:0',
      quantisationTable: 0,
      trellisQuantisation: true,
      optimiseCoding: true,
    })
    .toBuffer()
}

/** CMYK: sharp treats four samples as RGB with alpha, so mupdf writes it, without inversion. */
async function encodeInks({ width, height, data }: Raster, quality: number): Promise<Uint8Array> {
  const { ColorSpace, Pixmap } = await loadMupdf()
  const pixmap = new Pixmap(ColorSpace.DeviceCMYK, [0, 0, width, height], false)
  try {
    pixmap.getPixels().set(data)
    return pixmap.asJPEG(quality, false).slice()
  } finally {
    pixmap.destroy()
  }
}

/** Compresses samples losslessly. */
export function encodeFlate({ data }: Raster): Uint8Array {
  return deflateSync(data, { level: 9 })
}
