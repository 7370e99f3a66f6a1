import { probeMedia, videoStream } from '../../engines/ffmpeg/ffprobe.ts'
import { thumbnailSteps as smallSteps } from '../../local/thumbnail-steps.ts'
import type { MediaFile } from '../../media/file.ts'
import type { TaskStep } from '../../pool/messages.ts'

const THUMBNAIL_WIDTH = 300
const PREVIEW_SIDE = 1200
const VIDEO = { width: 720, seconds: 30 }
const AUDIO = { seconds: 60, bitrateKbps: 128 }

/** Steps that create a thumbnail of a file. @throws PROCESSING_FAILED when its type has none */
export const thumbnailSteps = (file: MediaFile): TaskStep[] => smallSteps(file, { width: THUMBNAIL_WIDTH })

/** Steps that create a picture which every browser can show. */
export function pictureSteps(): TaskStep[] {
  const settings = { width: PREVIEW_SIDE, height: PREVIEW_SIDE, fit: 'inside', withoutEnlargement: true }
  return [
    { toolId: 'image/resize', settings },
    { toolId: 'image/convert', settings: { format: 'webp', quality: 80 } },
  ]
}

/** Steps that make the start of a video or audio file playable in every browser; undefined for other types. */
export async function playableSteps(file: MediaFile): Promise<TaskStep[] | undefined> {
  if (file.type.group !== 'video' && file.type.group !== 'audio') return undefined
  const info = await probeMedia(file.path)
  const { durationS = 0 } = info
  const width = videoStream(info)?.displayWidth
  if (width === undefined || file.type.group === 'audio') {
    const cut = { toolId: 'audio/trim-audio', settings: { startS: 0, endS: AUDIO.seconds } }
    const convert = { toolId: 'audio/convert-audio', settings: { format: 'mp3', bitrateKbps: AUDIO.bitrateKbps } }
    return durationS > AUDIO.seconds ? [cut, convert] : [convert]
  }
  const cut = { toolId: 'video/trim-video', settings: { startS: 0, endS: VIDEO.seconds, precise: true } }
  const narrow = { toolId: 'video/resize-video', settings: { width: VIDEO.width } }
  const convert = { toolId: 'video/convert-video', settings: { format: 'mp4', quality: 'balanced' } }
  return [...(durationS > VIDEO.seconds ? [cut] : []), ...(width > VIDEO.width ? [narrow] : []), convert]
}
