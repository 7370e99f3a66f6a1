import { displaySize, videoSize } from '../../engines/display-size.ts'
import { probeMedia } from '../../engines/ffmpeg/ffprobe.ts'

/** What an output's content says; facts that it does not have, such as the width of audio, are absent. */
export interface Measured {
  /** In pixels, as displayed. */
  width?: number
  height?: number
  /** In seconds. */
  duration?: number
}

/** Measuring reads headers only, and is part of a job with its own time limit. */
const NEVER = new AbortController().signal

async function pictureSize(path: string): Promise<Measured> {
  const [{ openMediaFile }, { decodeImage }] = await Promise.all([
    import('../../media/file.ts'),
    import('../../media/image/decode/decode.ts'),
  ])
  const { width, height } = await decodeImage(await openMediaFile(path), { signal: NEVER })
  return { width, height }
}

/**
 * Measures a finished output from its header.
 * @param type its media type
 */
export async function measure(path: string, type: string): Promise<Measured> {
  if (/^(audio|video)\//.test(type)) {
    const info = await probeMedia(path, { signal: NEVER }).catch(() => undefined)
    if (!info) return {}
    const { durationS } = info
    return {
      ...(type.startsWith('video/') && videoSize(info)),
      ...(durationS !== undefined && { duration: durationS }),
    }
  }
  // Formats that libvips does not read, such as JPEG XL.
  const size =
    (await displaySize(path, type, NEVER)) ??
    (type.startsWith('image/') ? await pictureSize(path).catch(() => undefined) : undefined)
  return { ...size }
}
