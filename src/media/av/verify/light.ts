import { isDeepStrictEqual } from 'node:util'
import { type MediaInfo, videoStream } from '../../../engines/ffmpeg/ffprobe.ts'
import { readLight } from '../../../engines/ffmpeg/light.ts'
import type { Loss } from './loss.ts'
import type { OutputPlan } from './output-plan.ts'

/** Mastering data that was planned to be written, and is found neither in the container nor in the frames of the output. */
export async function lightLoss(
  path: string,
  { light }: OutputPlan,
  output: MediaInfo,
  signal?: AbortSignal,
): Promise<Loss[]> {
  const stream = videoStream(output)
  if (!stream || !light || (!light.mastering && !light.levels)) return []
  const planned = [
    ...(light.mastering ? (['Mastering display metadata'] as const) : []),
    ...(light.levels ? (['Content light level metadata'] as const) : []),
  ].filter((name) => !stream.sideData?.includes(name))
  const written = planned.length > 0 ? await readLight(path, stream.index, signal) : undefined
  // Without ffprobe, nothing is known about the frames.
  if (!written) return []
  const found = {
    'Mastering display metadata': isDeepStrictEqual(written.light.mastering, light.mastering),
    'Content light level metadata': isDeepStrictEqual(written.light.levels, light.levels),
  }
  const names = planned.filter((name) => !found[name])
  return names.length > 0 ? [{ kind: 'hdrMetadata', from: names.join(', '), of: 'video', stream: 0 }] : []
}
