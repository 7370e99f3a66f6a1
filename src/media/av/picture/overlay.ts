import { abilities } from '../../../engines/ffmpeg/ffmpeg.ts'
import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { holdsHdr, isHdr } from './hdr.ts'
import type { PictureRequest } from './request.ts'

/** The first year of builds (ffmpeg 4.4) whose `overlay` has 10 bits. */
const DEEP_OVERLAY_YEAR = 2021

/** Whether a video is HDR and stays so. */
export const staysHdr = (stream: Stream, request: PictureRequest): boolean =>
  isHdr(stream) && request.choice.hdr !== 'sdr' && holdsHdr(request)

/** The format for `overlay` on a video that stays HDR; it has 8 bits by default, which cause bands in HDR. */
export async function hdrOverlayFormat(): Promise<string> {
  const { year = DEEP_OVERLAY_YEAR } = await abilities()
  return year >= DEEP_OVERLAY_YEAR ? 'yuv420p10' : 'auto'
}
