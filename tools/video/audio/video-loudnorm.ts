import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { audioCodecFor } from '../../../src/media/av/codecs.ts'
import { levelledOrWarn } from '../../../src/media/av/measure/levelled.ts'
import { printableName } from '../../../src/media/file.ts'
import { avTool } from '../../../src/tool/av-tool.ts'

export default avTool({
  section: 'video',
  id: 'video-loudnorm',
  summary: "Normalise a video's loudness to EBU R128 targets",
  suffix: 'loudnorm',
  heavy: false,
  settings: {},
  examples: [{ title: 'an even loudness' }],
  measures: () => true,
  async plan(source, _settings, context) {
    const [stream, ...others] = audioStreams(source.info)
    if (!stream)
      throw new MediaprocError('UNSUPPORTED_FILE_TYPE', `${printableName(source.name)} has no audio to normalise`)
    if (others.length > 0) context.warn('all audio streams get the gain of the first one')
    const codec = audioCodecFor(source.extension)
    const { filters: audioFilters, progressFrom } = await levelledOrWarn(source, codec, context)
    const rate = stream.sampleRate === undefined ? [] : ['-ar', String(stream.sampleRate)]
    return { changes: ['level'], audioFilters, progressFrom, encode: { audio: [...codec, ...rate] } }
  },
})
