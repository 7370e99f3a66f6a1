/** C source with the pixels of a picture. Written without regular expressions, which long damaged files make slow. */

export const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

/** The text without its comments; an open comment hides the rest. */
export function textWithoutComments(bytes: Uint8Array): string {
  const text = textOf(bytes)
  const parts: string[] = []
  let at = 0
  for (;;) {
    const start = text.indexOf('/*', at)
    if (start < 0) break
    parts.push(text.slice(at, start))
    const end = text.indexOf('*/', start + 2)
    at = end < 0 ? text.length : end + 2
  }
  return parts.length === 0 ? text : [...parts, text.slice(at)].join(' ')
}

/** The end of the string that starts before an offset; -1 when it is open. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text[end - 1 - escapes] === '\\' && end - 1 - escapes >= from) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return -1
}

/** The strings, one after the other; comments between them are left out. */
export function* stringsOf(bytes: Uint8Array): Generator<string> {
  const text = textOf(bytes)
  const next = (mark: string, from: number): number => {
    const found = text.indexOf(mark, from)
    return found < 0 ? text.length : found
  }
  let comment = next('/*', 0)
  for (let at = next('"', 0); at < text.length; ) {
    if (comment < at) {
      const end = next('*/', comment + 2) + 2
      comment = next('/*', end)
      if (at < end) at = next('"', end)
      continue
    }
    const end = endOfString(text, at + 1)
    if (end < 0) return
    yield text.slice(at + 1, end).replaceAll(/\\(.)/g, '$1')
    at = next('"', end + 1)
    // A string may hold what looks like a comment.
    if (comment < end) comment = next('/*', end + 1)
  }
}
