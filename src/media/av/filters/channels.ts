import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { encoderOf } from '../codecs.ts'

/**
 * Filters that convert any stream to stereo at the same level. A mono stream is copied to both channels unchanged,
 * because ffmpeg's resampler would reduce it by 3 dB.
 */
export function stereoFilters({ channels }: Stream): string[] {
  if (channels === 1) return ['pan=stereo|c0=c0|c1=c0']
  return channels === 2 ? [] : ['aformat=channel_layouts=stereo']
}

/** Fills late starts and gaps in the audio with silence, for outputs without timestamps. */
export const FROM_THE_START = 'aresample=async=1:first_pts=0'

/** libopus does not accept side-channel layouts; the nearest of these is used. */
const OPUS_LAYOUTS = 'aformat=channel_layouts=7.1|6.1|5.1|5.0|quad|3.0|stereo|mono'

/**
 * Filters that convert channels to a layout accepted by the encoder in the given codec options.
 * @param channels an unknown layout may have side channels; for one or two channels the filter does nothing
 */
export function layoutFilters(options: readonly string[], channels = 3): string[] {
  return encoderOf(options, 'a') === 'libopus' && channels > 2 ? [OPUS_LAYOUTS] : []
}

/** Encoders limited to one or two channels; ffmpeg downmixes anything with more. */
const STEREO_ENCODERS = new Set(['libmp3lame', 'mp2', 'libtwolame'])

/**
 * Filters that downmix a stream as the encoder in the given codec options would do after all filters; none when it
 * keeps the channels. Uses floats, so that the channel sum is not attenuated to fit integers.
 */
export function mixdownFilters(options: readonly string[], channels = 0): string[] {
  const isMixed = STEREO_ENCODERS.has(encoderOf(options, 'a') ?? '') && channels > 2
  return isMixed ? ['aformat=sample_fmts=fltp:channel_layouts=stereo'] : []
}
