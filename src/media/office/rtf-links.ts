/** Fields that load what they name, in their own words or those of older programs. */
const LOADING = /\b(INCLUDE|INCLUDEPICTURE|INCLUDETEXT|IMPORT|LINK|DDE|DDEAUTO|RD)\b/i

/** RTF without fields that load files from elsewhere; all other bytes stay. */
export function withoutRtfLinks(bytes: Uint8Array): { bytes: Uint8Array; leftOut: number } {
  let text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  let leftOut = 0
  const starts = [...text.matchAll(/\\fldinst/g)].map(({ index }) => index).reverse()
  for (const start of starts) {
    const from = text.lastIndexOf('{', start)
    const to = groupEnd(text, from)
    if (from < 0 || !LOADING.test(plainText(text.slice(start, to)))) continue
    leftOut += 1
    text = `${text.slice(0, start)}\\fldinst  ${text.slice(to)}`
  }
  // Pictures of drawing objects and templates that lie elsewhere.
  text = text.replace(/(\\sn\s*pibName\s*\}\s*\{\s*\\sv)\s[^{}]*/g, (_whole, before: string) => {
    leftOut += 1
    return before
  })
  text = text.replace(/\\\*\\template\b[^{}]*/g, '\\*\\template ')
  return { bytes: Buffer.from(text, 'latin1'), leftOut }
}

/** Where the brace stands that ends the group which begins at `from`; the end of the text where there is none. */
function groupEnd(text: string, from: number): number {
  let depth = 0
  for (let at = from; at >= 0 && at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at += 1
    else if (character === '{') depth += 1
    else if (character === '}' && --depth === 0) return at
  }
  return text.length
}

/** What a reader sees of RTF: control words and braces are no part of it, `\'49` and `\u73?` are letters. */
function plainText(rtf: string): string {
  return rtf
    .replace(/\\u(-?\d+) ?\??/g, (_whole, code: string) => String.fromCharCode(Number(code) & 0xffff))
    .replace(/\\'([0-9a-f]{2})/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[a-z]+-?\d* ?/gi, '')
    .replace(/[{}\r\n\\*]/g, '')
}
