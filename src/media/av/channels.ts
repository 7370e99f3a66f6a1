import type { Stream } from '../../engines/ffmpeg/ffprobe.ts'

/**
 * Filters that make stereo of any stream at the same level. A mono stream goes to both sides as it is: the resampler of
 * ffmpeg would take 3 dB off.
 */
export function stereoFilters({ channels }: Stream): string[] {
  if (channels === 1) return ['pan=stereo|c0=c0|c1=c0']
  return channels === 2 ? [] : ['aformat=channel_layouts=stereo']
}
