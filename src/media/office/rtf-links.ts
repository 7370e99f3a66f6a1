/** Fields that load what they name, in their own words or those of older programs. */
const LOADING = /\b(INCLUDE|INCLUDEPICTURE|INCLUDETEXT|IMPORT|LINK|DDE|DDEAUTO|RD)\b/i

/** Instructions that are longer are data of other programs; they go, unread, and what the field shows stays. */
const LONGEST = 10_000

/** RTF without fields that load files from elsewhere; all other bytes stay. */
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
    // Pictures of drawing objects and templates that lie elsewhere.
    .replace(/(\\sn\s*pibName\s*\}\s*\{\s*\\sv)\s[^{}]*/g, (_whole, before: string) => {
      leftOut += 1
      return before
    })
    .replace(/\\\*\\template\b[^{}]*/g, '\\*\\template ')
  return { bytes: Buffer.from(closed, 'latin1'), leftOut }
}

/** From each `\fldinst` to the brace that ends its group, or the end of the text; what lies within another is part of it. */
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

/** What a reader sees of RTF: control words and braces are no part of it, `\'49` and `\u73?` are letters. */
function plainText(rtf: string): string {
  return rtf
    .replace(/\\u(-?\d+) ?\??/g, (_whole, code: string) => String.fromCharCode(Number(code) & 0xffff))
    .replace(/\\'([0-9a-f]{2})/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[a-z]+-?\d* ?/gi, '')
    .replace(/[{}\r\n\\*]/g, '')
}
