/** Lists as English sentences write them. British: no comma before the last word. */
let disjunction: Intl.ListFormat | undefined

/** `a, b or c` */
export function either(words: Iterable<string>): string {
  // Made on first use: most runs of a command never need it.
  disjunction ??= new Intl.ListFormat('en-GB', { type: 'disjunction' })
  return disjunction.format(words)
}

/** `1 chapter`, `2 chapters` */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const SIZES = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Bytes for people, in powers of 1000 as disks and the settings count them: `640 B`, `12.3 MB`. */
export function readableSize(bytes: number): string {
  let value = bytes
  let unit = 0
  // What would be rounded to 1000.0 is one of the next unit.
  while (unit < SIZES.length - 1 && value >= (unit === 0 ? 1000 : 999.95)) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${SIZES[unit]}`
}
