import { videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import type { AvSource } from '../../../src/media/av/input/part.ts'

/** The size of the first video stream as displayed, pixels; 0 if unknown. */
export function shownSize(source: AvSource): { width: number; height: number } {
  const { displayWidth = 0, displayHeight = 0 } = videoStream(source.info) ?? {}
  return { width: displayWidth, height: displayHeight }
}

/**
 * Filters that make the pixels square, so that sizes and positions match the displayed image. ffmpeg has already
 * applied the rotation.
 */
export function squarePixels(source: AvSource): string[] {
  const { sampleAspectRatio = '1:1' } = videoStream(source.info) ?? {}
  const [across, down] = sampleAspectRatio.split(':')
  if (across === down) return []
  const { width, height } = shownSize(source)
  return [`scale=${width}:${height}:flags=lanczos`, 'setsar=1']
}
