import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'

/** Pixel formats with an alpha channel, by prefix of ffmpeg's names. */
const WITH_ALPHA = /^(yuva|ya\d|rgba|bgra|argb|abgr|gbrap)/
/** Encoders in use that keep alpha. */
const KEEPS_ALPHA = new Set(['libvpx-vp9', 'gif', 'libwebp', 'libwebp_anim', 'png'])
/** VP8 and VP9 store alpha in a separate stream next to the picture, which only these decoders read. */
const DECODERS: Readonly<Record<string, string>> = { vp8: 'libvpx', vp9: 'libvpx-vp9' }

/** Whether a video stream has alpha. GIFs are always decoded with alpha. */
export const hasAlpha = ({ codec, pixelFormat = '', tags }: Stream): boolean =>
  (codec !== 'gif' && WITH_ALPHA.test(pixelFormat)) || (codec in DECODERS && tags.alpha_mode === '1')

/** Whether an encode drops alpha. */
export const losesAlpha = (stream: Stream, encoder: string | undefined): boolean =>
  hasAlpha(stream) && !KEEPS_ALPHA.has(encoder ?? '')

/** The warning for dropped alpha. @param format display name of the output format */
export const withoutAlpha = (format: string): string => `the transparency is left out: ${format} is written without any`

/** Options before an input whose alpha is kept. */
export function alphaDecoder(stream: Stream, encoder: string | undefined): string[] {
  const decoder = DECODERS[stream.codec]
  return decoder && hasAlpha(stream) && !losesAlpha(stream, encoder) ? ['-c:v', decoder] : []
}
