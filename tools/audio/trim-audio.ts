import { audioStreams, mainAudio, videoStream } from '../../src/engines/ffmpeg/ffprobe.ts'
import { checkStart } from '../../src/media/av/checks.ts'
import { audioCodecFor } from '../../src/media/av/codecs.ts'
import type { AvPart, AvSource } from '../../src/media/av/input/part.ts'
import { number } from '../../src/tool/settings.ts'
import { invalidSettings } from '../../src/tool/validate.ts'
import { audioTool } from './_shared/audio-tool.ts'
import { KEPT } from './_shared/encode/extension.ts'
import { isCutExactly, isLosslessCodec } from './_shared/exact-cut.ts'

export default audioTool({
  id: 'trim-audio',
  summary: 'Keep one time range of an audio file',
  suffix: 'trimmed',
  heavy: false,
  output: {
    kind: 'file',
    type: { same: true, or: ['m4a', 'mp3', 'opus', 'ogg', 'flac', 'ac3', 'wav', 'wma'], surely: KEPT },
  },
  settings: {
    startS: number('start time', { short: 's', default: 0, min: 0, unit: 's' }),
    endS: number('end time', { short: 'e', required: true, exclusiveMin: 0, unit: 's', example: 30 }),
  },
  examples: [{ title: 'the second second', inputs: ['tone.mp3'], settings: { startS: 1, endS: 2 } }],
  check({ startS, endS }) {
    if (endS <= startS) throw invalidSettings(`Expected endS to be greater than startS (${startS}), got ${endS}`)
  },
  plan(source, { startS, endS }) {
    checkStart(source, startS)
    const sound = soundOf(source)
    const extension = sound.encode?.container ?? source.extension
    const codec = audioStreams(source.info)[0]?.codec
    // Seeking in a video whose picture starts late would skip the audio before it.
    const isBefore = startS > 0 && startS < (videoStream(source.info)?.startS ?? 0)
    const exact = isCutExactly(extension) || isLosslessCodec(codec) || isBefore
    const audio = exact ? { audio: losslessCodec(extension, codec) } : {}
    return { ...sound, range: { startS, endS, exact }, encode: { ...sound.encode, ...audio } }
  },
})

/** The container for a video's audio stream, by codec: the stream is copied into it. */
const OWN_FILES: readonly (readonly [RegExp, string])[] = [
  [/^(aac|alac)$/, 'm4a'],
  [/^mp3$/, 'mp3'],
  [/^opus$/, 'opus'],
  [/^vorbis$/, 'ogg'],
  [/^flac$/, 'flac'],
  [/^ac3$/, 'ac3'],
  [/^pcm_/, 'wav'],
  [/^wma/, 'wma'],
]

/** For a video, keeps only the audio, in a file of its own; cover art of music stays. */
function soundOf(source: AvSource): AvPart & { encode?: { container: string } } {
  if (!videoStream(source.info)) return {}
  const { codec } = mainAudio(source.info)
  const container = OWN_FILES.find(([codecs]) => codecs.test(codec))?.[1] ?? 'mp3'
  return { video: 'drop', subtitles: 'drop', encode: { container } }
}

/** PCM keeps its own depth; 24 bits must not become 16. */
function losslessCodec(extension: string, codec: string | undefined): string[] {
  return codec?.startsWith('pcm_') || isLosslessCodec(codec) ? ['-c:a', codec!] : audioCodecFor(extension)
}
