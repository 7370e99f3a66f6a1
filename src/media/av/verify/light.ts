import { isDeepStrictEqual } from 'node:util'
import { type MediaInfo, videoStream } from '../../../engines/ffmpeg/ffprobe.ts'
import { readLight } from '../../../engines/ffmpeg/light.ts'
import type { Loss } from './loss.ts'
import type { OutputPlan } from './output-plan.ts'

/** Mastering data that was planned to be written, and is not found in the frames of the output. */
export async function lightLoss(
  path: string,
  { light }: OutputPlan,
  output: MediaInfo,
  signal?: AbortSignal,
): Promise<Loss[]> {
  const stream = videoStream(output)
  if (!stream || !light || (!light.mastering && !light.levels)) return []
  const written = await readLight(path, stream.index, signal)
  // Without ffprobe, nothing is known about the frames.
  if (!written) return []
  const names = [
    ...(isDeepStrictEqual(written.mastering, light.mastering) ? [] : ['Mastering display metadata']),
    ...(isDeepStrictEqual(written.levels, light.levels) ? [] : ['Content light level metadata']),
  ]
  return names.length > 0 ? [{ kind: 'hdrMetadata', from: names.join(', '), of: 'video', stream: 0 }] : []
}
