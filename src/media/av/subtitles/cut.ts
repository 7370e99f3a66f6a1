/** A time range of a media file, seconds; open-ended without an end. */
interface Span {
  fromS: number
  toS: number | undefined
}

/** `00:01:02,345`, with a point in WebVTT, where hours are optional; `0:01:02.34` in scripts. */
const CLOCK = /(?:(\d+):)?(\d{1,2}):(\d{2})[,.](\d{1,3})/
const CUE_TIMES = new RegExp(`^\\s*(${CLOCK.source})\\s*-->\\s*(${CLOCK.source})(.*)$`, 'm')
const EVENT_TIMES = /^(Dialogue:\s*[^,]*,)\s*([\d:.]+)\s*,\s*([\d:.]+)\s*(,.*)$/

function secondsOf(clock: string): number {
  const [, hours = '0', minutes, seconds, fraction] = CLOCK.exec(clock)!
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction}`)
}

/** Formats a time like the original: with the same number of digits and the same decimal separator. */
function written(timeS: number, like: string): string {
  const [sign, fraction = ''] = /[,.](\d+)$/.exec(like)!
  const unit = 10 ** fraction.length
  const total = Math.round(timeS * unit)
  const two = (value: number): string => String(value).padStart(2, '0')
  const whole = Math.floor(total / unit)
  const clock = `${two(Math.floor(whole / 3600))}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`
  return `${clock}${sign[0]}${String(total % unit).padStart(fraction.length, '0')}`
}

/** The remaining part of a cue in the clip's time base; undefined when nothing remains. */
function cutTimes(begin: string, end: string, { fromS, toS = Number.POSITIVE_INFINITY }: Span): string[] | undefined {
  const [beginS, endS] = [Math.max(secondsOf(begin), fromS), Math.min(secondsOf(end), toS)]
  return endS > beginS ? [written(beginS - fromS, begin), written(endS - fromS, end)] : undefined
}

/** Cuts SubRip or WebVTT paragraphs: one without timing belongs to the preceding cue, or to the file header. */
function cutCues(text: string, span: Span): { text: string; cues: number } {
  let isKept = true
  let cues = 0
  const paragraphs = text.split(/\n(?:[ \t]*\n)+/).flatMap((paragraph) => {
    const [line, begin = '', , , , , end = ''] = CUE_TIMES.exec(paragraph) ?? []
    if (line === undefined) return isKept ? [paragraph] : []
    const times = cutTimes(begin, end, span)
    isKept = times !== undefined
    if (!times) return []
    cues += 1
    const rest = line.slice(line.indexOf(end) + end.length)
    return [paragraph.replace(line, () => `${times.join(' --> ')}${rest}`)]
  })
  return { text: paragraphs.join('\n\n'), cues }
}

/** Cuts the lines of a script (ASS or SSA). */
function cutEvents(text: string, span: Span): { text: string; cues: number } {
  let cues = 0
  const lines = text.split('\n').flatMap((line) => {
    const [, head, begin = '', end = '', rest] = EVENT_TIMES.exec(line) ?? []
    if (!head) return [line]
    const times = cutTimes(begin, end, span)
    if (!times) return []
    cues += 1
    return [`${head}${times.join(',')}${rest}`]
  })
  return { text: lines.join('\n'), cues }
}

/**
 * Cuts subtitles to a time range; times restart at 0 with the range, and cues that cross its edges are trimmed.
 * @param text as written by ffmpeg: UTF-8
 * @returns undefined when nothing is displayed in that range
 */
export function cutSubtitles(text: string, format: 'srt' | 'vtt' | 'ass', span: Span): string | undefined {
  const lines = text.replaceAll('\r\n', '\n')
  const { text: cut, cues } = format === 'ass' ? cutEvents(lines, span) : cutCues(lines, span)
  return cues > 0 ? cut : undefined
}
