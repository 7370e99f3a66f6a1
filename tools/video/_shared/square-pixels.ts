import { videoStream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import type { AvSource } from '../../../src/media/av/input/part.ts'

/** The size of the first video as a player shows it, pixels. 0 where it is not known. */
export function shownSize(source: AvSource): { width: number; height: number } {
  const { displayWidth = 0, displayHeight = 0 } = videoStream(source.info) ?? {}
  return { width: displayWidth, height: displayHeight }
}

/**
 * Filters that make the pixels square where they are not, so that sizes and places mean what is seen. ffmpeg has turned
 * the picture by its rotation before.
 */
export function squarePixels(source: AvSource): string[] {
  const { sampleAspectRatio = '1:1' } = videoStream(source.info) ?? {}
  const [across, down] = sampleAspectRatio.split(':')
  if (across === down) return []
  const { width, height } = shownSize(source)
  return [`scale=${width}:${height}:flags=lanczos`, 'setsar=1']
}
