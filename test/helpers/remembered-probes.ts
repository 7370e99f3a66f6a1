import { stat } from 'node:fs/promises'
import { vi } from 'vitest'
import * as ffprobe from '../../src/engines/ffmpeg/ffprobe.ts'

const answers = new Map<string, ffprobe.MediaInfo>()

/** The file as it is now, and the programs that are asked about it. */
async function keyOf(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true })
  const { MEDIAPROC_FFPROBE, MEDIAPROC_FFMPEG, PATH } = process.env
  return [path, ino, size, mtimeNs, MEDIAPROC_FFPROBE, MEDIAPROC_FFMPEG, PATH].join('\n')
}

/**
 * Has ffprobe, whose start costs more than many a test, asked once about a file as it is: most recordings of the tests are
 * made once and go through many tools. What is refused, stopped or limited in time is asked each time.
 */
export function rememberProbes(): void {
  const ask = ffprobe.probeMedia
  vi.spyOn(ffprobe, 'probeMedia').mockImplementation(async (path, options = {}) => {
    const key = await keyOf(path).catch(() => undefined)
    if (key === undefined || options.timeoutMs !== undefined || options.signal?.aborted) return ask(path, options)
    const answer = answers.get(key) ?? (await ask(path, options))
    answers.set(key, answer)
    // A copy: nobody changes what the next one gets.
    return structuredClone(answer)
  })
}
