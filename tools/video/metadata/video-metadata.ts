import { inputArguments } from '../../../src/engines/ffmpeg/ffmpeg.ts'
import type { MediaInfo, Stream } from '../../../src/engines/ffmpeg/ffprobe.ts'
import { containerFor, knownContainer } from '../../../src/media/av/containers.ts'
import { planAv } from '../../../src/media/av/filters/graph.ts'
import { withEnds } from '../../../src/media/av/labels/chapters.ts'
import { writeMedia } from '../../../src/media/av/write.ts'
import { suffixedName } from '../../../src/media/naming.ts'
import { mimeOf } from '../../../src/media/type.ts'
import { avTool } from '../../../src/tool/av-tool.ts'

export default avTool({
  section: 'video',
  id: 'video-metadata',
  summary: 'Strip container metadata and report what the file was',
  settings: {},
  output: { kind: 'file+report', type: { same: true, or: ['mp4'], surely: ['mp4', 'mov', 'mkv', 'webm', 'avi'] } },
  heavy: false,
  suffix: 'clean',
  examples: [{ title: 'before it is published' }],
  async produce([given], _settings, context) {
    const source = given
    const { info } = source
    const extension = containerFor(source.extension) ? source.extension : 'mp4'
    const container = knownContainer(extension)
    const name = suffixedName(source, 'clean', extension)
    const path = await context.output(name)
    const kept = info.streams.filter(({ type }) => type !== 'data')
    if (kept.length < info.streams.length)
      context.warn(
        'data streams (such as those recorded by phone cameras) are removed: they contain locations and times',
      )
    const { output } = planAv(source, [{ changes: ['tags'], encode: { container: extension } }], path)
    const after = await writeMedia(
      [
        ...inputArguments(source.path),
        ...kept.flatMap(({ index }) => ['-map', `0:${index}`]),
        ...['-c', 'copy', '-map_metadata', '-1', '-map_metadata:s', '-1'],
        // An attachment is useless without its name and type.
        ...kept
          .filter(({ type }) => type === 'attachment')
          .flatMap(({ tags }, position) =>
            ['filename', 'mimetype'].flatMap((name) =>
              tags[name] ? [`-metadata:s:t:${position}`, `${name}=${tags[name]}`] : [],
            ),
          ),
        // The rotation is not private metadata: without it a phone's video would be displayed sideways.
        ...['-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact', '-strict', '-2'],
        ...[...container.options, '-f', container.muxer, `file:${path}`],
      ],
      {
        ...{ path, plans: [{ ...output, dropped: new Set(['data'] as const) }], warn: context.warn },
        signal: context.signal,
        durationS: info.durationS,
        onProgress: (fraction) => context.progress(fraction, 'copying'),
        what: 'Copying',
      },
    )
    if (kept.length === info.streams.length && metadataOf(info) === metadataOf(after))
      context.warn('nothing is changed: the file has no removable metadata', 'advice')
    return { files: [{ path, name, mime: mimeOf(extension) }], report: { metadata: reportOf(info) } }
  },
})

/** Tags that a container needs, or that repeat properties of its streams. */
const STRUCTURE =
  /^(major_brand|minor_version|compatible_brands|handler_name|vendor_id|duration|rotate|filename|mimetype)$/

/** All tags of a file and its streams, and its chapters, as text. */
const metadataOf = ({ tags, streams, chapters }: MediaInfo): string =>
  JSON.stringify([
    chapters,
    ...[tags, ...streams.map((stream) => stream.tags)].map((own) =>
      Object.entries(own)
        .filter(([name]) => !STRUCTURE.test(name))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  ])

/** The file format, in the interface's terms. */
function reportOf({ format, durationS, bitRate, streams, chapterList = [] }: MediaInfo) {
  return {
    container: format,
    durationS: durationS ?? null,
    bitrateKbps: bitRate === undefined ? null : Math.round(bitRate / 1000),
    streams: streams.map(streamReport),
    ...(chapterList.length > 0 && { chapters: withEnds(chapterList, durationS) }),
  }
}

const streamReport = ({ type, codec, width, height, sampleRate }: Stream) => ({
  type: type === 'video' || type === 'audio' ? type : 'other',
  codec,
  ...(width !== undefined && { width }),
  ...(height !== undefined && { height }),
  ...(sampleRate !== undefined && { sampleRate }),
})
