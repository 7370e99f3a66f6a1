import { inputArguments } from '../../src/engines/ffmpeg/ffmpeg.ts'
import { mainAudio } from '../../src/engines/ffmpeg/ffprobe.ts'
import { audioCodecFor } from '../../src/media/av/codecs.ts'
import { knownContainer } from '../../src/media/av/containers.ts'
import { stereoFilters } from '../../src/media/av/filters/channels.ts'
import { planAv } from '../../src/media/av/filters/graph.ts'
import type { AvPart } from '../../src/media/av/input/part.ts'
import { sourceInput } from '../../src/media/av/input/source-input.ts'
import { coverArguments, WHOLE_PICTURE } from '../../src/media/av/labels/cover-tags.ts'
import { joinedLanguage, joinedTags } from '../../src/media/av/labels/label-arguments.ts'
import { writeMedia } from '../../src/media/av/write.ts'
import { mimeOf } from '../../src/media/type.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import { choice } from '../../src/tool/settings.ts'
import { COVER_FILE, COVER_SETTINGS } from './_shared/cover.ts'
import { joinedCover } from './merge-audio/cover.ts'

/** The common format of all inputs before they are joined (catalogue), so that mixed files fit together. */
const COMMON = ['aresample=44100', 'aformat=sample_fmts=fltp']

/** How the streams of each file are handled. The tags of one file do not apply to the whole. */
const JOINED: AvPart = {
  ...{ singleAudio: true, audioFilters: ['anull'], changes: ['tags', 'length'] },
  changesDuration: (durationS) => durationS,
}

export default avTool({
  section: 'audio',
  id: 'merge-audio',
  summary: 'Join 2 to 10 audio files end to end',
  input: { ...{ files: 'many', min: 2, max: 10, accept: ['audio'] }, ...COVER_FILE },
  settings: {
    format: choice(['mp3', 'wav', 'flac', 'm4a'], 'output format', { short: 'F', default: 'mp3' }),
    ...COVER_SETTINGS,
  },
  output: { kind: 'file', type: { setting: 'format' }, name: 'merged' },
  batch: false,
  examples: [{ title: 'an album side', inputs: ['tone.mp3', 'hum.wav'], settings: { format: 'flac' } }],
  async produce(sources, { format, ...settings }, context) {
    const name = `merged.${format}`
    const path = await context.output(name)
    const chains = sources.map(({ info }, index) => {
      const stream = mainAudio(info)
      return `[${index}:${stream.index}]${[...stereoFilters(stream), ...COMMON].join(',')}[a${index}]`
    })
    const labels = sources.map((_, index) => `[a${index}]`).join('')
    const lengths = sources.map(({ info }) => info.durationS)
    const known = lengths.filter((length) => length !== undefined)
    const depth = format === 'flac' ? ['-sample_fmt', 's16'] : []
    const container = knownContainer(format)
    const infos = sources.map(({ info }) => info)
    const tags = joinedTags(infos, context.warn)
    const { cover } = await joinedCover(sources, settings, context)
    const picture = typeof cover === 'object' && container.covers ? cover.path : undefined
    const output = await writeMedia(
      [
        ...sources.flatMap(sourceInput),
        ...(picture ? [...WHOLE_PICTURE, ...inputArguments(picture)] : []),
        ...['-filter_complex', `${chains.join(';')};${labels}concat=n=${sources.length}:v=0:a=1[joined]`],
        ...(picture ? coverArguments(`${sources.length}:v:0`, 0) : []),
        ...['-map', '[joined]', '-map_metadata', '-1', '-map_chapters', '-1'],
        ...tags.options,
        ...joinedLanguage(infos, container, context.warn),
        ...[...audioCodecFor(format), ...depth, ...container.options, '-f', container.muxer, `file:${path}`],
      ],
      {
        path,
        plans: sources.map((source) => ({
          ...planAv(source, [{ ...JOINED, cover, encode: { container: format } }], path).output,
          isJoined: true as const,
        })),
        signal: context.signal,
        warn: context.warn,
        durationS: known.length === lengths.length ? known.reduce((sum, length) => sum + length, 0) : undefined,
        onProgress: (fraction) => context.progress(fraction, 'joining'),
        what: 'Joining',
      },
    )
    tags.check(output)
    return { files: [{ path, name, mime: mimeOf(format) }] }
  },
})
