import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'

/** Pixel formats that hold how transparent each pixel is, by the beginnings of ffmpeg's names. */
const WITH_ALPHA = /^(yuva|ya\d|rgba|bgra|argb|abgr|gbrap)/
/** Encoders of ours that keep it. */
const KEEPS_ALPHA = new Set(['libvpx-vp9', 'gif', 'libwebp', 'libwebp_anim', 'png'])
/** VP8 and VP9 keep it in a stream of its own beside the picture, which only these decoders read. */
const DECODERS: Readonly<Record<string, string>> = { vp8: 'libvpx', vp9: 'libvpx-vp9' }

/** Whether a picture is transparent in places. GIFs are always decoded as if they were. */
export const hasAlpha = ({ codec, pixelFormat = '', tags }: Stream): boolean =>
  (codec !== 'gif' && WITH_ALPHA.test(pixelFormat)) || (codec in DECODERS && tags.alpha_mode === '1')

/** Whether an encode leaves transparency out. */
export const losesAlpha = (stream: Stream, encoder: string | undefined): boolean =>
  hasAlpha(stream) && !KEEPS_ALPHA.has(encoder ?? '')

/** What is said then. @param format the output's, as people know it */
export const withoutAlpha = (format: string): string => `the transparency is left out: ${format} is written without any`

/** Options before an input whose transparency is kept. */
export function alphaDecoder(stream: Stream, encoder: string | undefined): string[] {
  const decoder = DECODERS[stream.codec]
  return decoder && hasAlpha(stream) && !losesAlpha(stream, encoder) ? ['-c:v', decoder] : []
}
