import { audioStreams, type MediaInfo } from '../../engines/ffmpeg/ffprobe.ts'

/** Tags that a file has for technical reasons, and that nobody wrote. */
const TECHNICAL = new Set(['major_brand', 'minor_version', 'compatible_brands', 'encoder', 'creation_time'])

/** The tags of a recording, by lower-case name; Ogg keeps them on its stream. */
export function tagsOf(info: MediaInfo): Record<string, string> {
  const own = info.format === 'ogg' ? { ...audioStreams(info)[0]?.tags, ...info.tags } : info.tags
  return Object.fromEntries(Object.entries(own).filter(([name]) => !TECHNICAL.has(name)))
}
