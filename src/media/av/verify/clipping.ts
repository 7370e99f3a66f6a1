import { audioStreams, type MediaInfo } from '../../../engines/ffmpeg/ffprobe.ts'
import { peakDb } from '../measure/max-volume.ts'
import { type Loss, streamsOf } from './loss.ts'
import type { OutputPlan } from './output-plan.ts'
import { isFloat } from './sound.ts'

/**
 * Floating-point samples may exceed full scale, which no other codec supports. Clipping is measured on the source, so
 * it is only reported when all of the source is in the output at its original level.
 */
export async function clippingLoss(plan: OutputPlan, output: MediaInfo, signal?: AbortSignal): Promise<Loss[]> {
  const { kept, changes, added, source, isCut } = plan
  const [first] = kept.audio
  const made = streamsOf(output, 'audio')[added.audio]
  if (!first || !made || first.isCopy || first.stream !== audioStreams(source.info)[0]) return []
  if (!isFloat(first.stream) || isFloat(made) || changes.has('level') || isCut) return []
  const peak = await peakDb(source, { signal: signal ?? new AbortController().signal })
  return peak !== undefined && peak > 0 ? [{ kind: 'clipping', of: 'audio', from: peak, to: 0 }] : []
}
