import { MediaprocError } from '../errors.ts'
import { loadMupdf, takeMupdfMessages, withMupdfErrors } from './mupdf.ts'

/** Interleaved 8-bit pixels: grey, RGB or RGBA. */
export interface MupdfPixels {
  width: number
  height: number
  channels: 1 | 3 | 4
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
      const pixmap = decoded.convertToColorSpace(space, false)
      const width = pixmap.getWidth()
      const height = pixmap.getHeight()
      const channels = grey ? 1 : 3
      const stride = pixmap.getStride()
      const source = pixmap.getPixels()
      // Rows can be padded.
      const data = new Uint8Array(width * height * channels)
      for (let row = 0; row < height; row += 1)
        data.set(source.subarray(row * stride, row * stride + width * channels), row * width * channels)
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
