import { inputArguments, runFfmpeg } from '../../src/engines/ffmpeg/ffmpeg.ts'
import type { MediaInfo, Stream } from '../../src/engines/ffmpeg/ffprobe.ts'
import { containerFor } from '../../src/media/av/containers.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { avTool } from '../../src/tool/av-tool.ts'

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
    const source = given!
    const { info } = source
    const extension = containerFor(source.extension) ? source.extension : 'mp4'
    const container = containerFor(extension)!
    const name = suffixedName(source, 'clean', extension)
    const path = await context.output(name)
    const kept = info.streams.filter(({ type }) => type !== 'data')
    if (kept.length < info.streams.length)
      context.warn('data streams (such as the camera of a phone records) are taken out: they hold places and times')
    await runFfmpeg(
      [
        ...inputArguments(source.path),
        ...kept.flatMap(({ index }) => ['-map', `0:${index}`]),
        ...['-c', 'copy', '-map_metadata', '-1', '-map_metadata:s', '-1'],
        // The turn of the picture is no metadata of anybody: without it a phone's video would lie on its side.
        ...['-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact', '-strict', '-2'],
        ...[...container.options, '-f', container.muxer, `file:${path}`],
      ],
      {
        signal: context.signal,
        durationS: info.durationS,
        onProgress: (fraction) => context.progress(fraction, 'copying'),
        what: 'Copying',
      },
    )
    return { files: [{ path, name, mime: mimeOf(extension) }], report: { metadata: reportOf(info) } }
  },
})

/** What the file was, in the words of the interface. */
function reportOf({ format, durationS, bitRate, streams }: MediaInfo) {
  return {
    container: format,
    durationS: durationS ?? null,
    bitrateKbps: bitRate === undefined ? null : Math.round(bitRate / 1000),
    streams: streams.map(streamReport),
  }
}

const streamReport = ({ type, codec, width, height, sampleRate }: Stream) => ({
  type: type === 'video' || type === 'audio' ? type : 'other',
  codec,
  ...(width !== undefined && { width }),
  ...(height !== undefined && { height }),
  ...(sampleRate !== undefined && { sampleRate }),
})
