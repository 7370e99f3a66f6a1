import { join } from 'node:path'
import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { writeReversedSound } from '../../../src/media/av/filters/reversed-sound.ts'
import type { AvPart, AvSource } from '../../../src/media/av/input/part.ts'
import type { StepContext } from '../../../src/tool/contract.ts'
import { reencoded } from '../_shared/encode/reencoded.ts'

/** The filter holds the whole recording, decoded: this many bytes at most, twelve minutes of music. */
export const MAX_HELD_BYTES = 256 * 1024 * 1024
/** Of a decoded sample, at most. */
const SAMPLE_BYTES = 4
/** How much of the work of a long recording is done before it is encoded. */
const TURNING_SHARE = 0.5

/** Whether a recording, decoded, is too long for the memory, or nobody knows how long it is. */
export function isTooLong({ info }: AvSource, heldBytes = MAX_HELD_BYTES): boolean {
  const { channels = 2, sampleRate = 48_000 } = audioStreams(info)[0]!
  return info.durationS === undefined || info.durationS * sampleRate * channels * SAMPLE_BYTES > heldBytes
}

/** The part that plays a recording backwards: by a filter, or, where that would take too much memory, from a work file. */
export async function reversedPart(
  source: AvSource,
  { scratch, signal, warn, progress }: Pick<StepContext, 'scratch' | 'signal' | 'warn' | 'progress'>,
  heldBytes = MAX_HELD_BYTES,
): Promise<AvPart> {
  if (!isTooLong(source, heldBytes)) return reencoded(source, ['areverse'])
  const path = join(await scratch(), 'reversed.w64')
  const stream = audioStreams(source.info)[0]!
  await writeReversedSound(source, stream, path, {
    ...{ signal, warn, durationS: source.info.durationS },
    onProgress: (fraction) => progress(fraction * TURNING_SHARE, 'reversing'),
  })
  const part = reencoded(source, [])
  return {
    ...part,
    audio: { path, padToVideo: false },
    // Ogg keeps titles with the stream.
    encode: { ...part.encode, options: ['-map_metadata:s:a:0', `0:s:${stream.index}`] },
    progressFrom: TURNING_SHARE,
  }
}
