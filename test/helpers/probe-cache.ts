import { stat } from 'node:fs/promises'
import { vi } from 'vitest'
import * as ffprobe from '../../src/engines/ffmpeg/ffprobe.ts'

const answers = new Map<string, ffprobe.MediaInfo>()

/** The current state of the file, and the programs that read it. */
async function keyOf(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true })
  const { MEDIAPROC_FFPROBE, MEDIAPROC_FFMPEG, PATH } = process.env
  return [path, ino, size, mtimeNs, MEDIAPROC_FFPROBE, MEDIAPROC_FFMPEG, PATH].join('\n')
}

/**
 * Caches the answers of ffprobe, whose start takes longer than many a test, by the state of the file: most media files of the
 * tests are created once and used with many tools. Refused, stopped and time-limited calls are not cached.
 */
export function rememberProbes(): void {
  // Only vitest's own loader of modules lets exports be replaced.
  if (!Object.getOwnPropertyDescriptor(ffprobe, 'probeMedia')?.configurable) return
  const ask = ffprobe.probeMedia
  vi.spyOn(ffprobe, 'probeMedia').mockImplementation(async (path, options = {}) => {
    const key = await keyOf(path).catch(() => undefined)
    if (key === undefined || options.timeoutMs !== undefined || options.signal?.aborted) return ask(path, options)
    const answer = answers.get(key) ?? (await ask(path, options))
    answers.set(key, answer)
    // A copy, so that callers cannot change the cached value.
    return structuredClone(answer)
  })
}
