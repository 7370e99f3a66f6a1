import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { displaySize } from '../../engines/display-size.ts'

/** What an output's content says; facts that it does not have, such as the width of audio, are absent. */
export interface Measured {
  /** In pixels, as displayed. */
  width?: number
  height?: number
  /** In seconds. */
  duration?: number
}

/** Measuring reads headers only, and is part of a job with its own time limit. */
const NEVER = new AbortController().signal

async function pictureSize(path: string): Promise<Measured> {
  const [{ openMediaFile }, { decodeImage }] = await Promise.all([
    import('../../media/file.ts'),
    import('../../media/image/decode/decode.ts'),
  ])
  const { width, height } = await decodeImage(await openMediaFile(path), { signal: NEVER })
  return { width, height }
}

async function durationOf(path: string): Promise<number | undefined> {
  const { probeMedia } = await import('../../engines/ffmpeg/ffprobe.ts')
  return (await probeMedia(path, { signal: NEVER }).catch(() => undefined))?.durationS
}

/**
 * Measures a finished output from its header.
 * @param type its media type
 */
export async function measure(path: string, type: string): Promise<Measured> {
  // Formats that libvips does not read, such as JPEG XL.
  const size =
    (await displaySize(path, type, NEVER)) ??
    (type.startsWith('image/') ? await pictureSize(path).catch(() => undefined) : undefined)
  const duration = /^(audio|video)\//.test(type) ? await durationOf(path) : undefined
  return { ...size, ...(duration !== undefined && { duration }) }
}

/** Checksums of a file, read once. */
export async function checksums<Name extends string>(
  path: string,
  ...algorithms: readonly Name[]
): Promise<Record<Name, Buffer>> {
  const hashes = algorithms.map((name) => [name, createHash(name)] as const)
  await pipeline(createReadStream(path), async (chunks) => {
    for await (const chunk of chunks) for (const [, hash] of hashes) hash.update(chunk as Buffer)
  })
  return Object.fromEntries(hashes.map(([name, hash]) => [name, hash.digest()])) as Record<Name, Buffer>
}
