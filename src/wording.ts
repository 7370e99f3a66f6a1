/** English lists in sentences. British: no comma before the last item. */
let disjunction: Intl.ListFormat | undefined

/** `a, b or c` */
export function either(words: Iterable<string>): string {
  // Created on first use: most runs of a command never need it.
  disjunction ??= new Intl.ListFormat('en-GB', { type: 'disjunction' })
  return disjunction.format(words)
}

/** `1 chapter`, `2 chapters` */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Maximum length of a list item, in characters. */
const MAX_WORD = 60

/** The first items of a list, each truncated, and the number of the others: `a, b, c and 4 more` */
export function listed(words: readonly string[], most = 5): string {
  const shown = words
    .slice(0, most)
    .map((word) => printableName(word.length > MAX_WORD ? `${word.slice(0, MAX_WORD)}…` : word))
  const rest = words.length - most
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ')
}

const SIZES = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** A readable size, in powers of 1000 as for disks and settings: `640 B`, `12.3 MB`. */
export function readableSize(bytes: number): string {
  let value = bytes
  let unit = 0
  // A value that would round to 1000.0 moves to the next unit.
  while (unit < SIZES.length - 1 && value >= (unit === 0 ? 1000 : 999.95)) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${SIZES[unit]}`
}

/** A name for terminal messages: control characters (newline, escape …) are shown, not interpreted. */
export function printableName(name: string): string {
  return name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) =>
    character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Truncates a name to a maximum length, for messages, by omitting the middle. */
export function shortName(name: string, most = 60): string {
  const shown = printableName(name)
  if (shown.length <= most) return shown
  const half = Math.floor((most - 1) / 2)
  return `${shown.slice(0, half)}…${shown.slice(-half)}`
}
