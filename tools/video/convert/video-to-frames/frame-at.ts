import { stat } from 'node:fs/promises'
import { runFfmpeg } from '../../../../src/engines/ffmpeg/ffmpeg.ts'
import { MediaprocError } from '../../../../src/errors.ts'
import { seconds } from '../../../../src/media/av/range.ts'

/** Limit of one attempt (catalogue), in milliseconds. */
const TIMEOUT_MS = 60_000

/** How far before the moment the last frame is looked for first; longer than most pauses between frames. Seconds. */
const LOOK_BACK_S = 10

export interface FrameRequest {
  /** ffmpeg's options up to the name of the video file. */
  input: readonly string[]
  /** Seconds from its start. */
  at: number
  /** ffmpeg's options that choose the stream and the picture's quality. */
  options: readonly string[]
  /** The picture to write; taken literally. */
  path: string
  signal: AbortSignal
}

/**
 * Writes the frame at a time: the first that starts then or later. If there is none (the last frame has started, the
 * audio is longer, or the file has no index to seek with) it is the last one that starts before.
 * @throws MediaprocError PROCESSING_FAILED if there is none either
 */
export async function writeFrameAt({ input, at, options, path, signal }: FrameRequest): Promise<void> {
  const run = { signal, timeoutMs: TIMEOUT_MS, what: 'ffmpeg' }
  const output = [...options, '-update', '1', '-f', 'image2', path]
  await runFfmpeg(['-ss', seconds(at), ...input, '-frames:v', '1', ...output], run)
  for (const from of [Math.max(0, at - LOOK_BACK_S), 0]) {
    if (await isThere(path)) return
    // Each frame is written over the one before, so the last one stays.
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
