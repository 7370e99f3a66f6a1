import { join } from 'node:path'
import { inputArguments } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import { audioStreams, mainVideo } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { firstOf } from '../../../src/lists.ts'
import { audioCodecFor } from '../../../src/media/av/codecs.ts'
import { knownContainer } from '../../../src/media/av/containers.ts'
import { stereoFilters } from '../../../src/media/av/filters/channels.ts'
import { planAv } from '../../../src/media/av/filters/graph.ts'
import type { AvPart, AvSource } from '../../../src/media/av/input/part.ts'
import { chapterInput, writeChapters } from '../../../src/media/av/labels/chapters.ts'
import { joinedLanguage, joinedTags } from '../../../src/media/av/labels/label-arguments.ts'
import { withPacketLength } from '../../../src/media/av/measure/claimed-length.ts'
import { seconds } from '../../../src/media/av/range.ts'
import { writeMedia } from '../../../src/media/av/write.ts'
import { mimeOf } from '../../../src/media/type.ts'
import { avTool } from '../../../src/tool/av-tool.ts'
import { choice } from '../../../src/tool/settings.ts'
import { evenSize, fitFilters, type Size } from '../_shared/fit.ts'
import { atRate } from '../_shared/frame-rate.ts'
import { PICTURE_SETTINGS } from '../_shared/picture-settings.ts'
import { shownSize } from '../_shared/square-pixels.ts'
import { joinedChapters } from './merge-videos/chapters.ts'
import { type JoinedPicture, joinedPictures } from './merge-videos/pictures.ts'

/** The common format of all clips before they are joined (catalogue). */
const FPS = 30
const SAMPLE_RATE = 48_000

/** The video of one clip: its frames at the common rate, no longer than the clip. */
function pictureChain(source: AvSource, number: number, canvas: Size, { before, isHdr }: JoinedPicture): string {
  const stream = mainVideo(source.info)
  const { durationS } = source.info
  const end = durationS === undefined ? [] : [`trim=end=${seconds(durationS)}`]
  const fitted = [...before, ...fitFilters(shownSize(source), canvas, isHdr), atRate(FPS, durationS), ...end]
  return `[${number}:${stream.index}]${fitted.join(',')}[v${number}]`
}

/** The audio of one clip, exactly as long as the clip, so that the next one starts in sync with its video. */
function soundChain(source: AvSource, number: number): string {
  const { durationS } = source.info
  const [stream] = audioStreams(source.info)
  const end = durationS === undefined ? '' : `atrim=end=${seconds(durationS)}`
  if (!stream) return `anullsrc=r=${SAMPLE_RATE}:cl=stereo,${end || 'atrim=end=1'}[a${number}]`
  const filters = [
    ...stereoFilters(stream),
    // Audio that starts later than the video, or has gaps, is filled with silence.
    `aresample=${SAMPLE_RATE}:async=1:first_pts=0`,
    'aformat=sample_fmts=fltp:channel_layouts=stereo',
    ...(end ? ['apad', end] : []),
  ]
  return `[${number}:${stream.index}]${filters.join(',')}[a${number}]`
}

/** How the streams of each clip are handled. The tags of one clip do not apply to the whole. */
const JOINED: AvPart = {
  ...{ singleVideo: true, singleAudio: true, encode: { container: 'mp4' }, changes: ['size', 'tags', 'length'] },
  complexFilter: (video) => `${video}null[v]`,
  audioFilters: ['anull'],
  changesDuration: (durationS) => durationS,
  mapsTime: (timeS) => timeS,
}

export default avTool({
  section: 'video',
  id: 'merge-videos',
  summary: 'Join 2 to 10 videos end to end into one MP4',
  async: true,
  input: { files: 'many', min: 2, max: 10, accept: ['video'] },
  settings: {
    chapters: choice(['keep', 'files', 'none'], 'keep those of the clips, or one for each file, with its name', {
      default: 'keep',
    }),
    ...PICTURE_SETTINGS,
  },
  output: { kind: 'file', type: { is: 'mp4' }, name: 'merged' },
  batch: false,
  examples: [{ title: 'the same clip twice', inputs: ['clip.mp4', 'clip.mp4'] }],
  async produce(given, { chapters: kind, ...picture }, context) {
    const sources = await Promise.all(given.map((source) => withPacketLength(source, context.signal)))
    const name = 'merged.mp4'
    const path = await context.output(name)
    const canvas = evenSize(shownSize(firstOf(sources)))
    const hasSound = sources.some(({ info }) => audioStreams(info).length > 0)
    const { clips, options } = await joinedPictures(sources, picture, context)
    const chains = sources.flatMap((source, number) => [
      pictureChain(source, number, canvas, clips[number]!),
      ...(hasSound ? [soundChain(source, number)] : []),
    ])
    const labels = sources.map((_, number) => `[v${number}]${hasSound ? `[a${number}]` : ''}`).join('')
    const joined = `${labels}concat=n=${sources.length}:v=1:a=${hasSound ? 1 : 0}[v]${hasSound ? '[a]' : ''}`
    const lengths = sources.map(({ info }) => info.durationS ?? Number.NaN)
    const durationS = lengths.reduce((sum, length) => sum + length, 0)
    const chapters = kind === 'none' ? [] : joinedChapters(sources, kind)
    const titles = join(await context.scratch(), 'chapters.txt')
    if (chapters.length > 0) await writeChapters(titles, chapters)
    const chapterIndex = chapters.length > 0 ? String(sources.length) : '-1'
    const infos = sources.map(({ info }) => info)
    const tags = joinedTags(infos, context.warn)
    const output = await writeMedia(
      [
        ...sources.flatMap((source) => inputArguments(source.path)),
        ...(chapters.length > 0 ? chapterInput(titles) : []),
        ...['-filter_complex', `${chains.join(';')};${joined}`, '-map', '[v]', ...(hasSound ? ['-map', '[a]'] : [])],
        // Without any input for tags, chapters would have no titles.
        ...['-map_metadata', chapterIndex, '-map_chapters', chapterIndex, '-max_muxing_queue_size', '9999'],
        ...tags.options,
        ...joinedLanguage(infos, knownContainer('mp4'), context.warn),
        ...[...options, '-r', String(FPS)],
        ...(hasSound ? audioCodecFor('mp4') : []),
        // At the end, as only MP4 would keep the gaps caused by the clips' own frame rates.
        ...[...knownContainer('mp4').options, '-vsync', 'cfr', '-f', 'mp4', `file:${path}`],
      ],
      {
        path,
        plans: sources.map((source, number) => {
          const { output: plan } = planAv(source, [{ ...JOINED, picture }], path, clips[number])
          const dropped = kind === 'keep' ? plan.dropped : new Set([...plan.dropped, 'chapters' as const])
          return { ...plan, dropped, isJoined: true as const }
        }),
        signal: context.signal,
        warn: context.warn,
        durationS: Number.isNaN(durationS) ? undefined : durationS,
        onProgress: (fraction) => context.progress(fraction, 'joining'),
        what: 'Joining',
      },
    )
    tags.check(output)
    return { files: [{ path, name, mime: mimeOf('mp4') }] }
  },
})
