import { audioStreams, type MediaInfo, type Stream } from '../../../engines/ffmpeg/ffprobe.ts'
import type { Container } from '../containers.ts'
import type { Merged } from '../merge.ts'
import { quickTimeLanguage } from './languages.ts'
import { isLoudnessTag, taggedStream, tagsOf } from './tags.ts'

const option = (specifier: string, name: string, value: string): string[] => [
  `-metadata:${specifier}`,
  `${name}=${value}`,
]

/**
 * Options for the labels of a track that ffmpeg's muxers would otherwise leave out.
 * @param specifier of the output stream, such as `s:a:0`
 */
export function trackLabels(
  { language, title }: Stream,
  specifier: string,
  { container, info }: { container: Container; info: MediaInfo },
): string[] {
  // QuickTime numbers its languages, and ffmpeg knows most of them by one code only.
  const code = language && container.muxer === 'mov' ? quickTimeLanguage(language) : language
  // The tags of Ogg are moved to the file, and the other tags of the stream with them.
  const isLanguageLost = movesTags(info, container) || code !== language
  return [
    ...(code && isLanguageLost ? option(specifier, 'language', code) : []),
    // Files of one sound alone have its language as a tag of the file.
    ...(code && container.video.length === 0 && container.single ? ['-metadata', `language=${code}`] : []),
    // MP4 and MOV have the title of a track as the name of its handler.
    ...(title && container.demuxer === 'mov' && !movesTags(info, container)
      ? option(specifier, 'handler_name', title)
      : []),
  ]
}

/**
 * Options for the language of the one audio track that several files are joined into: theirs, where all agree.
 * @param warn receives that they do not
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
 * Options for the tags of what several files are joined into: those that all of them have alike.
 * @param warn receives which ones are not, and by `check` which ones the output lacks
 */
export function joinedTags(
  infos: readonly MediaInfo[],
  warn: (message: string) => void,
): { options: string[]; check(output: MediaInfo): void } {
  const all = infos.map(tagsOf)
  const names = [...new Set(all.flatMap(Object.keys))].filter((name) => !IS_TIME.test(name))
  const isOfAll = (name: string): boolean => !isLoudnessTag(name) && all.every((tags) => tags[name] === all[0]![name])
  const shared = names.filter(isOfAll)
  const others = names.filter((name) => !isOfAll(name))
  if (others.length > 0) warn(`tags that are not those of all files together are left out (${others.join(', ')})`)
  return {
    options: shared.flatMap((name) => ['-metadata', `${name}=${all[0]![name]}`]),
    check(output) {
      const kept = new Set(Object.values(tagsOf(output)))
      const lost = shared.filter((name) => !kept.has(all[0]![name]!))
      if (lost.length > 0) warn(`the format has no place for tags that all files have (${lost.join(', ')})`)
    },
  }
}

/** When each of several files was made is not when they were joined. */
const IS_TIME = /^(creation_time|date|year)$/

/** Ogg has its tags on a stream, where other formats have them on the file. */
const movesTags = (info: MediaInfo, container: Container): boolean =>
  taggedStream(info) !== undefined && container.demuxer !== 'ogg'

/** Options for the tags of the whole output: where they come from, and those that are no longer true. */
export function fileTags(info: MediaInfo, { changes, audioFilters }: Merged, container: Container): string[] {
  const tagged = taggedStream(info)
  const isLouder = changes.has('level') && audioFilters.length > 0
  const names = isLouder ? [info.tags, ...info.streams.map(({ tags }) => tags)].flatMap(Object.keys) : []
  const stale = [...new Set(names.filter(isLoudnessTag))]
  const { creation_time: created } = info.tags
  return [
    // ffmpeg leaves it out unless it is given.
    ...(created && container.video.length > 0 ? ['-metadata', `creation_time=${created}`] : []),
    ...(tagged && movesTags(info, container) ? ['-map_metadata', `0:s:${tagged.index}`] : []),
    ...stale.flatMap((name) => ['-metadata', `${name}=`, '-metadata:s', `${name}=`]),
  ]
}
