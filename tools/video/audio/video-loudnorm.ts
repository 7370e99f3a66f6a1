import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { audioCodecFor } from '../../../src/media/av/codecs.ts'
import { levelledOrWarn, TARGET } from '../../../src/media/av/measure/levelled.ts'
import { printableName } from '../../../src/media/file.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { number } from '../../../src/tool/settings.ts'

export default avTool({
  section: 'video',
  id: 'video-loudnorm',
  summary: "Normalise a video's loudness to EBU R128 targets",
  suffix: 'loudnorm',
  heavy: false,
  settings: {
    lufs: number('integrated loudness of the result', { default: TARGET.integrated, min: -36, max: -5, unit: 'LUFS' }),
    truePeakDb: number('highest true peak of the result, after encoding', {
      default: TARGET.truePeak,
      min: -9,
      max: 0,
      unit: 'dBTP',
    }),
  },
  examples: [{ title: 'an even loudness' }],
  measures: () => true,
  async plan(source, { lufs, truePeakDb }, context) {
    const [stream, ...others] = audioStreams(source.info)
    if (!stream)
      throw new MediaprocError('UNSUPPORTED_FILE_TYPE', `${printableName(source.name)} has no audio to normalise`)
    if (others.length > 0) context.warn('all audio streams get the gain of the first one')
    const codec = audioCodecFor(source.extension)
    const audio = [...codec, ...(stream.sampleRate === undefined ? [] : ['-ar', String(stream.sampleRate)])]
    const target = { integrated: lufs, truePeak: truePeakDb }
    const { filters: audioFilters, progressFrom } = await levelledOrWarn(source, audio, target, context)
    return { changes: ['level'], audioFilters, progressFrom, encode: { audio } }
  },
})
