import { mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../src/errors.ts'
import { openAv } from '../../../src/media/av/input/input.ts'
import { avTool } from '../../../src/tool/av-tool.ts'

export default avTool({
  section: 'video',
  id: 'replace-audio',
  summary: 'Swap the audio of a video for another audio file',
  input: {
    files: 'many',
    min: 1,
    max: 2,
    accept: ['video', 'audio'],
    secondary: {
      audio: { required: false, what: 'the new audio, when it is not the second file', accept: ['audio', 'video'] },
    },
  },
  settings: {},
  output: { kind: 'file', type: { oneOf: ['mp4', 'webm'] } },
  suffix: 'newaudio',
  batch: false,
  examples: [{ title: 'other music', inputs: ['clip.mp4', 'tone.mp3'] }],
  kinds: ['video', 'audio'],
  async produce([video, second], _settings, { secondary, signal, warn }) {
    if (second && secondary.audio)
      throw new MediaprocError('TOO_MANY_FILES', 'video/replace-audio got two audio files: a second file and --audio', {
        hint: 'Give the new audio once.',
      })
    const audioSource = second ?? (secondary.audio && (await openAv(secondary.audio, 'audio', signal, warn)))
    if (!video || !audioSource)
      throw new MediaprocError('TOO_FEW_FILES', 'video/replace-audio needs a video and an audio file', {
        hint: 'Name both: the video first, then the audio.',
      })
    const codec = mainVideo(video.info).codec
    const container = codec === 'vp8' || codec === 'vp9' ? 'webm' : 'mp4'
    return {
      media: {
        source: video,
        part: {
          audio: { path: audioSource.path, padToVideo: true },
          singleVideo: true,
          encode: { container },
        },
      },
    }
  },
})
