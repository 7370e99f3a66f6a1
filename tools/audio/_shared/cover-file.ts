import { copyFile } from 'node:fs/promises'
import { type MediaFile, printableName } from '../../../src/media/file.ts'
import { decodeImage } from '../../../src/media/image/decode/decode.ts'
import { encodeImage } from '../../../src/media/image/encode/encode.ts'

/** The longest side of a cover, px: the largest that Apple Podcasts accepts. */
const MAX_SIDE = 3000
/** Larger pictures make players slow; 3000 px of JPEG need a third of it. */
const MAX_BYTES = 10 * 1024 * 1024
const QUALITY = 90

/**
 * Prepares a picture as cover: an upright JPEG or PNG of at most 3000 px and 10 MB keeps its bytes; others are
 * converted to JPEG, or to PNG if they have transparent pixels.
 * @param stem path of the result without its extension
 * @returns the path of the result
 * @throws INVALID_FILE when the picture is damaged
 */
export async function coverFile(file: MediaFile, stem: string, warn: (message: string) => void): Promise<string> {
  const frame = await decodeImage(file, { firstPage: true, warn })
  const isLarge = Math.max(frame.width, frame.height) > MAX_SIDE
  const isUpright = (frame.origin.metadata.orientation ?? 1) === 1
  const isCommon = frame.space !== 'cmyk' && (file.type.id === 'jpg' || file.type.id === 'png')
  const format = frame.hasAlpha ? 'png' : 'jpg'
  if (isCommon && isUpright && !isLarge && file.bytes <= MAX_BYTES) {
    const path = `${stem}.${file.type.id}`
    // Damage is found only by decoding.
    await (await frame.firstPage()).pixels()
    await copyFile(file.path, path)
    return path
  }
  if (isLarge)
    warn(`${printableName(file.name)} is ${frame.width} x ${frame.height}: the cover has at most ${MAX_SIDE} px`)
  const scale = Math.min(1, MAX_SIDE / Math.max(frame.width, frame.height))
  const [width, height] = [Math.round(frame.width * scale), Math.round(frame.height * scale)]
  const coloured = await frame.toSrgb()
  const fitted = isLarge
    ? await coloured.apply((image) => image.resize(width, height, { fit: 'fill' }), { size: { width, height } })
    : coloured
  const path = `${stem}.${format}`
  await encodeImage(fitted.withTarget({ format, quality: QUALITY, metadata: 'none' }), path)
  return path
}
