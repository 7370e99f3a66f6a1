import { inputArguments } from '../../src/engines/ffmpeg/ffmpeg.ts'
import type { MediaInfo } from '../../src/engines/ffmpeg/ffprobe.ts'
import { containerFor, knownContainer } from '../../src/media/av/containers.ts'
import { planAv } from '../../src/media/av/filters/graph.ts'
import { tagsOf } from '../../src/media/av/labels/tags.ts'
import { writeMedia } from '../../src/media/av/write.ts'
import { printableName } from '../../src/media/file.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import { boolean, text } from '../../src/tool/settings.ts'
import { either } from '../../src/wording.ts'

const MAX_TAG = 500
const NAMES = ['title', 'artist', 'album'] as const

export default avTool({
  section: 'audio',
  id: 'audio-metadata',
  summary: 'Read, set or strip title, artist and album tags',
  settings: {
    strip: boolean('remove all tags; title, artist and album then have no effect', { default: false }),
    title: text('the title; empty to clear it', { maxLength: MAX_TAG, when: { strip: false }, example: 'Morning' }),
    artist: text('the artist; empty to clear it', {
      maxLength: MAX_TAG,
      when: { strip: false },
      example: 'Edvard Grieg',
    }),
    album: text('the album; empty to clear it', { maxLength: MAX_TAG, when: { strip: false }, example: 'Peer Gynt' }),
  },
  output: { kind: 'file+report', type: { same: true } },
  heavy: false,
  suffix: 'metadata',
  examples: [
    { title: 'a title and an artist', inputs: ['tone.mp3'], settings: { title: 'Concert A', artist: 'Tuning fork' } },
    { title: 'no tags at all', inputs: ['tone.mp3'], settings: { strip: true } },
  ],
  async produce([given], settings, context) {
    const source = given
    const extension = containerFor(source.extension) ? source.extension : 'mp3'
    const wanted = settings.strip
      ? []
      : NAMES.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]] as const]))
    const name = suffixedName(source, 'metadata', extension)
    const path = await context.output(name)
    const { muxer } = knownContainer(extension)
    const plan = planAv(source, [{ changes: settings.strip ? ['tags'] : [], encode: { container: extension } }], path)
    const info = await writeMedia(
      [
        ...[...inputArguments(source.path), '-map', '0:a', '-map', '0:v?', '-c', 'copy'],
        // Ogg stores tags on the stream, other containers on the file. Absent tags are not written.
        ...(settings.strip ? ['-map_metadata', '-1', '-map_metadata:s', '-1', '-map_chapters', '-1'] : []),
        ...wanted.flatMap(([tag, value]) => ['-metadata', `${tag}=${value}`, '-metadata:s:a:0', `${tag}=${value}`]),
        ...['-fflags', '+bitexact', '-flags:a', '+bitexact', ...(ID3[muxer] ?? []), '-f', muxer, `file:${path}`],
      ],
      {
        ...{ path, plans: [{ ...plan.output, writtenTags: new Set(wanted.map(([tag]) => tag)) }], warn: context.warn },
        ...{ signal: context.signal, durationS: source.info.durationS, what: 'Writing the tags' },
      },
    )
    const tags = tagsOf(info)
    const lost = wanted.filter(([tag, value]) => (tags[tag] ?? '') !== value).map(([tag]) => tag)
    if (lost.length > 0)
      context.warn(
        `${printableName(name)} cannot store ${either(lost)}: ${extension.toUpperCase()} does not support it`,
      )
    else if (!isChanged(source.info, info)) context.warn(nothingChanged(source.name), 'advice')
    return { files: [{ path, name, mime: mimeOf(extension) }], report: { metadata: { ...summary(info), tags } } }
  },
})

const nothingChanged = (name: string): string =>
  `Nothing was changed: ${printableName(name)} has these tags already; use title, artist, album or strip to change them`

const isChanged = (before: MediaInfo, after: MediaInfo): boolean =>
  before.chapters !== after.chapters || JSON.stringify(sorted(tagsOf(before))) !== JSON.stringify(sorted(tagsOf(after)))

const sorted = (tags: Record<string, string>): string[][] => Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1))

/** AIFF and bare AAC keep tags in an ID3 header, which ffmpeg writes only on request. */
const ID3: Readonly<Record<string, string[]>> = { aiff: ['-write_id3v2', '1'], adts: ['-write_id3v2', '1'] }

function summary(info: MediaInfo) {
  return {
    container: info.format,
    durationS: info.durationS ?? null,
    bitrateKbps: info.bitRate === undefined ? null : Math.round(info.bitRate / 1000),
  }
}
