import { type MediaInfo, probeMedia, videoStream } from './ffmpeg/ffprobe.ts'
import { readMetadata } from './sharp.ts'

/** In pixels, after rotation. */
export interface DisplaySize {
  width: number
  height: number
}

/** The size of a video; undefined if it has no picture. */
export function videoSize(info: MediaInfo): DisplaySize | undefined {
  const { displayWidth: width, displayHeight: height } = videoStream(info) ?? {}
  return width && height ? { width, height } : undefined
}

async function measure(path: string, type: string, signal: AbortSignal): Promise<DisplaySize | undefined> {
  if (type.startsWith('image/')) return (await readMetadata(path)).autoOrient
  return type.startsWith('video/') ? videoSize(await probeMedia(path, { signal })) : undefined
}

/**
 * Width and height of a picture or video, from its header; undefined if the engines cannot read it.
 * @param type its media type
 */
export async function displaySize(path: string, type: string, signal: AbortSignal): Promise<DisplaySize | undefined> {
  const { width, height } = (await measure(path, type, signal).catch(() => undefined)) ?? {}
  return width && height ? { width, height } : undefined
}
