import { probeMedia, videoStream } from './ffmpeg/ffprobe.ts'
import { readMetadata } from './sharp.ts'

/** In pixels, after rotation. */
export interface DisplaySize {
  width: number
  height: number
}

async function measure(path: string, type: string, signal: AbortSignal): Promise<Partial<DisplaySize> | undefined> {
  if (type.startsWith('image/')) return (await readMetadata(path)).autoOrient
  if (!type.startsWith('video/')) return undefined
  const stream = videoStream(await probeMedia(path, { signal }))
  return { width: stream?.displayWidth, height: stream?.displayHeight }
}

/**
 * Width and height of a picture or video, from its header; undefined if the engines cannot read it.
 * @param type its media type
 */
export async function displaySize(path: string, type: string, signal: AbortSignal): Promise<DisplaySize | undefined> {
  const { width, height } = (await measure(path, type, signal).catch(() => undefined)) ?? {}
  return width && height ? { width, height } : undefined
}
