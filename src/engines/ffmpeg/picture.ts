import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toMediaprocError } from '../../errors.ts'
import { withTemporaryFolder } from '../process/temporary.ts'
import { openRawPixels, type RawPixels } from '../sharp.ts'
import { captureFfmpeg, inputArguments, requireEncoder, runFfmpeg } from './ffmpeg.ts'

/**
 * Decodes an image that only ffmpeg can read (OpenEXR) to 16-bit PNG. Applies the sRGB curve to linear light; clips
 * values brighter than white.
 */
export function decodeWithFfmpeg(path: string): Promise<Buffer> {
  return withTemporaryFolder(async (folder) => {
    const output = join(folder, 'out.png')
    // The option belongs to the EXR decoder, so it precedes the input.
    await runFfmpeg(
      ['-apply_trc', 'iec61966_2_1', ...inputArguments(path), '-frames:v', '1', '-pix_fmt', 'rgba64be', output],
      {
        what: 'reading the picture',
      },
    )
    return readFile(output)
  })
}

/**
 * Decodes an image that only ffmpeg reads, or reads at full depth (TIFF, JPEG 2000), to PNG with its own depth.
 * Undefined if this build of ffmpeg cannot. @throws ENGINE_UNAVAILABLE, CANCELED, TIMEOUT
 */
export const decodeDeep = (path: string, signal?: AbortSignal): Promise<Buffer | undefined> =>
  withTemporaryFolder(async (folder) => {
    const output = join(folder, 'out.png')
    try {
      await runFfmpeg([...inputArguments(path), '-frames:v', '1', output], {
        what: 'reading the picture',
        ...(signal && { signal }),
      })
    } catch (error) {
      const failure = toMediaprocError(error)
      if (failure.code === 'INVALID_FILE' || failure.code === 'PROCESSING_FAILED') return undefined
      throw failure
    }
    return readFile(output).catch(() => undefined)
  })

/**
 * The track of an animated AVIF as an animated PNG in memory, with its frame times: 8 bits, lossless. Its alpha is a
 * second track (AV1 Image File Format, 4.1).
 * @param options.frames maximum number of frames to decode
 * @param options.maxOutput largest PNG in bytes; more is an error
 * @param options.warn called when a part of it is damaged
 */
export function decodeSequence(
  path: string,
  options: {
    hasAlpha: boolean
    frames: number
    maxOutput: number
    signal?: AbortSignal
    warn?: (sentence: string) => void
  },
): Promise<Uint8Array> {
  const { hasAlpha, frames, maxOutput, signal, warn } = options
  const source = hasAlpha ? ['-filter_complex', '[0:v:0][0:v:1]alphamerge'] : ['-map', '0:v:0']
  const output = ['-frames:v', String(frames), '-vsync', 'passthrough', '-c:v', 'apng', '-plays', '0', '-f', 'apng']
  return captureFfmpeg([...inputArguments(path), ...source, ...output, 'pipe:1'], {
    what: 'reading the animation',
    maxOutput,
    ...(signal && { signal }),
    ...(warn && { warn }),
  })
}

/** ffmpeg's scale for JPEG 2000: 1 is nearly lossless, 31 is small. */
const qscale = (quality: number): string => (1 + ((100 - quality) / 100) * 30).toFixed(2)

/** Encodes 8-bit pixels as JPEG 2000; quality 1 to 100. */
export async function encodeJp2(pixels: RawPixels, quality: number): Promise<Buffer> {
  await requireEncoder('jpeg2000')
  return withTemporaryFolder(async (folder) => {
    const input = join(folder, 'in.png')
    const output = join(folder, 'out.jp2')
    await (await openRawPixels(pixels)).png({ compressionLevel: 1 }).toFile(input)
    await runFfmpeg(
      [...inputArguments(input), '-frames:v', '1', '-c:v', 'jpeg2000', '-q:v', qscale(quality), '-f', 'image2', output],
      {
        what: 'writing JPEG 2000',
      },
    )
    return readFile(output)
  })
}
