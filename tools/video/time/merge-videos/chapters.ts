import { parse } from 'node:path'
import type { Chapter } from '../../../../src/engines/ffmpeg/ffprobe.ts'
import type { AvSource } from '../../../../src/media/av/input/part.ts'
import { withEnds } from '../../../../src/media/av/labels/chapters.ts'

/**
 * The chapters of clips that are joined: their own ones at their new times, or one for each file, with its name. Beside
 * clips with chapters, a clip without any is one: MP4 would otherwise start the next chapter earlier.
 */
export function joinedChapters(sources: readonly AvSource[], kind: 'keep' | 'files'): Required<Chapter>[] {
  let startS = 0
  if (kind === 'keep' && sources.every(({ info }) => info.chapters === 0)) return []
  return sources.flatMap(({ name, info: { durationS = 0, chapterList = [] } }) => {
    const fromS = startS
    startS += durationS
    if (kind === 'files' || chapterList.length === 0) return [{ startS: fromS, endS: startS, title: parse(name).name }]
    return withEnds(chapterList, durationS).map((chapter) => ({
      ...chapter,
      startS: fromS + Math.min(chapter.startS, durationS),
      endS: fromS + Math.min(chapter.endS, durationS),
    }))
  })
}
