import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'

/** Encoders that support interlaced video and mark the field order from each decoded frame. */
const FIELD_ENCODERS = new Set(['libx264', 'mpeg2video', 'mpeg4'])
/** Filters that change no line, or every line in the same way, so that fields are preserved. */
const FIELD_SAFE = /^(trim|setpts|null|lutyuv|subtitles)(=|$)/
/**
 * The height of interlaced video in 4:2:0 must be a multiple of this: two fields with chroma in pairs of rows (H.264,
 * 6.4.1).
 */
const ROWS = 4

/**
 * Whether an encode keeps the fields of an interlaced stream. Any filter that scales, rotates or mixes rows would cause
 * combing that players cannot remove.
 * @param filters all filters between decoder and encoder
 */
export function keepsFields(stream: Stream, encoder: string, filters: readonly string[]): boolean {
  const isWhole = (stream.height ?? 1) % ROWS === 0
  return (
    stream.isInterlaced === true && isWhole && FIELD_ENCODERS.has(encoder) && filters.every((f) => FIELD_SAFE.test(f))
  )
}

/** Encoder options that preserve interlacing. */
export const FIELD_OPTIONS: readonly string[] = ['-flags:v', '+ilme+ildct']

/** Without this filter, the chroma of both fields is mixed when its resolution is halved. */
export const fieldColour = ({ pixelFormat = '' }: Stream): string[] =>
  /^(yuvj?420p|nv12)$/.test(pixelFormat) ? [] : ['scale=interl=1']
