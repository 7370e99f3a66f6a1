/** Fields that load external files, including the names used by older programs. */
const LOADING = /\b(INCLUDE|INCLUDEPICTURE|INCLUDETEXT|IMPORT|LINK|DDE|DDEAUTO|RD)\b/i

/**
 * Longer instructions are data of other programs; they are removed unread, and the displayed result of the field is
 * kept.
 */
const LONGEST = 10_000

/** Removes fields that load external files from RTF; all other bytes are unchanged. */
export function withoutRtfLinks(bytes: Uint8Array): { bytes: Uint8Array; leftOut: number } {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  let leftOut = 0
  const kept: string[] = []
  let from = 0
  for (const { start, end } of instructions(text)) {
    const isLong = end - start > LONGEST
    if (!isLong && !LOADING.test(plainText(text.slice(start, end)))) continue
    if (!isLong) leftOut += 1
    kept.push(text.slice(from, start), '\\fldinst  ')
    from = end
  }
  kept.push(text.slice(from))
  const closed = kept
    .join('')
    // Images of drawing objects and templates stored elsewhere.
    .replace(/(\\sn\s*pibName\s*\}\s*\{\s*\\sv)\s[^{}]*/g, (_whole, before: string) => {
      leftOut += 1
      return before
    })
    .replace(/\\\*\\template\b[^{}]*/g, '\\*\\template ')
  return { bytes: Buffer.from(closed, 'latin1'), leftOut }
}

/**
 * From each `\fldinst` to the closing brace of its group, or the end of the text; nested instructions are part of the
 * outer one.
 */
function* instructions(text: string): Generator<{ start: number; end: number }> {
  let depth = 0
  let open: { start: number; depth: number } | undefined
  for (const { 0: token, index } of text.matchAll(/\\fldinst(?![a-z])|\\[\s\S]|[{}]/g)) {
    if (token === '{') depth += 1
    else if (token === '}') {
      if (open?.depth === depth) {
        yield { start: open.start, end: index }
        open = undefined
      }
      depth -= 1
    } else if (token.length > 2) open ??= { start: index, depth }
  }
  if (open) yield { start: open.start, end: text.length }
}

/** The visible text of RTF: without control words and braces, with `\'49` and `\u73?` decoded to letters. */
function plainText(rtf: string): string {
  return rtf
    .replace(/\\u(-?\d+) ?\??/g, (_whole, code: string) => String.fromCharCode(Number(code) & 0xffff))
    .replace(/\\'([0-9a-f]{2})/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[a-z]+-?\d* ?/gi, '')
    .replace(/[{}\r\n\\*]/g, '')
}
