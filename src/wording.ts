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
