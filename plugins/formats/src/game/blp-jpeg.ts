import sharp from 'sharp'
import { damaged } from '../reader.ts'

/**
 * Decodes the JPEG of a BLP texture to RGBA: its components are blue, green, red and perhaps alpha, although a JPEG of four
 * components is CMYK for all other programs.
 */
export async function decodeJpeg(jpeg: Buffer, width: number, height: number): Promise<Uint8Array> {
  const about = await metadataOf(jpeg)
  if (about.width !== width || about.height !== height)
    throw damaged(`The BLP file holds a JPEG of another size: ${about.width} × ${about.height}`)
  const image = sharp(jpeg, { failOn: 'error' })
  const opened =
    about.channels === 4 ? image.pipelineColourspace('cmyk').toColourspace('cmyk') : image.toColourspace('srgb')
  const { data, info } = await opened.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true }).catch(refuse)
  const pixels = new Uint8Array(width * height * 4)
  const isCmyk = info.channels === 4
  // libvips inverts inks.
  const inverted = isCmyk ? 255 : 0
  for (let from = 0, to = 0; to < pixels.length; from += info.channels, to += 4) {
    for (let channel = 0; channel < 3; channel += 1) pixels[to + channel] = (data[from + 2 - channel] ?? 0) ^ inverted
    pixels[to + 3] = isCmyk ? (data[from + 3] ?? 0) ^ inverted : 255
  }
  return pixels
}

const metadataOf = (jpeg: Buffer) => sharp(jpeg, { failOn: 'none' }).metadata().catch(refuse)

function refuse(error: unknown): never {
  throw damaged(`The BLP file holds a damaged JPEG: ${String((error as Error).message).split('\n')[0]}`)
}
