/** A subtitle cue or a piece of speech with its display time: seconds from the start. */
export interface Cue {
  startS: number
  endS: number
  /** Line breaks are preserved. */
  text: string
}

/** The minimum duration of a cue, seconds: a cue without duration is not rendered. */
const MIN_LENGTH_S = 0.001

/** `01:02:03,456`; the separator before the milliseconds depends on the format. */
function clock(timeS: number, sign: ',' | '.'): string {
  const ms = Math.max(0, Math.round(timeS * 1000))
  const part = (value: number, digits: number): string => String(value).padStart(digits, '0')
  const [hours, minutes, seconds] = [
    Math.floor(ms / 3_600_000),
    Math.floor(ms / 60_000) % 60,
    Math.floor(ms / 1000) % 60,
  ]
  return `${part(hours, 2)}:${part(minutes, 2)}:${part(seconds, 2)}${sign}${part(ms % 1000, 3)}`
}

/** Normalizes cue text: an empty line would end the cue, and an arrow could be parsed as a timing line. */
function linesOf(text: string): string[] {
  return text
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => line.replaceAll('\0', '').trim().replaceAll('-->', '→'))
    .filter((line) => line !== '')
}

/** Cues sorted by start time, without empty ones. */
function shown(cues: readonly Cue[]): { times: (sign: ',' | '.') => string; lines: string[] }[] {
  return cues
    .map(({ startS, endS, text }) => ({ startS, endS: Math.max(endS, startS + MIN_LENGTH_S), lines: linesOf(text) }))
    .filter(({ lines }) => lines.length > 0)
    .sort((one, other) => one.startS - other.startS)
    .map(({ startS, endS, lines }) => ({ lines, times: (sign) => `${clock(startS, sign)} --> ${clock(endS, sign)}` }))
}

/** Serializes cues as a SubRip file. */
export function srtOf(cues: readonly Cue[]): string {
  return shown(cues)
    .map(({ times, lines }, index) => `${index + 1}\n${times(',')}\n${lines.join('\n')}\n`)
    .join('\n')
}

/** Serializes cues as a WebVTT file; text that looks like a tag is escaped. */
export function vttOf(cues: readonly Cue[]): string {
  const escaped = (line: string): string => line.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
  const blocks = shown(cues).map(({ times, lines }) => `${times('.')}\n${lines.map(escaped).join('\n')}\n`)
  return ['WEBVTT\n', ...blocks].join('\n')
}
