import { inputArguments, streamFfmpeg } from '../../../engines/ffmpeg/ffmpeg.ts'
import { packetReader } from '../input/packet-list.ts'
import type { Loss } from './loss.ts'
import type { OutputPlan } from './output-plan.ts'

/** MP4 fills gaps between cues with a packet that only declares an empty text. */
const EMPTY_BYTES = 2

/** Compares the added cues with the packets in the output. */
export async function cueLoss(path: string, plan: OutputPlan, signal?: AbortSignal): Promise<Loss[]> {
  const { addedCues, container } = plan
  if (addedCues === undefined) return []
  const args = [...inputArguments(path), '-map', '0:s:0', '-c', 'copy', '-f', 'framecrc', 'pipe:1']
  const isFiller = (size: number): boolean => container.demuxer === 'mov' && size <= EMPTY_BYTES
  let to = 0
  const reader = packetReader(({ size }) => {
    if (!isFiller(size)) to += 1
  })
  await streamFfmpeg(args, reader, { what: 'Counting the cues', ...(signal && { signal }) })
  return to < addedCues ? [{ kind: 'cues', of: 'subtitle', from: addedCues, to }] : []
}
