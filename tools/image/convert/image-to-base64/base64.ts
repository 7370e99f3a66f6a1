import { readFile } from 'node:fs/promises'
import { MediaprocError } from '../../../../src/errors.ts'
import { type MediaFile, printableName } from '../../../../src/media/file.ts'
import { decodeImage } from '../../../../src/media/image/decode/decode.ts'
import { readDrawing } from '../../../../src/media/image/decode/decode-svg.ts'
import { encodeToBuffer } from '../../../../src/media/image/encode/encode.ts'
import { formatOf } from '../../../../src/media/image/encode/fit-to-format.ts'
import type { ImageFormatId } from '../../../../src/media/image/formats.ts'
import { checkSound } from '../../../../src/media/image/metadata/sound.ts'
import { mimeOf } from '../../../../src/media/type.ts'
import { fitInside } from '../../_shared/layout/fit.ts'

export interface EmbedOptions {
  /** Absent: unchanged. */
  format?: ImageFormatId | undefined
  /** 1 to 100. */
  quality: number
  /** In pixels; absent means no limit. */
  maxWidth?: number | undefined
  maxHeight?: number | undefined
}

/** An image as text; the keys are those of the result (catalogue: image-to-base64). */
export interface Embedded {
  filename: string
  mimeType: string
  width: number
  height: number
  originalSize: number
  /** Number of characters of the Base64 text. */
  encodedSize: number
  overheadPercent: number
  base64: string
  dataUri: string
  /** The end of the file is missing. */
  truncated?: true
}

/** Browsers cannot display HEIC. */
const UNSHOWN = new Set(['heic', 'heif'])

/**
 * The bytes of the file; compressed SVG is decompressed, since browsers display it only with a Content-Encoding header.
 */
async function ownBytes(file: MediaFile): Promise<Buffer> {
  return file.type.id === 'svgz' ? readDrawing(file) : readFile(file.path)
}

async function bytesOf(
  file: MediaFile,
  { format, quality, maxWidth = Number.POSITIVE_INFINITY, maxHeight = Number.POSITIVE_INFINITY }: EmbedOptions,
): Promise<Pick<Embedded, 'mimeType' | 'width' | 'height' | 'truncated'> & { bytes: Buffer }> {
  const whole = await decodeImage(file)
  const fits = whole.width <= maxWidth && whole.height <= maxHeight
  if (fits && !format && !UNSHOWN.has(file.type.id) && !whole.origin.isCutOff) {
    await checkSound(whole)
    return { bytes: await ownBytes(file), mimeType: file.type.mime, width: whole.width, height: whole.height }
  }
  const box = { width: maxWidth, height: maxHeight }
  // A drawing is rendered at that size, not scaled down afterwards.
  const fitted = await fitInside(fits ? whole : await decodeImage(file, { box }), box)
  const target = fitted.withTarget({ quality, ...(format && { format }) })
  const { width, height } = fitted
  const truncated = whole.origin.isCutOff && ({ truncated: true } as const)
  return {
    bytes: await encodeToBuffer(target),
    mimeType: mimeOf(formatOf(target).extension),
    width,
    height,
    ...truncated,
  }
}

/**
 * An image as Base64.
 * @param largest maximum number of bytes to embed
 * @throws LIMIT_EXCEEDED above that, INVALID_FILE, UNSUPPORTED_FILE_TYPE
 */
export async function embed(file: MediaFile, options: EmbedOptions, largest: number): Promise<Embedded> {
  const { bytes, ...about } = await bytesOf(file, options)
  if (bytes.length > largest)
    throw new MediaprocError(
      'LIMIT_EXCEEDED',
      `${printableName(file.name)} has ${megabytes(bytes.length)} MB; the response has ${megabytes(largest)} MB left`,
      { hint: 'Make the pictures smaller with maxWidth, or give fewer at a time.' },
    )
  const base64 = bytes.toString('base64')
  return {
    filename: file.name,
    ...about,
    originalSize: file.bytes,
    encodedSize: base64.length,
    overheadPercent: Math.round((base64.length / file.bytes - 1) * 1000) / 10,
    base64,
    dataUri: `data:${about.mimeType};base64,${base64}`,
  }
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)
