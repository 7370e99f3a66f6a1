import { audioStreams, type MediaInfo, type Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import { firstOf } from '../../../lists.ts'
import type { Container } from '../containers.ts'
import type { Merged } from '../merge.ts'
import { quickTimeLanguage } from './languages.ts'
import { isLoudnessTag, taggedStream, tagsOf } from './tags.ts'

const option = (specifier: string, name: string, value: string): string[] => [
  `-metadata:${specifier}`,
  `${name}=${value}`,
]

/**
 * Options for track labels that ffmpeg's muxers would otherwise omit.
 * @param specifier output stream specifier, such as `s:a:0`
 */
export function trackLabels(
  { language, title }: Stream,
  specifier: string,
  { container, info }: { container: Container; info: MediaInfo },
): string[] {
  // QuickTime uses numeric language codes, and ffmpeg knows most of them by only one ISO code.
  const code = language && container.muxer === 'mov' ? quickTimeLanguage(language) : language
  // Ogg tags are moved to the file level together with the stream's other tags.
  const isLanguageLost = movesTags(info, container) || code !== language
  return [
    ...(code && isLanguageLost ? option(specifier, 'language', code) : []),
    // Files with a single audio stream store its language as a file-level tag.
    ...(code && container.video.length === 0 && container.single ? ['-metadata', `language=${code}`] : []),
    // MP4 and MOV store the title of a track as its handler name.
    ...(title && container.demuxer === 'mov' && !movesTags(info, container)
      ? option(specifier, 'handler_name', title)
      : []),
  ]
}

/**
 * Options for the language of the single audio track that several files are joined into: their language, if all agree.
 * @param warn receives a warning if they differ
 */
export function joinedLanguage(
  infos: readonly MediaInfo[],
  container: Container,
  warn: (message: string) => void,
): string[] {
  const tracks = infos.flatMap((info) => audioStreams(info)[0] ?? [])
  const languages = [...new Set(tracks.flatMap(({ language }) => language ?? []))]
  const [language] = languages
  if (language === undefined) return []
  if (languages.length > 1) {
    warn(`the audio is in several languages (${languages.join(', ')}): the result is marked with none of them`)
    return []
  }
  const code = container.muxer === 'mov' ? quickTimeLanguage(language) : language
  return [
    ...option('s:a:0', 'language', code),
    ...(container.video.length === 0 && container.single ? ['-metadata', `language=${code}`] : []),
  ]
}

/**
 * Options for the tags of a file joined from several files: the tags that are equal in all of them.
 * @param warn receives the tags that differ and, through `check`, those that the output lacks
 */
export function joinedTags(
  infos: readonly MediaInfo[],
  warn: (message: string) => void,
): { options: string[]; check(output: MediaInfo): void } {
  const all = infos.map(tagsOf)
  const names = [...new Set(all.flatMap(Object.keys))].filter((name) => !IS_TIME.test(name))
  const isOfAll = (name: string): boolean =>
    !isLoudnessTag(name) && all.every((tags) => tags[name] === firstOf(all)[name])
  const shared = names.filter(isOfAll)
  const others = names.filter((name) => !isOfAll(name))
  if (others.length > 0) warn(`tags that differ between the files are left out (${others.join(', ')})`)
  return {
    options: shared.flatMap((name) => ['-metadata', `${name}=${firstOf(all)[name]}`]),
    check(output) {
      const kept = new Set(Object.values(tagsOf(output)))
      const lost = shared.filter((name) => !kept.has(firstOf(all)[name]!))
      if (lost.length > 0) warn(`the format does not support tags that all files have (${lost.join(', ')})`)
    },
  }
}

/** The creation dates of the source files are not the date of the joined file. */
const IS_TIME = /^(creation_time|date|year)$/

/** Ogg stores its tags on a stream, other formats on the file. */
const movesTags = (info: MediaInfo, container: Container): boolean =>
  taggedStream(info) !== undefined && container.demuxer !== 'ogg'

/** Options for file-level tags: where they are copied from, and which are removed because they no longer apply. */
export function fileTags(info: MediaInfo, { changes, audioFilters, tags }: Merged, container: Container): string[] {
  if (tags === 'strip') return ['-map_metadata', '-1', '-map_metadata:s', '-1']
  const tagged = taggedStream(info)
  const isLouder = changes.has('level') && audioFilters.length > 0
  const names = isLouder ? [info.tags, ...info.streams.map(({ tags }) => tags)].flatMap(Object.keys) : []
  const stale = [...new Set(names.filter(isLoudnessTag))]
  const { creation_time: created } = info.tags
  return [
    // ffmpeg omits it unless it is passed explicitly.
    ...(created && container.video.length > 0 ? ['-metadata', `creation_time=${created}`] : []),
    ...(tagged && movesTags(info, container) ? ['-map_metadata', `0:s:${tagged.index}`] : []),
    ...stale.flatMap((name) => ['-metadata', `${name}=`, '-metadata:s', `${name}=`]),
    // Ogg stores them on the stream.
    ...Object.entries(tags).flatMap(([name, value]) => [
      ...['-metadata', `${name}=${value}`],
      ...option('s:a:0', name, value),
    ]),
  ]
}
