import { readFile } from 'node:fs/promises'
import { MediaprocError, toMediaprocError } from '../../../errors.ts'
import { type MediaFile, printableName } from '../../file.ts'
import { MAX_FRAMES, MAX_RESULT_PIXELS } from '../../limits.ts'
import { withFrames } from './apng-source.ts'
import { firstBytes } from './cut-off.ts'
import type { DecodeOptions, Reading, Source } from './source.ts'

/** What is said of a moving AVIF that ffmpeg is not there to read, or cannot: libheif has the picture that stands for it. */
const sequenceSentence = (name: string, why: string): string =>
  `${printableName(name)} is a moving AVIF; only its first picture is used, since its frames could not be read: ${why}`

/** What no animation within the limits takes as RGBA. */
const MAX_BYTES = MAX_RESULT_PIXELS * 4

/**
 * A moving AVIF with its frames, as ffmpeg reads them; where it cannot, the one picture, and it is said.
 * @param first what was read of it as a still picture
 */
export async function withSequence(
  file: MediaFile,
  first: Source,
  options: Pick<DecodeOptions, 'keepOrientation' | 'warn' | 'signal'>,
): Promise<Source> {
  const { warn, signal } = options
  const { decodeSequence } = await import('../../../engines/ffmpeg/picture.ts')
  const hasAlpha = first.metadata.hasAlpha ?? false
  const tell = (sentence: string): void => warn?.(`${printableName(file.name)}: ${sentence}`)
  const wanted = { hasAlpha, frames: MAX_FRAMES + 1, maxOutput: MAX_BYTES, warn: tell, ...(signal && { signal }) }
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

/** Where the major brand of an ISO media file stands (ISO/IEC 14496-12, 4.3). */
const BRAND_AT = 8

/**
 * A moving AVIF (brand `avis`; AV1 Image File Format, 6.3) as a still one: libvips refuses the brand, though the file holds
 * a still picture as well. Undefined for those that are still.
 * @param held the bytes of the file, where they are in memory
 */
export async function stillOfSequence(path: string, held?: Buffer): Promise<Reading | undefined> {
  const head = held ?? (await firstBytes(path, BRAND_AT + 4))
  if (head.toString('latin1', BRAND_AT, BRAND_AT + 4) !== 'avis') return undefined
  const input = held ? Buffer.from(held) : await readFile(path)
  input.write('avif', BRAND_AT, 'latin1')
  return { input, isSequence: true }
}
