import { runFfmpeg } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams } from '../../src/engines/ffmpeg/ffprobe.ts'
import { stereoFilters } from '../../src/media/av/channels.ts'
import { audioCodecFor } from '../../src/media/av/codecs.ts'
import { containerFor } from '../../src/media/av/containers.ts'
import { sourceInput } from '../../src/media/av/source-input.ts'
import { mimeOf } from '../../src/media/type.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import { choice } from '../../src/tool/settings.ts'

/** What every input becomes before they are joined (catalogue), so that mixed files fit together. */
const COMMON = ['aresample=44100', 'aformat=sample_fmts=fltp']

export default avTool({
  section: 'audio',
  id: 'merge-audio',
  summary: 'Join 2 to 10 audio files end to end',
  input: { files: 'many', min: 2, max: 10, accept: ['audio'] },
  settings: {
    format: choice(['mp3', 'wav', 'flac', 'm4a'], 'the format to write', { short: 'F', default: 'mp3' }),
  },
  output: { kind: 'file', type: { setting: 'format' }, name: 'merged' },
  batch: false,
  examples: [{ title: 'an album side', inputs: ['tone.mp3', 'tone.wav'], settings: { format: 'flac' } }],
  async produce(sources, { format }, context) {
    const name = `merged.${format}`
    const path = await context.output(name)
    const chains = sources.map(({ info }, index) => {
      const stream = audioStreams(info)[0]!
      return `[${index}:${stream.index}]${[...stereoFilters(stream), ...COMMON].join(',')}[a${index}]`
    })
    const labels = sources.map((_, index) => `[a${index}]`).join('')
    const lengths = sources.map(({ info }) => info.durationS)
    const known = lengths.filter((length) => length !== undefined)
    const depth = format === 'flac' ? ['-sample_fmt', 's16'] : []
    const container = containerFor(format)!
    await runFfmpeg(
      [
        ...sources.flatMap(sourceInput),
        ...['-filter_complex', `${chains.join(';')};${labels}concat=n=${sources.length}:v=0:a=1[joined]`],
        // The tags of the first file are not those of the whole.
        ...['-map', '[joined]', '-map_metadata', '-1', '-map_chapters', '-1'],
        ...[...audioCodecFor(format), ...depth, ...container.options, '-f', container.muxer, `file:${path}`],
      ],
      {
        signal: context.signal,
        warn: context.warn,
        durationS: known.length === lengths.length ? known.reduce((sum, length) => sum + length, 0) : undefined,
        onProgress: (fraction) => context.progress(fraction, 'joining'),
        what: 'Joining',
      },
    )
    return { files: [{ path, name, mime: mimeOf(format) }] }
  },
})
