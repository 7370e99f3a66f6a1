import type { Cue } from './cues.ts'

/** What a subtitle file holds. */
export interface ParsedCues {
  /** In the order of the file. */
  cues: Cue[]
  /** Cues whose times cannot be read, or end before they begin. */
  invalid: number
  /** The file says how or where cues are drawn (STYLE, REGION, settings of a cue), which plain subtitles do not hold. */
  hasLooks: boolean
}

/** `01:02:03,456`; hours may be left out, and the fraction has a comma or a point. */
const CLOCK = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})`
/** An arrow of one dash is a common slip. */
const TIMES = new RegExp(`^\\s*${CLOCK}\\s*-{1,3}>\\s*${CLOCK}(?:\\s+(.*))?$`)
/** A line that is meant to hold times, valid or not. */
const MEANT_AS_TIMES = /-->|^\s*[\d:.,]+\s*->\s*[\d:.,]+\s*$/

function secondsOf([hours = '0', minutes, seconds, fraction]: readonly (string | undefined)[]): number {
  const isClock = Number(minutes) < 60 && Number(seconds) < 60
  return isClock ? Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction}`) : Number.NaN
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0', lrm: '\u200e', rlm: '\u200f' },
}

/** The text of a WebVTT cue with the tags that SubRip has, too: bold, italic, underlined. */
const plainVtt = (text: string): string =>
  text
    .replace(/<([biu])[. ][^<>\n]*>/g, '<$1>')
    .replace(/<(?!\/?[biu]>)[^<>\n]*>/g, '')
    .replace(/&(\w{2,4});/g, (whole, name: string) => ENTITIES[name] ?? whole)

/** The lines of text between a line of times and the next one. */
function textOf(lines: readonly string[], format: 'srt' | 'vtt', isLast: boolean): string {
  if (format === 'vtt') {
    const end = lines.findIndex((line) => line.trim() === '')
    return plainVtt(lines.slice(0, end < 0 ? undefined : end).join('\n')).trim()
  }
  const text = lines.join('\n').trimEnd()
  // The number of the next cue. Empty lines within a text stay out, as they would end the cue.
  const own = isLast ? text : text.replace(/(^|\n)\s*\d+$/, '')
  return own
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n')
}

/**
 * Reads the cues of SubRip or WebVTT.
 * @param text with `\n` at the ends of lines
 */
export function parseCues(text: string, format: 'srt' | 'vtt'): ParsedCues {
  const lines = text.split('\n')
  const starts = lines.flatMap((line, at) => (MEANT_AS_TIMES.test(line) ? [at] : []))
  const found: ParsedCues = {
    ...{ cues: [], invalid: 0 },
    hasLooks: format === 'vtt' && /^(STYLE|REGION)[ \t]*$/m.test(text),
  }
  for (const [number, at] of starts.entries()) {
    const parts = TIMES.exec(lines[at]!) ?? []
    const [startS, endS] = [secondsOf(parts.slice(1, 5)), secondsOf(parts.slice(5, 9))]
    const next = starts[number + 1]
    const words = textOf(lines.slice(at + 1, next), format, next === undefined)
    if (format === 'vtt' && parts[9]?.trim()) found.hasLooks = true
    if (endS > startS) found.cues.push({ startS, endS, text: words })
    else found.invalid += 1
  }
  return found
}

/** Cues that show something. */
export const withText = (cues: readonly Cue[]): Cue[] => cues.filter(({ text }) => text.trim() !== '')

/** Cues that are shown together at most: without a limit their joined texts would grow with the square of their number. */
const MOST_AT_ONCE = 16

/**
 * Cues of which no two are shown at the same time, for formats that show one after the other: where several are shown, one
 * has the lines of all of them, the earliest first.
 * @returns also how many cues are left out, as more are shown at once than fit on a screen
 */
export function withoutOverlaps(cues: readonly Cue[]): { cues: Cue[]; dropped: number } {
  const flat: Cue[] = []
  let shown: Cue[] = []
  let [atS, dropped] = [0, 0]
  const showUntil = (endS: number): void => {
    while (shown.length > 0 && atS < endS) {
      const untilS = Math.min(endS, ...shown.map((cue) => cue.endS))
      if (untilS > atS) flat.push({ startS: atS, endS: untilS, text: shown.map(({ text }) => text).join('\n') })
      atS = Math.max(atS, untilS)
      shown = shown.filter((cue) => cue.endS > untilS)
    }
  }
  for (const cue of inOrder(cues)) {
    showUntil(cue.startS)
    atS = cue.startS
    if (shown.length < MOST_AT_ONCE) shown.push(cue)
    else dropped += 1
  }
  showUntil(Number.POSITIVE_INFINITY)
  return { cues: flat, dropped }
}

const inOrder = (cues: readonly Cue[]): Cue[] => [...cues].sort((one, other) => one.startS - other.startS)

/** Whether two cues are shown at the same time. */
export function overlaps(cues: readonly Cue[]): boolean {
  const ordered = inOrder(cues)
  return ordered.some(({ startS }, at) => at > 0 && startS < ordered[at - 1]!.endS)
}
