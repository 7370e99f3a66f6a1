/**
 * The parts of an object's MuPDF text that change when it is written elsewhere: references, and the length of a stream.
 * Strings are matched so that text in them that looks like a reference is unchanged; MuPDF escapes brackets in strings
 * and prints non-ASCII bytes in hexadecimal.
 */
const PARTS = /\((?:\\[\s\S]|[^\\()])*\)|<<|>>|\/Length (?:\d+ \d+ R|\d+)|\b(\d+) \d+ R\b/g

/** Invokes the callback with the number of each object that the text refers to. */
export function eachReference(text: string, found: (number: number) => void): void {
  for (const match of text.matchAll(PARTS)) {
    if (match[1] !== undefined) found(Number(match[1]))
    else if (match[0].startsWith('/Length ')) {
      const reference = /(\d+) \d+ R/.exec(match[0])
      if (reference) found(Number(reference[1]))
    }
  }
}

/**
 * The text with other object numbers and, for a stream, with its length in bytes.
 * @param numberOf returns the new number of an object; undefined for an object that is not in the file, which is
 * written as null
 */
export function renumbered(
  text: string,
  numberOf: (number: number) => number | undefined,
  streamLength?: number,
): string {
  let depth = 0
  let hasLength = false
  const reference = (number: string): string => {
    const own = numberOf(Number(number))
    return own === undefined ? 'null' : `${own} 0 R`
  }
  const result = text.replace(PARTS, (part: string, number: string | undefined) => {
    if (part === '<<') depth++
    else if (part === '>>') depth--
    else if (number !== undefined) return reference(number)
    else if (part.startsWith('/Length ')) {
      if (depth === 1 && streamLength !== undefined) {
        hasLength = true
        return `/Length ${streamLength}`
      }
      return part.replace(/(\d+) \d+ R/, (_whole, own: string) => reference(own))
    }
    return part
  })
  return streamLength === undefined || hasLength ? result : result.replace(/^<</, `<</Length ${streamLength} `)
}
