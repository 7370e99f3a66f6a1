import { stat } from 'node:fs/promises'
import { runFfmpeg } from '../../../../src/engines/ffmpeg/ffmpeg.ts'
import { MediaprocError } from '../../../../src/errors.ts'
import { seconds } from '../../../../src/media/av/range.ts'

/** Timeout of one attempt (catalogue), in milliseconds. */
const TIMEOUT_MS = 60_000

/** How far before the timestamp the search for the last frame starts; longer than most gaps between frames. Seconds. */
const LOOK_BACK_S = 10

export interface FrameRequest {
  /** ffmpeg's options before the name of the video file. */
  input: readonly string[]
  /** Seconds from its start. */
  at: number
  /** ffmpeg's options for the stream and the image quality. */
  options: readonly string[]
  /** The image to write; the name is not treated as a pattern. */
  path: string
  signal: AbortSignal
}

/**
 * Writes the frame at a timestamp: the first one that starts then or later. If there is none (the last frame has
 * started, the audio is longer, or the file has no index for seeking), writes the last one that starts before.
 * @throws MediaprocError PROCESSING_FAILED if there is none either
 */
export async function writeFrameAt({ input, at, options, path, signal }: FrameRequest): Promise<void> {
  const run = { signal, timeoutMs: TIMEOUT_MS, what: 'ffmpeg' }
  const output = [...options, '-update', '1', '-f', 'image2', path]
  await runFfmpeg(['-ss', seconds(at), ...input, '-frames:v', '1', ...output], run)
  for (const from of [Math.max(0, at - LOOK_BACK_S), 0]) {
    if (await isThere(path)) return
    // Each frame overwrites the previous one, so the last one remains.
    const seek = from > 0 ? ['-ss', seconds(from)] : []
    if (at > from) await runFfmpeg([...seek, '-to', seconds(at), ...input, ...output], run)
  }
  if (!(await isThere(path))) throw new MediaprocError('PROCESSING_FAILED', `There is no frame at ${seconds(at)} s`)
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    ({ size }) => size > 0,
    () => false,
  )
