import type { Picture, PictureType } from '../../engines/documents/rich-text.ts'
import { openSharp, readMetadata } from '../../engines/sharp.ts'
import { checkImageSize } from '../limits.ts'
import { sniffBytes } from '../sniff.ts'

/** Types that are embedded unchanged; everything else becomes PNG. */
const KEPT: readonly string[] = ['png', 'jpg', 'gif'] satisfies PictureType[]

/**
 * An image for a document; vector images and newer formats become PNG.
 * @param size displayed size, in CSS pixels; an absent side follows the aspect ratio
 * @returns undefined if the data is not an image
 */
export async function richPicture(
  bytes: Uint8Array,
  alt: string,
  size: { width?: number | undefined; height?: number | undefined } = {},
): Promise<Picture | undefined> {
  try {
    const { width, height, orientation = 1 } = await readMetadata(bytes)
    checkImageSize('A picture', width, height)
    const { id } = sniffBytes(bytes)
    // Applies the orientation of a rotated JPEG to its pixels, because not every program supports the tag.
    const isKept = KEPT.includes(id) && orientation <= 1
    const shown = isKept ? bytes : await (await openSharp(bytes)).autoOrient().png().toBuffer()
    const [wide, high] = orientation > 4 ? [height, width] : [width, height]
    return {
      kind: 'picture',
      bytes: shown,
      type: isKept ? (id as PictureType) : 'png',
      ...fitted(wide, high, size),
      alt,
    }
  } catch {
    return undefined
  }
}

function fitted(width: number, height: number, wanted: { width?: number | undefined; height?: number | undefined }) {
  if (wanted.width !== undefined && wanted.height !== undefined) return { width: wanted.width, height: wanted.height }
  const scale =
    wanted.width !== undefined ? wanted.width / width : wanted.height !== undefined ? wanted.height / height : 1
  return { width: width * scale, height: height * scale }
}

/** The bytes of a `data:` address with an image; undefined for any other address. */
export function dataPicture(address: string): Uint8Array | undefined {
  const [, encoding, content] = /^data:image\/[\w.+-]+(?:;[\w=-]+)*?(;base64)?,(.*)$/is.exec(address.trim()) ?? []
  if (content === undefined) return undefined
  try {
    return encoding ? Buffer.from(content, 'base64') : Buffer.from(decodeURIComponent(content))
  } catch {
    return undefined
  }
}
