import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'

/** Encoders that write both fields of a frame, and mark them with the order that each decoded frame has. */
const FIELD_ENCODERS = new Set(['libx264', 'mpeg2video', 'mpeg4'])
/** Filters that change no line, or every line alike, so that each field stays what it is. */
const FIELD_SAFE = /^(trim|setpts|null|lutyuv|subtitles)(=|$)/
/** Rows that a picture of fields must be a multiple of in 4:2:0: two fields of colour in pairs of rows (H.264, 6.4.1). */
const ROWS = 4

/**
 * Whether an encode keeps the fields of an interlaced stream. Everything that scales, turns or mixes rows would make combs
 * that no player removes.
 * @param filters complete filters between decoder and encoder
 */
export function keepsFields(stream: Stream, encoder: string, filters: readonly string[]): boolean {
  const isWhole = (stream.height ?? 1) % ROWS === 0
  return (
    stream.isInterlaced === true && isWhole && FIELD_ENCODERS.has(encoder) && filters.every((f) => FIELD_SAFE.test(f))
  )
}

/** Encoder options that keep the fields. */
export const FIELD_OPTIONS: readonly string[] = ['-flags:v', '+ilme+ildct']

/** The filter without which the colours of both fields are mixed where their resolution is halved. */
export const fieldColour = ({ pixelFormat = '' }: Stream): string[] =>
  /^(yuvj?420p|nv12)$/.test(pixelFormat) ? [] : ['scale=interl=1']
