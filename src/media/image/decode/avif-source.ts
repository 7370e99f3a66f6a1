import { readFile } from 'node:fs/promises'
import { MediaprocError, toMediaprocError } from '../../../errors.ts'
import { type MediaFile, printableName } from '../../file.ts'
import { MAX_FRAMES, MAX_RESULT_PIXELS } from '../../limits.ts'
import { withFrames } from './apng-source.ts'
import { firstBytes } from './cut-off.ts'
import type { DecodeOptions, Reading, Source } from './source.ts'

/** The warning for an animated AVIF when ffmpeg is missing or cannot read it: libheif only decodes the still image. */
const sequenceSentence = (name: string, why: string): string =>
  `${printableName(name)} is an animated AVIF; only its first picture is used because its frames could not be read: ${why}`

/** Maximum RGBA size of an animation within the limits. */
const MAX_BYTES = MAX_RESULT_PIXELS * 4

/**
 * An animated AVIF with its frames, read by ffmpeg; if that fails, the still image with a warning.
 * @param first the metadata of the file as a still image
 */
export async function withSequence(
  file: MediaFile,
  first: Source,
  options: Pick<DecodeOptions, 'keepOrientation' | 'warn' | 'signal'>,
): Promise<Source> {
  const { warn, signal } = options
  const { decodeSequence } = await import('../../../engines/ffmpeg/picture.ts')
  const hasAlpha = first.metadata.hasAlpha ?? false
  const warnOf = (sentence: string): void => warn?.(`${printableName(file.name)}: ${sentence}`)
  const wanted = { hasAlpha, frames: MAX_FRAMES + 1, maxOutput: MAX_BYTES, warn: warnOf, ...(signal && { signal }) }
  try {
    const png = Buffer.from(await decodeSequence(file.path, wanted))
    return withFrames(file, png, first, options)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof MediaprocError && error.code === 'LIMIT_EXCEEDED') throw error
    warn?.(sequenceSentence(file.name, toMediaprocError(error).message))
    return first
  }
}

/** Offset of the major brand in an ISO media file (ISO/IEC 14496-12, 4.3). */
const BRAND_AT = 8

/**
 * An animated AVIF (brand `avis`; AV1 Image File Format, 6.3) as a still image: libvips rejects the brand, although the
 * file also contains a still image. Undefined for still AVIF files.
 * @param held the bytes of the file, if they are in memory
 */
export async function stillOfSequence(path: string, held?: Buffer): Promise<Reading | undefined> {
  const head = held ?? (await firstBytes(path, BRAND_AT + 4))
  if (head.toString('latin1', BRAND_AT, BRAND_AT + 4) !== 'avis') return undefined
  const input = held ? Buffer.from(held) : await readFile(path)
  input.write('avif', BRAND_AT, 'latin1')
  return { input, isSequence: true }
}
