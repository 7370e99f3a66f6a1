import { MediaprocError } from '../errors.ts'
import { loadMupdf, takeMupdfMessages, withMupdfErrors } from './mupdf.ts'

/** Interleaved 8-bit pixels: grey or RGB, with straight alpha if the image has any. */
export interface MupdfPixels {
  width: number
  height: number
  channels: 1 | 2 | 3 | 4
  depth: 8
  data: Uint8Array
}

/** Maximum size of a single-colour image: in JPEG 2000 little more than its header. In bytes, and pixels per byte. */
const FLAT_BYTES = 4096
const FLAT_PIXELS_PER_BYTE = 64

/** OpenJPEG treats unreadable tiles as empty, and returns one colour without an error. */
function isLost(samples: Uint8Array, fileBytes: number): boolean {
  if (fileBytes < FLAT_BYTES + samples.length / FLAT_PIXELS_PER_BYTE) return false
  return samples.every((sample) => sample === samples[0])
}

/** Pixmaps of MuPDF have premultiplied alpha. */
function toStraight(data: Uint8Array, channels: number): void {
  for (let pixel = 0; pixel < data.length; pixel += channels) {
    const alpha = data[pixel + channels - 1] ?? 255
    if (alpha === 0 || alpha === 255) continue
    for (let at = pixel; at < pixel + channels - 1; at += 1)
      data[at] = Math.min(255, Math.round(((data[at] ?? 0) * 255) / alpha))
  }
}

/**
 * An image that MuPDF reads (JPEG 2000), as RGB or grey.
 * @param check called with the size before the pixels are allocated; rejects when it is too large
 */
export async function decodePicture(
  bytes: Uint8Array,
  check: (width: number, height: number) => Promise<void>,
): Promise<MupdfPixels> {
  const mupdf = await loadMupdf()
  const guarded = <Result>(work: () => Result): Result => withMupdfErrors('INVALID_FILE', 'The image is damaged', work)
  const image = guarded(() => new mupdf.Image(bytes))
  try {
    await check(image.getWidth(), image.getHeight())
    return guarded(() => {
      const decoded = image.toPixmap()
      const grey = decoded.getNumberOfComponents() - decoded.getAlpha() === 1
      const space = grey ? mupdf.ColorSpace.DeviceGray : mupdf.ColorSpace.DeviceRGB
      const alpha = decoded.getAlpha()
      const pixmap = decoded.convertToColorSpace(space, alpha === 1)
      const width = pixmap.getWidth()
      const height = pixmap.getHeight()
      const channels = ((grey ? 1 : 3) + alpha) as MupdfPixels['channels']
      const stride = pixmap.getStride()
      const source = pixmap.getPixels()
      // Rows can be padded.
      const data = new Uint8Array(width * height * channels)
      for (let row = 0; row < height; row += 1)
        data.set(source.subarray(row * stride, row * stride + width * channels), row * width * channels)
      if (alpha === 1) toStraight(data, channels)
      pixmap.destroy()
      decoded.destroy()
      const said = takeMupdfMessages()
      if (said.includes('openjpeg error') || isLost(data, bytes.length))
        throw new MediaprocError('INVALID_FILE', 'The image is damaged', { detail: said })
      return { width, height, channels, depth: 8, data }
    })
  } finally {
    image.destroy()
  }
}
