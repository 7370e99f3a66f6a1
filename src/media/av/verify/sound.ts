import type { MediaInfo, Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { type Loss, streamsOf } from './loss.ts'
import type { OutputPlan } from './output-plan.ts'

/** Losses of encoded audio compared with the source. */
export function soundLosses({ kept, changes, added, isJoined }: OutputPlan, output: MediaInfo): Loss[] {
  const made = streamsOf(output, 'audio').slice(added.audio)
  const pairs = kept.audio.flatMap(({ stream, isCopy }, position) => {
    const to = made[position]
    return to && !isCopy ? [{ from: stream, to, position }] : []
  })
  const reason = isJoined ? 'joined' : 'codec'
  const losses = pairs.flatMap(({ from, to, position }) => [
    ...lowered('sampleRate', from.sampleRate, changes.has('sampleRate') ? undefined : to.sampleRate, position),
    ...lowered('channels', from.channels, changes.has('channels') ? undefined : to.channels, position),
    ...depthLoss(from, to, position),
  ])
  return losses.map((loss) => ({ ...loss, reason }))
}

function lowered(
  kind: 'sampleRate' | 'channels',
  from: number | undefined,
  to: number | undefined,
  stream: number,
): Loss[] {
  return from !== undefined && to !== undefined && to < from ? [{ kind, of: 'audio', stream, from, to }] : []
}

/** Whether the samples are uncompressed floating-point numbers. */
export const isFloat = ({ codec }: Stream): boolean => /^pcm_f/.test(codec)

/** Lossless samples that have fewer bits than before; a lossy codec has no bit depth and was requested. */
function depthLoss(from: Stream, to: Stream, stream: number): Loss[] {
  if (from.sampleBits === undefined || to.sampleBits === undefined) return []
  const shown = (side: Stream): string => `${isFloat(side) ? 'float ' : ''}${side.sampleBits}`
  // Floats have 24 bits of precision at every level, integers only at full scale.
  const isLess = to.sampleBits < from.sampleBits || (isFloat(from) && !isFloat(to))
  return isLess ? [{ kind: 'sampleBits', of: 'audio', stream, from: shown(from), to: shown(to) }] : []
}
