import { checkStart } from '../../src/media/av/checks.ts'
import { audioCodecFor } from '../../src/media/av/codecs.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import { number } from '../../src/tool/settings.ts'
import { invalidSettings } from '../../src/tool/validate.ts'

/** Formats without loss are cut to the sample and encoded again; the others are copied, cut at a packet (about 26 ms). */
const LOSSLESS = new Set(['wav', 'flac', 'aiff', 'aif'])

export default avTool({
  section: 'audio',
  id: 'trim-audio',
  summary: 'Keep one time range of an audio file',
  suffix: 'trimmed',
  heavy: false,
  settings: {
    startS: number('where it begins', { short: 's', default: 0, min: 0, unit: 's' }),
    endS: number('where it ends', { short: 'e', required: true, exclusiveMin: 0, unit: 's', example: 30 }),
  },
  examples: [{ title: 'the second second', inputs: ['tone.mp3'], settings: { startS: 1, endS: 2 } }],
  check({ startS, endS }) {
    if (endS <= startS) throw invalidSettings(`Expected endS to be greater than startS (${startS}), got ${endS}`)
  },
  plan(source, { startS, endS }) {
    checkStart(source, startS)
    const exact = LOSSLESS.has(source.extension)
    return {
      range: { startS, endS, exact },
      ...(exact && {
        encode: {
          audio: losslessCodec(source.extension, source.info.streams.find((stream) => stream.type === 'audio')?.codec),
        },
      }),
    }
  },
})

/** PCM keeps its own depth; 24 bit must not become 16. */
function losslessCodec(extension: string, codec: string | undefined): string[] {
  return codec?.startsWith('pcm_') ? ['-c:a', codec] : audioCodecFor(extension)
}
