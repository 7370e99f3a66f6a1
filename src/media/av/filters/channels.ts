import type { Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { encoderOf } from '../codecs.ts'

/**
 * Filters that make stereo of any stream at the same level. A mono stream goes to both sides as it is: the resampler of
 * ffmpeg would take 3 dB off.
 */
export function stereoFilters({ channels }: Stream): string[] {
  if (channels === 1) return ['pan=stereo|c0=c0|c1=c0']
  return channels === 2 ? [] : ['aformat=channel_layouts=stereo']
}

/** Silence where sound begins later than the picture or has gaps, for what knows no times. */
export const FROM_THE_START = 'aresample=async=1:first_pts=0'

/** libopus takes no side-channel layouts; the nearest of these is chosen. */
const OPUS_LAYOUTS = 'aformat=channel_layouts=7.1|6.1|5.1|5.0|quad|3.0|stereo|mono'

/**
 * Filters that bring channels to a layout that the encoder of some codec options takes.
 * @param channels a layout that is not known may have side channels; for one or two the filter does nothing
 */
export function layoutFilters(options: readonly string[], channels = 3): string[] {
  return encoderOf(options, 'a') === 'libopus' && channels > 2 ? [OPUS_LAYOUTS] : []
}

/** Encoders of one or two channels, into which ffmpeg mixes down whatever has more. */
const STEREO_ENCODERS = new Set(['libmp3lame', 'mp2', 'libtwolame'])

/**
 * Filters that mix a stream down as the encoder of some codec options would behind all filters; none where it keeps the
 * channels. As floats, so that the sum of the channels is not lowered to fit whole numbers.
 */
export function mixdownFilters(options: readonly string[], channels = 0): string[] {
  const isMixed = STEREO_ENCODERS.has(encoderOf(options, 'a') ?? '') && channels > 2
  return isMixed ? ['aformat=sample_fmts=fltp:channel_layouts=stereo'] : []
}
