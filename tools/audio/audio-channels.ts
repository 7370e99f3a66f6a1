import { mainAudio } from '../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../src/errors.ts'
import { stereoFilters } from '../../src/media/av/filters/channels.ts'
import { printableName } from '../../src/media/file.ts'
import { choice } from '../../src/tool/settings.ts'
import { audioTool } from './_shared/audio-tool.ts'
import { REENCODED, reencoded } from './_shared/encode/reencoded.ts'

export default audioTool({
  id: 'audio-channels',
  summary: 'Mix to mono, widen to stereo, or swap sides',
  suffix: 'channels',
  settings: {
    mode: choice(['stereo-to-mono', 'mono-to-stereo', 'swap'], 'what to do; more than two channels are mixed first', {
      required: true,
      example: 'stereo-to-mono',
    }),
  },
  output: REENCODED,
  examples: [{ title: 'one channel for both sides', inputs: ['tone.mp3'], settings: { mode: 'mono-to-stereo' } }],
  plan(source, { mode }) {
    const stream = mainAudio(source.info)
    if (mode === 'mono-to-stereo') return { ...reencoded(source, stereoFilters(stream)), changes: ['channels'] }
    if (stream.channels === 1)
      throw new MediaprocError('PROCESSING_FAILED', `${printableName(source.name)} has only one channel`, {
        hint: {
          shell: 'Use --mode mono-to-stereo, or keep the file unchanged.',
          http: 'Use the mode mono-to-stereo, or keep the file unchanged.',
        },
      })
    // Two equal halves cannot clip, and centred content keeps its level.
    const filter = mode === 'swap' ? 'pan=stereo|c0=c1|c1=c0' : 'pan=mono|c0=0.5*c0+0.5*c1'
    return { ...reencoded(source, [...stereoFilters(stream), filter]), changes: ['channels'] }
  },
})
