import type { Cue } from './cues.ts'

/** The content of a subtitle file. */
export interface ParsedCues {
  /** In file order. */
  cues: Cue[]
  /** Cues whose times cannot be parsed, or that end before they start. */
  invalid: number
  /** The file specifies cue styling or positions (STYLE, REGION, cue settings), which plain subtitles cannot hold. */
  hasLooks: boolean
}

/** `01:02:03,456`; hours are optional, and the fraction uses a comma or a point. */
const CLOCK = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})`
/** An arrow with a single dash is a common typo. */
const TIMES = new RegExp(`^\\s*${CLOCK}\\s*-{1,3}>\\s*${CLOCK}(?:\\s+(.*))?$`)
/** A line intended as a timing line, valid or not. */
const MEANT_AS_TIMES = /-->|^\s*[\d:.,]+\s*->\s*[\d:.,]+\s*$/

function secondsOf([hours = '0', minutes, seconds, fraction]: readonly (string | undefined)[]): number {
  const isClock = Number(minutes) < 60 && Number(seconds) < 60
  return isClock ? Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction}`) : Number.NaN
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', nbsp: '\u00a0', lrm: '\u200e', rlm: '\u200f' },
}

/** The text of a WebVTT cue, keeping only the tags that SubRip supports: bold, italic, underline. */
const plainVtt = (text: string): string =>
  text
    .replace(/<([biu])[. ][^<>\n]*>/g, '<$1>')
    .replace(/<(?!\/?[biu]>)[^<>\n]*>/g, '')
    .replace(/&(\w{2,4});/g, (whole, name: string) => ENTITIES[name] ?? whole)

/** The lines of text between a timing line and the next one. */
function textOf(lines: readonly string[], format: 'srt' | 'vtt', isLast: boolean): string {
  if (format === 'vtt') {
    const end = lines.findIndex((line) => line.trim() === '')
    return plainVtt(lines.slice(0, end < 0 ? undefined : end).join('\n')).trim()
  }
  const text = lines.join('\n').trimEnd()
  // Removes the number of the next cue. Empty lines inside a text are also removed, because they would end the cue.
  const own = isLast ? text : text.replace(/(^|\n)\s*\d+$/, '')
  return own
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n')
}

/**
 * Parses the cues of SubRip or WebVTT.
 * @param text text with `\n` line endings
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

/** Cues with visible text. */
export const withText = (cues: readonly Cue[]): Cue[] => cues.filter(({ text }) => text.trim() !== '')

/** Maximum number of simultaneous cues: without a limit, the joined texts would grow quadratically. */
const MOST_AT_ONCE = 16

/**
 * Converts overlapping cues to consecutive ones, for formats that display one cue at a time: when several overlap, one
 * cue contains the lines of all of them, earliest first.
 * @returns the cues and the number of cues dropped because more overlap than fit on a screen
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

/** Whether any two cues overlap. */
export function overlaps(cues: readonly Cue[]): boolean {
  const ordered = inOrder(cues)
  return ordered.some(({ startS }, at) => at > 0 && startS < ordered[at - 1]!.endS)
}
