import { abilities, requireFilter } from '../../../engines/ffmpeg/ffmpeg.ts'
import { mainVideo, type Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { readLight } from '../../../engines/ffmpeg/light.ts'
import type { AvSource } from '../input/part.ts'
import { isHdr } from './hdr.ts'
import { type PicturePlan, planPicture } from './plan.ts'
import { type PictureChoice, type PictureFacts, type PictureRequest, USUAL_FACTS } from './request.ts'
import { isSuspicious, markedOrder, scanFields } from './scan-fields.ts'

/**
 * Reads what planning an encode of a video needs to know: field order, mastering data, abilities of the installed ffmpeg.
 * Most videos need nothing, and cost no time.
 */
export async function studyPicture(
  source: AvSource,
  stream: Stream,
  { interlace }: PictureChoice,
  signal?: AbortSignal,
): Promise<PictureFacts> {
  const isForced = interlace === 'deinterlace' && !stream.isInterlaced
  const isScanned = isForced || isSuspicious(stream, source.info.format)
  const measure = isScanned ? scanFields : interlace === 'keep' && stream.isInterlaced ? markedOrder : undefined
  const measuredOrder = await measure?.(source, stream, signal)
  const isFielded = stream.isInterlaced || measuredOrder !== undefined || isForced
  if (!isFielded && !isHdr(stream)) return USUAL_FACTS
  const { filters, encoders } = await abilities()
  const read = isHdr(stream) ? await readLight(source.path, stream.index, signal) : undefined
  return {
    deinterlacer: filters.has('bwdif') ? 'bwdif' : 'yadif',
    hasHevc: encoders.has('libx265'),
    ...(measuredOrder && { measuredOrder }),
    ...(read && { light: read.light, dynamic: read.dynamic }),
  }
}

type Warn = (message: string, manner?: 'advice') => void

/**
 * Reports what a plan decided.
 * @throws MediaprocError ENGINE_UNAVAILABLE when the installed ffmpeg lacks a filter that the plan uses
 */
export async function announcePicture({ before, notices }: PicturePlan, warn: Warn): Promise<void> {
  for (const name of ['zscale', 'tonemap']) {
    if (before.some((filter) => filter.startsWith(`${name}=`))) await requireFilter(name)
  }
  for (const { message, isAdvice } of notices) warn(message, ...(isAdvice ? (['advice'] as const) : []))
}

/** The plan for the main video of a tool that runs ffmpeg itself; reports what was decided. */
export async function preparePicture(
  source: AvSource,
  request: Omit<PictureRequest, 'facts'>,
  { signal, warn }: { signal?: AbortSignal; warn: Warn },
): Promise<PicturePlan> {
  const stream = mainVideo(source.info)
  const facts = await studyPicture(source, stream, request.choice, signal)
  const plan = planPicture(stream, { ...request, facts })
  await announcePicture(plan, warn)
  return plan
}
