/** The default encoder settings for a stream that must be encoded when the tool does not specify any. */
interface VideoCodec {
  encoder: string
  /** Constant quality on the encoder's own scale; lower is better for all encoders except Theora. */
  quality?: { option: '-crf' | '-q:v'; value: number }
  preset?: string
  rest?: readonly string[]
}

interface AudioCodec {
  encoder: string
  bitrateKbps?: number
  /** Used when no bit rate is given. */
  rest?: readonly string[]
}

const H264: VideoCodec = {
  encoder: 'libx264',
  quality: { option: '-crf', value: 20 },
  preset: 'medium',
  rest: ['-pix_fmt', 'yuv420p'],
}
// AVI has one number per frame and no timestamps: reordered frames (B-frames) would be out of sync with the audio.
const H264_IN_ORDER: VideoCodec = { ...H264, rest: [...H264.rest!, '-bf', '0'] }
const THEORA: VideoCodec = { encoder: 'libtheora', quality: { option: '-q:v', value: 7 } }
const MPEG2: VideoCodec = {
  encoder: 'mpeg2video',
  quality: { option: '-q:v', value: 4 },
  rest: ['-pix_fmt', 'yuv420p'],
}

/** By output extension; all others use H.264. */
export const VIDEO_CODECS: Readonly<Record<string, VideoCodec>> = {
  // Bit rate 0 enables constant quality; without it, -crf is only a ceiling.
  webm: {
    encoder: 'libvpx-vp9',
    quality: { option: '-crf', value: 30 },
    rest: ['-b:v', '0', '-row-mt', '1'],
  },
  avi: H264_IN_ORDER,
  ogv: THEORA,
  ogg: THEORA,
  mpg: MPEG2,
  mpeg: MPEG2,
  gif: { encoder: 'gif' },
  webp: { encoder: 'libwebp', rest: ['-loop', '0'] },
}

const AAC: AudioCodec = { encoder: 'aac', bitrateKbps: 192 }
const MP2: AudioCodec = { encoder: 'mp2', bitrateKbps: 192 }
const MP3: AudioCodec = { encoder: 'libmp3lame', bitrateKbps: 192 }
// Quality-based, because libvorbis rejects low sample rates such as 8 kHz with a fixed bit rate.
const VORBIS: AudioCodec = { encoder: 'libvorbis', rest: ['-q:a', '6'] }
const AIFF: AudioCodec = { encoder: 'pcm_s16be' }

/** By output extension; all others use AAC. */
export const AUDIO_CODECS: Readonly<Record<string, AudioCodec>> = {
  webm: { encoder: 'libopus' },
  ogv: VORBIS,
  ogg: VORBIS,
  oga: VORBIS,
  mpg: MP2,
  mpeg: MP2,
  mp3: MP3,
  avi: MP3,
  wav: { encoder: 'pcm_s16le' },
  flac: { encoder: 'flac' },
  opus: { encoder: 'libopus', bitrateKbps: 128 },
  aiff: AIFF,
  aif: AIFF,
  ac3: { encoder: 'ac3', bitrateKbps: 192 },
}

/**
 * Returns the ffmpeg options that encode video for a container.
 * @param extension output extension, lower case without dot
 * @param changes.quality on the encoder's own scale: CRF for H.264 (0-51) and VP9 (0-63), `-q:v` for Theora (0-10) and
 *   MPEG-2 (1-31)
 * @param changes.preset libx264 preset
 */
export function videoCodecFor(extension: string, changes: { quality?: number; preset?: string } = {}): string[] {
  const codec = VIDEO_CODECS[extension] ?? H264
  const preset = codec.preset && (changes.preset ?? codec.preset)
  return [
    ...['-c:v', codec.encoder],
    ...(codec.quality ? [codec.quality.option, String(changes.quality ?? codec.quality.value)] : []),
    ...(preset ? ['-preset', preset] : []),
    ...(codec.rest ?? []),
  ]
}

/**
 * Returns the ffmpeg options that encode audio for a container.
 * @param extension output extension, lower case without dot
 * @param changes.bitrateKbps replaces the table's default; mapped to a quality for Vorbis, no effect on lossless codecs
 */
export function audioCodecFor(extension: string, changes: { bitrateKbps?: number } = {}): string[] {
  const codec = AUDIO_CODECS[extension] ?? AAC
  const lossless = /^(pcm_|flac$)/.test(codec.encoder)
  const bitrate = lossless ? undefined : (changes.bitrateKbps ?? codec.bitrateKbps)
  if (bitrate === undefined) return ['-c:a', codec.encoder, ...(codec.rest ?? [])]
  // Vorbis quality n is about 32 n kbit/s at 44.1 kHz stereo (Xiph's table, accurate enough up to 10).
  if (codec === VORBIS) return ['-c:a', codec.encoder, '-q:a', (bitrate / 32).toFixed(1)]
  return ['-c:a', codec.encoder, '-b:a', `${bitrate}k`]
}

/** The encoder named in codec options, e.g. `libx264`; undefined when they name none. */
export function encoderOf(options: readonly string[], type: 'v' | 'a'): string | undefined {
  const at = options.findLastIndex((option) => option === `-c:${type}` || option === `-codec:${type}`)
  return at < 0 ? undefined : options[at + 1]
}

/** Encoders that reject odd sizes in 4:2:0. */
const EVEN_SIZES_ONLY = new Set(['libx264', 'libx265', 'libsvtav1', 'h264_v4l2m2m', 'libopenh264'])

export const takesEvenOnly = (encoder: string | undefined): boolean => EVEN_SIZES_ONLY.has(encoder ?? '')

/** Crops the last column or row when their count is odd; does nothing otherwise. */
export const CROP_TO_EVEN = 'crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0'
