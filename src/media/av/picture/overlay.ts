import { abilities } from '../../../engines/ffmpeg/ffmpeg.ts'
import { mainVideo, type Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { knownContainer } from '../containers.ts'
import { outputExtension } from '../filters/graph.ts'
import type { AvSource } from '../input/part.ts'
import { holdsHdr, isHdr } from './hdr.ts'
import type { PictureChoice, PictureRequest } from './request.ts'

/** The first year of builds (ffmpeg 4.4) whose `overlay` has 10 bits. */
const DEEP_OVERLAY_YEAR = 2021

/** Whether a video is HDR and stays so. */
export const staysHdr = (stream: Stream, request: PictureRequest): boolean =>
  isHdr(stream) && request.choice.hdr !== 'sdr' && holdsHdr(request)

/** The format for `overlay` on a video that stays HDR; it has 8 bits by default, which cause bands in HDR. */
async function hdrOverlayFormat(): Promise<string> {
  const { year = DEEP_OVERLAY_YEAR } = await abilities()
  return year >= DEEP_OVERLAY_YEAR ? 'yuv420p10' : 'auto'
}

/**
 * Whether the video that something is laid over stays HDR when it is encoded with the source's container, and the
 * `format` that `overlay` needs then.
 */
export async function overlayOn(
  source: AvSource,
  choice: PictureChoice,
  options: readonly string[],
): Promise<{ isHdr: boolean; format?: string }> {
  const container = knownContainer(outputExtension(source, []))
  const isHdr = staysHdr(mainVideo(source.info), { choice, options, container, filters: [] })
  return { isHdr, ...(isHdr && { format: await hdrOverlayFormat() }) }
}
