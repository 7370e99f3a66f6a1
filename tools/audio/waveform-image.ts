import { inputArguments, runFfmpeg } from '../../src/engines/ffmpeg.ts'
import { audioStreams } from '../../src/engines/ffprobe.ts'
import { openAv } from '../../src/media/av/input.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { oneFile, tool } from '../../src/tool/contract.ts'
import { color, integer } from '../../src/tool/settings.ts'

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
  output: { kind: 'file', format: 'png' },
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
    const graph = `[0:${stream.index}]showwavespic=s=${width}x${height}:colors=${colours},format=rgba[v]`
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
    return { files: [{ path, name, mime: 'image/png' }] }
  },
})
