import { mainAudio } from '../../src/engines/ffmpeg/ffprobe.ts'
import { audioCodecFor } from '../../src/media/av/codecs.ts'
import { choice, integer } from '../../src/tool/settings.ts'
import { invalidSettings } from '../../src/tool/validate.ts'
import { audioTool } from './_shared/audio-tool.ts'
import { mp3Cap } from './_shared/encode/mp3.ts'

const DEFAULT_KBPS = 192

export default audioTool({
  id: 'convert-audio',
  summary: 'Convert audio to MP3, WAV, OGG, FLAC or M4A',
  suffix: 'convert',
  converts: true,
  settings: {
    format: choice(['mp3', 'wav', 'ogg', 'flac', 'm4a'], 'output format', { short: 'F', default: 'mp3' }),
    bitrateKbps: integer('more is better', {
      when: { format: ['mp3', 'ogg', 'm4a'] },
      default: DEFAULT_KBPS,
      min: 32,
      max: 320,
      unit: 'kbit/s',
      filledByTool: true,
    }),
    sampleRate: integer("samples per second; by default the source's", {
      enum: [8000, 16000, 22050, 32000, 44100, 48000, 96000],
      unit: 'Hz',
    }),
  },
  output: { kind: 'file', type: { setting: 'format' } },
  conversion: true,
  examples: [
    { title: 'to MP3', inputs: ['hum.wav'] },
    { title: 'speech, small', inputs: ['hum.wav'], settings: { format: 'ogg', bitrateKbps: 64, sampleRate: 22050 } },
  ],
  check({ format, sampleRate, bitrateKbps }) {
    if (format !== 'mp3') return
    if (sampleRate === 96000)
      throw invalidSettings('MP3 has no sample rate of 96000 Hz', 'Use at most 48000, or another format.')
    if (sampleRate !== undefined) checkCap(sampleRate, bitrateKbps)
  },
  plan(source, { format, bitrateKbps, sampleRate }) {
    const stream = mainAudio(source.info)
    const rate = sampleRate ?? stream.sampleRate
    const options: string[] = []
    let kbps = bitrateKbps ?? DEFAULT_KBPS
    if (format === 'mp3' && rate !== undefined) {
      checkCap(rate, bitrateKbps)
      kbps = Math.min(kbps, mp3Cap(rate))
    }
    // MP3 supports at most 48 kHz; higher rates are resampled.
    const target = sampleRate ?? (format === 'mp3' && rate !== undefined && rate > 48000 ? 48000 : undefined)
    if (target !== undefined) options.push('-ar', String(target))
    return {
      ...(sampleRate !== undefined && { changes: ['sampleRate'] }),
      video: 'drop',
      subtitles: 'drop',
      singleAudio: true,
      encode: { container: format, audio: [...audioCodecFor(format, { bitrateKbps: kbps }), ...options] },
    }
  },
})

/** Refuses a requested bit rate that MP3 does not support at this sample rate; lowers the default. */
function checkCap(sampleRate: number, asked: number | undefined): void {
  const cap = mp3Cap(sampleRate)
  if (asked !== undefined && asked > cap)
    throw invalidSettings(
      `MP3 at ${sampleRate} Hz supports at most ${cap} kbit/s, got ${asked}`,
      `Use --bitrate-kbps ${cap} or less.`,
    )
}
