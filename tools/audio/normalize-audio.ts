import { audioStreams } from '../../src/engines/ffmpeg/ffprobe.ts'
import { audioCodecFor } from '../../src/media/av/codecs.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import { mp3Cap } from './_shared/mp3.ts'
import { reencodedExtension } from './normalize-audio/containers.ts'
import { writableRate } from './normalize-audio/sample-rates.ts'

/** EBU R 128 with the catalogue's target for speech and music on the web. */
const LOUDNORM = 'loudnorm=I=-16:TP=-1.5:LRA=11'

export default avTool({
  section: 'audio',
  id: 'normalize-audio',
  summary: 'Normalise loudness to -16 LUFS after EBU R128',
  suffix: 'normalized',
  settings: {},
  output: { kind: 'file', type: { same: true, or: ['mp3'] } },
  examples: [{ title: 'an even loudness', inputs: ['tone.mp3'] }],
  plan(source) {
    const container = reencodedExtension(source.extension)
    const { sampleRate } = audioStreams(source.info)[0]!
    // loudnorm works at 192 kHz and would leave it so.
    const target = sampleRate === undefined ? undefined : writableRate(container, sampleRate)
    const rate = target === undefined ? [] : ['-ar', String(target)]
    // MP3 has no 192 kbit/s at low sample rates.
    const bitrate = container === 'mp3' && target !== undefined ? { bitrateKbps: Math.min(192, mp3Cap(target)) } : {}
    return {
      video: 'drop',
      subtitles: 'drop',
      singleAudio: true,
      audioFilters: [LOUDNORM],
      encode: { container, audio: [...audioCodecFor(container, bitrate), ...rate] },
    }
  },
})
