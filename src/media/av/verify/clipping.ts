import { audioStreams, type MediaInfo } from '../../../engines/ffmpeg/ffprobe.ts'
import { peakDb } from '../measure/max-volume.ts'
import { type Loss, streamsOf } from './loss.ts'
import type { OutputPlan } from './output-plan.ts'
import { isFloat } from './sound.ts'

/**
 * Floating-point samples may be louder than full scale, which no other codec can hold. What is cut off is measured on the
 * source, so it is said only where all of it is in the output at the level that it had.
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
