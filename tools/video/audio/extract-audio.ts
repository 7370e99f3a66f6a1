import { audioStreams } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { audioCodecFor } from '../../../src/media/av/codecs.ts'
import { FROM_THE_START } from '../../../src/media/av/filters/channels.ts'
import { withTracks } from '../../../src/media/av/labels/track-choice.ts'
import { printableName } from '../../../src/media/file.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { choice } from '../../../src/tool/settings.ts'
import { trackOf, trackSetting } from '../_shared/track-settings.ts'

export default avTool({
  section: 'video',
  id: 'extract-audio',
  summary: "Save a video's sound as MP3, WAV, M4A or OGG",
  suffix: 'audio',
  converts: true,
  heavy: false,
  settings: {
    format: choice(['mp3', 'wav', 'm4a', 'ogg'], 'output format; AAC is copied into m4a without loss', {
      short: 'F',
      default: 'mp3',
    }),
    audioTrack: trackSetting('audio'),
  },
  output: { kind: 'file', type: { setting: 'format' } },
  conversion: true,
  examples: [
    { title: 'lossless if the source is AAC', settings: { format: 'm4a' } },
    { title: 'one of several tracks', settings: { audioTrack: '1' } },
  ],
  plan(source, { format, audioTrack }) {
    if (audioStreams(source.info).length === 0)
      throw new MediaprocError('UNSUPPORTED_FILE_TYPE', `${printableName(source.name)} has no audio to save`)
    const tracks = trackOf(source, 'audio', audioTrack)
    const [stream] = audioStreams(withTracks(source, tracks).info)
    // Vorbis quality 5 of 10 (catalogue).
    const codec = format === 'ogg' ? ['-c:a', 'libvorbis', '-q:a', '5'] : audioCodecFor(format)
    const isCopied = format === 'm4a' && stream?.codec === 'aac'
    return {
      video: 'drop',
      subtitles: 'drop',
      singleAudio: true,
      tracks,
      // Keeps the audio in sync with the video if it starts later.
      ...(!isCopied && { audioFilters: [FROM_THE_START] }),
      encode: { container: format, ...(!isCopied && { audio: codec }) },
    }
  },
})
