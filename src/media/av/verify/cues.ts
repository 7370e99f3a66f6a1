import { captureFfmpeg, inputArguments } from '../../../engines/ffmpeg/ffmpeg.ts'
import type { Loss } from './loss.ts'
import type { OutputPlan } from './output-plan.ts'

/** Enough for the packet list of the largest accepted subtitle file, bytes. */
const MAX_LIST_BYTES = 16 * 1024 * 1024
/** MP4 fills gaps between cues with a packet that only declares an empty text. */
const EMPTY_BYTES = 2

/** Compares the added cues with the packets in the output. */
export async function cueLoss(path: string, plan: OutputPlan, signal?: AbortSignal): Promise<Loss[]> {
  const { addedCues, container } = plan
  if (addedCues === undefined) return []
  const args = [...inputArguments(path), '-map', '0:s:0', '-c', 'copy', '-f', 'framecrc', 'pipe:1']
  const list = Buffer.from(await captureFfmpeg(args, { maxOutput: MAX_LIST_BYTES, ...(signal && { signal }) }))
  const sizes = [...list.toString('latin1').matchAll(/^0, *-?\d+, *-?\d+, *\d+, *(\d+),/gm)].map(([, size]) =>
    Number(size),
  )
  const isFiller = (size: number): boolean => container.demuxer === 'mov' && size <= EMPTY_BYTES
  const to = sizes.filter((size) => !isFiller(size)).length
  return to < addedCues ? [{ kind: 'cues', of: 'subtitle', from: addedCues, to }] : []
}
