import { videoStream } from '../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../src/errors.ts'
import { openAv } from '../../src/media/av/input.ts'
import { runAv } from '../../src/media/av/run.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { tool } from '../../src/tool/contract.ts'

export default tool({
  section: 'video',
  id: 'replace-audio',
  summary: 'Swap the sound of a video for another audio file',
  input: {
    files: 'many',
    min: 1,
    max: 2,
    accept: ['video', 'audio'],
    secondary: {
      audio: { required: false, what: 'the new sound, when it is not the second file', accept: ['audio', 'video'] },
    },
  },
  settings: {},
  output: { kind: 'file', type: { oneOf: ['mp4', 'webm'] } },
  engines: ['ffmpeg'],
  timeoutS: 1800,
  heavy: true,
  batch: false,
  examples: [{ title: 'other music', inputs: ['clip.mp4', 'tone.mp3'] }],
  async run(job) {
    const [video, second] = job.inputs
    if (second && job.secondary.audio)
      throw new MediaprocError('TOO_MANY_FILES', 'video/replace-audio got two sounds: a second file and --audio', {
        hint: 'Give the new sound once.',
      })
    const sound = second ?? job.secondary.audio
    if (!video || !sound)
      throw new MediaprocError('TOO_FEW_FILES', 'video/replace-audio needs a video and an audio file', {
        hint: 'Name both: the video first, then the sound.',
      })
    const source = await openAv(video, 'video', job.signal)
    const audio = await openAv(sound, 'audio', job.signal)
    const codec = videoStream(source.info)!.codec
    const container = codec === 'vp8' || codec === 'vp9' ? 'webm' : 'mp4'
    const name = suffixedName(video, 'newaudio', container)
    const path = await job.output(name)
    const part = {
      audio: { path: audio.path, padToVideo: true },
      subtitles: 'drop' as const,
      singleVideo: true,
      encode: { container },
    }
    await runAv(source, [part], path, {
      signal: job.signal,
      onProgress: (fraction) => job.progress(fraction, 'encoding'),
    })
    return { files: [{ path, name, mime: mimeOf(container) }] }
  },
})
