import { join } from 'node:path'
import { mainAudio } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { writeReversedSound } from '../../../src/media/av/filters/reversed-sound.ts'
import type { AvPart, AvSource } from '../../../src/media/av/input/part.ts'
import type { StepContext } from '../../../src/tool/contract.ts'
import { reencoded } from '../_shared/encode/reencoded.ts'

/** Memory limit for the filter, which holds the whole decoded file, bytes: twelve minutes of music. */
export const MAX_HELD_BYTES = 256 * 1024 * 1024
/** Bytes per decoded sample, at most. */
const SAMPLE_BYTES = 4
/** The share of the work on a long file that is done before encoding starts. */
const TURNING_SHARE = 0.5

/** Whether a decoded file is too long for memory, or its length is unknown. */
export function isTooLong({ info }: AvSource, heldBytes = MAX_HELD_BYTES): boolean {
  const { channels = 2, sampleRate = 48_000 } = mainAudio(info)
  return info.durationS === undefined || info.durationS * sampleRate * channels * SAMPLE_BYTES > heldBytes
}

/** Chapters change their order. */
const backwards = ({ info: { durationS } }: AvSource): Pick<AvPart, 'changesDuration' | 'mapsTime'> => ({
  changesDuration: (whole) => whole,
  ...(durationS !== undefined && { mapsTime: (timeS) => durationS - timeS }),
})

/**
 * The part that reverses an audio file: with a filter, or via a temporary file if the filter would take too much
 * memory.
 */
export async function reversedPart(
  source: AvSource,
  { scratch, signal, warn, progress }: Pick<StepContext, 'scratch' | 'signal' | 'warn' | 'progress'>,
  heldBytes = MAX_HELD_BYTES,
): Promise<AvPart> {
  if (!isTooLong(source, heldBytes)) return { ...reencoded(source, ['areverse']), ...backwards(source) }
  const path = join(await scratch(), 'reversed.w64')
  const stream = mainAudio(source.info)
  await writeReversedSound(source, stream, path, {
    ...{ signal, warn, durationS: source.info.durationS },
    onProgress: (fraction) => progress(fraction * TURNING_SHARE, 'reversing'),
  })
  const part = reencoded(source, [])
  return {
    ...part,
    ...backwards(source),
    audio: { path, padToVideo: false },
    // Ogg stores titles on the stream.
    encode: { ...part.encode, options: ['-map_metadata:s:a:0', `0:s:${stream.index}`] },
    progressFrom: TURNING_SHARE,
  }
}
