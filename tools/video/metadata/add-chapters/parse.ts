import type { Chapter } from '../../../../src/engines/ffmpeg/ffprobe.ts'
import { MediaprocError } from '../../../../src/errors.ts'
import { withoutSame } from '../../../../src/media/av/labels/chapters.ts'
import { counted } from '../../../../src/wording.ts'

/** `1:30 Title`, `- [01:02:03.5] – Title`: a time with minutes, and what separates it from the title after it. */
const TIME = /^[-*\s]*[[(]?(?:(\d{1,3}):)?(\d{1,3}):(\d{2}(?:[.,]\d+)?)[\])]?[\s:|.–—-]*/

interface ParseOptions {
  /** Name of the list, for messages. */
  name: string
  durationS: number | undefined
  warn(message: string): void
}

/**
 * Parses a list of chapters as in the descriptions of video sites: a time and a title in each line.
 * @throws INVALID_FILE without any time, INVALID_SETTINGS when all are after the end of the video
 */
export function parseChapters(text: string, { name, durationS, warn }: ParseOptions): Chapter[] {
  const lines = text.split(/\r\n?|\n/).filter((line) => line.trim() !== '')
  const chapters = lines.flatMap((line) => {
    const [time = '', hours = '0', minutes, seconds = ''] = TIME.exec(line) ?? []
    if (minutes === undefined) return []
    const startS = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(',', '.'))
    const title = line.slice(time.length).trim()
    return [{ startS, ...(title && { title }) }]
  })
  if (chapters.length === 0)
    throw new MediaprocError('INVALID_FILE', `${name} has no line that starts with a time`, {
      hint: 'Write a chapter in each line: 1:30 Title',
    })
  const others = lines.length - chapters.length
  if (others > 0) warn(`${counted(others, 'line')} of ${name} without a time ${others === 1 ? 'is' : 'are'} left out`)
  const placed = chapters.filter(({ startS }) => durationS === undefined || startS < durationS)
  const late = chapters.length - placed.length
  if (placed.length === 0)
    throw new MediaprocError('INVALID_SETTINGS', `All chapters of ${name} start after the end of the video`)
  if (late > 0)
    warn(`${counted(late, 'chapter')} of ${name} ${late === 1 ? 'starts' : 'start'} after the end of the video`)
  placed.sort((a, b) => a.startS - b.startS)
  const separate = withoutSame(placed)
  const same = placed.length - separate.length
  if (same > 0)
    warn(
      `${counted(same, 'chapter')} of ${name} ${same === 1 ? 'starts' : 'start'} with another one and ${same === 1 ? 'is' : 'are'} left out`,
    )
  return separate
}
