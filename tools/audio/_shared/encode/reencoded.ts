import { mainAudio } from '../../../../src/engines/ffmpeg/ffprobe.ts'
import { audioCodecFor } from '../../../../src/media/av/codecs.ts'
import type { AvPart, AvSource } from '../../../../src/media/av/input/part.ts'
import type { OutputSpec } from '../../../../src/tool/contract.ts'
import { KEPT, reencodedExtension } from './extension.ts'
import { mp3Cap } from './mp3.ts'
import { writableRate } from './sample-rates.ts'

/** Outputs of tools that re-encode audio: the input's container if it can be written, otherwise MP3. */
export const REENCODED: OutputSpec = { kind: 'file', type: { same: true, or: ['mp3', 'm4a'], surely: KEPT } }

/** Lossless codecs by container, for sources deeper than 16 bits. */
const DEEP_CODECS: Readonly<Record<string, RegExp>> = {
  wav: /^pcm_(s24|s32|f32|f64)le$/,
  aiff: /^pcm_(s24|s32)be$/,
}

/** The encoder of a container for a source. Lossless encoders keep the source's depth: 24 bits must not become 16. */
function codecOptions(container: string, source: AvSource, sampleRate: number | undefined): string[] {
  const { codec, sampleFormat } = mainAudio(source.info)
  const isDeep = sampleFormat !== undefined && /^(s32|flt|dbl)/.test(sampleFormat)
  if (DEEP_CODECS[container]?.test(codec)) return ['-c:a', codec]
  // ffmpeg decodes 24-bit FLAC to s32; lossy sources decode to floats, for which 16 bits are enough.
  if (container === 'flac' && isDeep && /^(flac|alac|pcm_|wavpack|tta)/.test(codec))
    return [...audioCodecFor(container), '-sample_fmt', 's32', '-bits_per_raw_sample', '24']
  if (container === 'flac') return [...audioCodecFor(container), '-sample_fmt', 's16']
  // MP3 does not support 192 kbit/s at low sample rates.
  const bitrate = container === 'mp3' && sampleRate ? { bitrateKbps: Math.min(192, mp3Cap(sampleRate)) } : {}
  return audioCodecFor(container, bitrate)
}

/**
 * The part of an audio tool that filters and re-encodes the first audio stream. Keeps container, sample rate, channels
 * and depth of the source as far as they can be written; keeps its cover pictures but no video.
 * @param audioFilters complete ffmpeg filters
 */
export function reencoded(source: AvSource, audioFilters: string[]): AvPart {
  const container = reencodedExtension(source.extension)
  const { sampleRate } = mainAudio(source.info)
  const target = sampleRate === undefined ? undefined : writableRate(container, sampleRate)
  const rate = target === undefined ? [] : ['-ar', String(target)]
  return {
    video: 'drop',
    subtitles: 'drop',
    singleAudio: true,
    audioFilters,
    encode: { container, audio: [...codecOptions(container, source, target), ...rate] },
  }
}
