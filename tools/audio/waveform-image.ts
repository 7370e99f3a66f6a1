import { stat } from 'node:fs/promises'
import { inputArguments, runFfmpeg } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../src/errors.ts'
import { openAv } from '../../src/media/av/input.ts'
import { printableName } from '../../src/media/file.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { color, integer } from '../../src/tool/settings.ts'

/** Samples per second that a very short sound is spread to at most. */
const MAX_RATE = 10_000_000

export default tool({
  section: 'audio',
  id: 'waveform-image',
  summary: "Draw an audio file's waveform as a PNG",
  input: oneFile('audio'),
  settings: {
    width: integer('width of the picture', { default: 1024, min: 256, max: 3840, unit: 'px' }),
    height: integer('height of the picture', { default: 256, min: 64, max: 1080, unit: 'px' }),
    color: color('colour of the wave', { default: '#4f46e5' }),
  },
  output: { kind: 'file', type: { is: 'png' } },
  engines: ['ffmpeg'],
  timeoutS: 1800,
  examples: [{ title: 'the wave of a recording', inputs: ['tone.mp3'] }],
  async run(job, { width, height, color: colour }) {
    const file = job.inputs[0]!
    const source = await openAv(file, 'audio', job.signal)
    const stream = audioStreams(source.info)[0]!
    const name = suffixedName(file, 'waveform', 'png')
    const path = await job.output(name)
    // One colour for every channel: the filter takes a list, and repeats nothing itself.
    const colours = Array.from({ length: stream.channels ?? 1 }, () => colour).join('|')
    // The filter draws nothing when there are fewer samples than columns.
    const needed = Math.ceil((2 * width) / (source.info.durationS ?? width))
    const rate = Math.min(Math.max(needed, stream.sampleRate ?? 0), MAX_RATE)
    const finer = needed > (stream.sampleRate ?? 0) ? `aresample=${rate},` : ''
    const graph = `[0:${stream.index}]${finer}showwavespic=s=${width}x${height}:colors=${colours},format=rgba[v]`
    // With -update the name is taken literally, whatever `%` is in it.
    const args = [
      ...inputArguments(source.path),
      '-filter_complex',
      graph,
      '-map',
      '[v]',
      '-frames:v',
      '1',
      '-update',
      '1',
      '-f',
      'image2',
      path,
    ]
    await runFfmpeg(args, {
      signal: job.signal,
      durationS: source.info.durationS,
      onProgress: (fraction) => job.progress(fraction, 'drawing'),
      what: 'ffmpeg',
    })
    await stat(path).catch((error: unknown) => {
      const sentence = `${printableName(file.name)} is too short for a picture ${width} pixels wide`
      throw new MediaprocError('PROCESSING_FAILED', sentence, { cause: error, hint: 'Ask for a smaller width.' })
    })
    return { files: [{ path, name, mime: 'image/png' }] }
  },
})
