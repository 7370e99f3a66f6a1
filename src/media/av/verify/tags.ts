import type { MediaInfo } from '../../../engines/ffmpeg/ffprobe.ts'
import { isLoudnessTag, tagsOf } from '../labels/tags.ts'
import type { Loss } from './loss.ts'
import type { OutputPlan } from './output-plan.ts'

/** File-level tags that the output lacks, or has with another value. */
export function tagLosses({ source, changes, container, kept, writtenTags }: OutputPlan, output: MediaInfo): Loss[] {
  // Animated images have no tags, and users do not expect any.
  if (changes.has('pixels')) return []
  const found = tagsOf(output)
  const values = new Set(Object.values(found).map(plain))
  const isSound = kept.video.length === 0
  return Object.entries(tagsOf(source.info)).flatMap(([name, value]): Loss[] => {
    if ((changes.has('level') && isLoudnessTag(name)) || writtenTags?.has(name)) return []
    // The creation date is stored by image formats.
    if (name === 'creation_time' && (isSound || container.single)) return []
    // Other formats use other names, and some keep only the year of a date.
    const isKept = values.has(plain(value)) || (name === 'date' && isYearOf(found.date ?? found.year, value))
    return isKept || plain(value) === '' ? [] : [{ kind: 'tags', from: name, reason: 'container' }]
  })
}

const plain = (value: string): string => value.replaceAll(/\s+/g, ' ').trim()

const isYearOf = (year: string | undefined, date: string): boolean => year !== undefined && date.startsWith(year)

/** The timecode of the first frame, which MOV stores in a separate track and Matroska as a tag. */
export const timecodeOf = ({ tags, streams }: MediaInfo): string | undefined =>
  tags.timecode ?? streams.find((stream) => stream.tags.timecode)?.tags.timecode
