import { writeFile } from 'node:fs/promises'
import type { Chapter, MediaInfo } from '../../../engines/ffmpeg/ffprobe.ts'
import type { Merged } from '../merge.ts'

/** A shorter chapter is not reachable in players, seconds. */
const SHORTEST_S = 0.01

/** Containers and players do not separate chapters that start nearer to each other, seconds. */
const NEAR_S = 0.01

/** Chapters, by their start, without those that start with another one. */
export function withoutSame<One extends Chapter>(chapters: readonly One[]): One[] {
  const separate: One[] = []
  for (const chapter of chapters)
    if (chapter.startS - (separate.at(-1)?.startS ?? Number.NEGATIVE_INFINITY) >= NEAR_S) separate.push(chapter)
  return separate
}

/** Chapters with their ends: the next start, or the end of the file. */
export function withEnds(chapters: readonly Chapter[], durationS: number | undefined): Required<Chapter>[] {
  const sorted = [...chapters].sort((a, b) => a.startS - b.startS)
  return sorted.map(({ startS, endS, title = '' }, index) => {
    // After the last frame, a chapter needs a length of its own.
    const restS = durationS !== undefined && durationS > startS ? durationS : startS + 1
    const untilS = endS ?? sorted[index + 1]?.startS ?? restS
    return { startS, endS: untilS, title }
  })
}

/**
 * The chapters of a result that must be written for it: those a part gives, or those of the source at their new times.
 * Undefined when ffmpeg carries them over itself, or cannot: it keeps chapters that only touch a cut.
 * @param shiftS how much later than requested the result starts, seconds
 */
export function chaptersFor(info: MediaInfo, merged: Merged, shiftS = 0): Required<Chapter>[] | undefined {
  const { chapters, cut, retimed, filteredCut, mapTime: map, durationS, tags } = merged
  if (tags === 'strip') return undefined
  if (chapters) return withEnds(chapters, durationS)
  if (!(cut || retimed || filteredCut) || !map || !info.chapterList) return undefined
  const mapTime = (timeS: number): number => map(timeS) - shiftS
  // A copy that starts earlier is longer; an encoded clip keeps its length.
  const end = durationS === undefined ? Number.POSITIVE_INFINITY : durationS + Math.max(0, -shiftS)
  const placed = withEnds(info.chapterList, info.durationS).map(({ startS, endS, title }) => {
    const [from, to] = [mapTime(startS), mapTime(endS)].map((timeS) => Math.min(Math.max(timeS, 0), end))
    const [first = 0, last = 0] = [from, to].sort((a = 0, b = 0) => a - b)
    return { startS: first, endS: last, title }
  })
  const left = placed.filter(({ startS, endS }) => endS - startS >= SHORTEST_S).sort((a, b) => a.startS - b.startS)
  return left.length > 0 ? left : undefined
}

/** Characters with a meaning in ffmetadata (ffmpeg-formats, Metadata). */
const escaped = (text: string): string => text.replace(/[=;#\\\n]/g, (one) => `\\${one}`).replaceAll('\0', '')

/** Writes chapters as a file for `chapterInput`. */
export async function writeChapters(path: string, chapters: readonly Required<Chapter>[]): Promise<void> {
  const blocks = chapters.map(({ startS, endS, title }) => {
    const [start, end] = [startS, endS].map((timeS) => Math.round(timeS * 1000))
    return `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${start}\nEND=${end}\n${title && `title=${escaped(title)}\n`}`
  })
  await writeFile(path, `;FFMETADATA1\n${blocks.join('')}`)
}

/** Arguments that read such a file, which no user gives. */
export const chapterInput = (path: string): string[] => ['-f', 'ffmetadata', '-i', `file:${path}`]
