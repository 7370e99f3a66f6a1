import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inputArguments, runFfmpeg } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../src/errors.ts'
import { printableName } from '../../src/media/file.ts'
import { ImageFrame } from '../../src/media/image/frame.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import { color, integer } from '../../src/tool/settings.ts'

/** Samples per second that a very short recording is spread to at most. */
const MAX_RATE = 10_000_000

export default avTool({
  section: 'audio',
  id: 'waveform-image',
  summary: "Draw an audio file's waveform as a PNG",
  settings: {
    width: integer('width of the picture', { default: 1024, min: 256, max: 3840, unit: 'px' }),
    height: integer('height of the picture', { default: 256, min: 64, max: 1080, unit: 'px' }),
    color: color('colour of the wave', { default: '#4f46e5' }),
  },
  output: { kind: 'file', type: { is: 'png' } },
  heavy: false,
  suffix: 'waveform',
  examples: [{ title: 'the wave of a recording', inputs: ['tone.mp3'] }],
  async produce([source], { width, height, color: colour }, context) {
    const stream = audioStreams(source!.info)[0]!
    const path = join(await context.scratch(), 'wave.png')
    // One colour for every channel: the filter takes a list, and repeats nothing itself.
    const colours = Array.from({ length: stream.channels ?? 1 }, () => colour).join('|')
    // The filter draws nothing when there are fewer samples than columns.
    const needed = Math.ceil((2 * width) / (source!.info.durationS ?? width))
    const rate = Math.min(Math.max(needed, stream.sampleRate ?? 0), MAX_RATE)
    const finer = needed > (stream.sampleRate ?? 0) ? `aresample=${rate},` : ''
    const graph = `[0:${stream.index}]${finer}showwavespic=s=${width}x${height}:colors=${colours},format=rgba[v]`
    // With -update the name is taken literally, whatever `%` is in it.
    const args = [
      ...inputArguments(source!.path),
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
      signal: context.signal,
      durationS: source!.info.durationS,
      onProgress: (fraction) => context.progress(fraction, 'drawing'),
      what: 'ffmpeg',
    })
    const drawn = await readFile(path).catch((error: unknown) => {
      const sentence = `${printableName(source!.name)} is too short for a picture ${width} pixels wide`
      throw new MediaprocError('PROCESSING_FAILED', sentence, { cause: error, hint: 'Ask for a smaller width.' })
    })
    return { frame: (await ImageFrame.fromPng(drawn, source!.name)).withTarget({ format: 'png' }) }
  },
})
