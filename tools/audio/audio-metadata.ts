import type { MediaInfo } from '../../src/engines/ffmpeg/ffprobe.ts'
import { containerFor } from '../../src/media/av/containers.ts'
import { tagsOf, WITHOUT_OWN_TAGS } from '../../src/media/av/labels/tags.ts'
import { runAv } from '../../src/media/av/run.ts'
import { printableName } from '../../src/media/file.ts'
import { suffixedName } from '../../src/media/naming.ts'
import { mimeOf } from '../../src/media/type.ts'
import { avTool } from '../../src/tool/av-tool.ts'
import { boolean, text } from '../../src/tool/settings.ts'
import { either } from '../../src/wording.ts'
import { COVER_SETTINGS, coverPart, WITH_COVER } from './_shared/cover.ts'

const MAX_TAG = 500
const MAX_LYRICS = 20_000

const tag = <const Example extends string>(help: string, example: Example, maxLength = MAX_TAG) =>
  text(`${help}; empty to clear it`, { maxLength, when: { strip: false }, example })

/** The tags that can be set, and ffmpeg's names of those that differ. */
const TAGS = {
  title: tag('the title', 'Morning'),
  artist: tag('the artist', 'Edvard Grieg'),
  album: tag('the album', 'Peer Gynt'),
  albumArtist: tag('the artist of the whole album', 'Berliner Philharmoniker'),
  track: tag('the number of the track, and of all tracks if known', '3/12'),
  disc: tag('the number of the disc, and of all discs if known', '1/2'),
  date: tag('the year, or the date', '1888'),
  genre: tag('the genre', 'Classical'),
  composer: tag('the composer', 'Edvard Grieg'),
  comment: tag('a comment', 'Suite No. 1'),
  copyright: tag('the copyright notice', '2026 Example Records'),
  lyrics: tag('the lyrics', 'First line', MAX_LYRICS),
}
const NAMES = Object.keys(TAGS) as (keyof typeof TAGS)[]
const nameOf = (name: string): string => (name === 'albumArtist' ? 'album_artist' : name)

/** Lyrics are tagged with their language by some formats: `lyrics-eng`. */
const storedValue = (tags: Record<string, string>, name: string): string =>
  tags[name] ??
  (name === 'lyrics' ? Object.entries(tags).find(([key]) => key.startsWith('lyrics-'))?.[1] : undefined) ??
  ''

export default avTool({
  section: 'audio',
  id: 'audio-metadata',
  summary: 'Read, set or strip tags and the cover picture',
  input: WITH_COVER,
  settings: {
    strip: boolean('remove all tags and covers; the other tags then have no effect', { default: false }),
    ...TAGS,
    ...COVER_SETTINGS,
  },
  output: { kind: 'file+report', type: { same: true } },
  heavy: false,
  suffix: 'metadata',
  examples: [
    { title: 'a title and an artist', inputs: ['tone.mp3'], settings: { title: 'Concert A', artist: 'Tuning fork' } },
    { title: 'a cover', inputs: ['tone.mp3'], secondary: { cover: 'photo.jpg' } },
    { title: 'no tags at all', inputs: ['tone.mp3'], settings: { strip: true } },
  ],
  async produce([source], settings, context) {
    const extension = containerFor(source.extension) ? source.extension : 'mp3'
    const wanted = settings.strip
      ? []
      : NAMES.flatMap((name) => (settings[name] === undefined ? [] : [[nameOf(name), settings[name]] as const]))
    const name = suffixedName(source, 'metadata', extension)
    const path = await context.output(name)
    const cover = await coverPart(settings, context)
    const info = await runAv(
      source,
      [
        {
          tags: settings.strip ? 'strip' : Object.fromEntries(wanted),
          ...(settings.strip && !context.secondary.cover ? { cover: 'drop' } : cover),
          encode: { container: extension, options: WITHOUT_OWN_TAGS },
        },
      ],
      path,
      { signal: context.signal, warn: context.warn },
    )
    const tags = tagsOf(info)
    const lost = wanted.filter(([tag, value]) => storedValue(tags, tag) !== value).map(([tag]) => tag)
    if (lost.length > 0)
      context.warn(
        `${printableName(name)} cannot store ${either(lost)}: ${extension.toUpperCase()} does not support it`,
      )
    else if (!cover.cover && !isChanged(source.info, info)) context.warn(nothingChanged(source.name), 'advice')
    return { files: [{ path, name, mime: mimeOf(extension) }], report: { metadata: { ...summary(info), tags } } }
  },
})

const nothingChanged = (name: string): string =>
  `Nothing was changed: ${printableName(name)} has these tags already; set a tag or cover, or strip, to change them`

const isChanged = (before: MediaInfo, after: MediaInfo): boolean =>
  before.chapters !== after.chapters || JSON.stringify(sorted(tagsOf(before))) !== JSON.stringify(sorted(tagsOf(after)))

const sorted = (tags: Record<string, string>): string[][] => Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1))

function summary(info: MediaInfo) {
  return {
    container: info.format,
    durationS: info.durationS ?? null,
    bitrateKbps: info.bitRate === undefined ? null : Math.round(info.bitRate / 1000),
  }
}
