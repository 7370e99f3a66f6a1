import { gunzipSync, constants as zlibConstants } from 'node:zlib'

/**
 * Decodes the first bytes as text, `undefined` if they are binary. UTF-8, UTF-16 with a byte order mark, or a
 * single-byte encoding.
 */
export function decodeText(head: Uint8Array): string | undefined {
  const wide =
    head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : ''
  if (wide) {
    const text = new TextDecoder(wide).decode(head, { stream: true })
    return text.includes('\0') || text.includes('\uFFFD') ? undefined : text
  }
  for (const byte of head) {
    // Tab, line feed, vertical tab, form feed, carriage return, escape and the old end-of-file character occur in text;
    // record and unit separators delimit the cells of some tables.
    if (byte < 32 && !((byte >= 9 && byte <= 13) || byte === 26 || byte === 27 || byte >= 30)) return undefined
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
  } catch {
    // In a single-byte encoding, most bytes of Cyrillic or Greek text may be above 127, but such text has spaces or
    // line breaks.
    const text = Buffer.from(head).toString('latin1')
    return /[\t\n\r ]/.test(text) || head.filter((byte) => byte > 127).length * 3 < head.length ? text : undefined
  }
}

/** The markup after the XML declaration, comments, processing instructions and the document type. */
function skipProlog(markup: string): string {
  let rest = markup.trimStart()
  for (;;) {
    const end = rest.startsWith('<?')
      ? rest.indexOf('?>') + 2
      : rest.startsWith('<!--')
        ? rest.indexOf('-->') + 3
        : /^<!doctype/i.test(rest)
          ? doctypeEnd(rest)
          : 0
    // 1 and 2 result from indexOf returning -1: the end is beyond the bytes read.
    if (end < 4) return end === 0 ? rest : ''
    rest = rest.slice(end).trimStart()
  }
}

/** A document type may contain an internal subset in brackets, which may include '>'. */
function doctypeEnd(markup: string): number {
  const bracket = markup.indexOf('[')
  const plain = markup.indexOf('>')
  if (bracket < 0 || (plain >= 0 && plain < bracket)) return plain + 1 || 1
  const close = /\]\s*>/g
  close.lastIndex = bracket
  return close.test(markup) ? close.lastIndex : 1
}

/** `svg`, `html`, `mpd` or `xml` for markup; `undefined` for other text. Only the root element counts, not a later `<svg>`. */
export function sniffMarkup(text: string): string | undefined {
  const start = text.replace(/^\uFEFF/, '').trimStart()
  if (!start.startsWith('<')) return undefined
  if (/^<!doctype\s+html/i.test(start)) return 'html'
  const root = /^<(?:[\w.-]+:)?([\w.-]+)[\s/>]/.exec(skipProlog(start))?.[1]
  if (root === 'svg') return 'svg'
  if (root === 'MPD') return 'mpd'
  if (root && /^(html|head|body|title|meta|script|style|div|p|table|h1)$/i.test(root)) return 'html'
  return /^<\?xml/.test(start) ? 'xml' : undefined
}

/** Text types that can only be distinguished from plain text by file name. */
const NAMED_TEXT = new Set(['csv', 'tsv', 'json', 'jsonl', 'md', 'yaml', 'srt', 'vtt', 'ass', 'txt', 'xml', 'html'])

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The type of text content: by its signatures, then by the file name, then `txt`. */
export function sniffText(text: string, claimed: string | undefined): string {
  const markup = sniffMarkup(text)
  if (markup && !(markup === 'html' && claimed === 'md')) return markup
  const start = text.replace(/^\uFEFF/, '').trimStart()
  if (/^WEBVTT(\s|$)/.test(start)) return 'vtt'
  if (/^#EXTM3U\s/.test(start)) return 'm3u8'
  if (/^\[Script Info\]/i.test(start)) return 'ass'
  if (/^%FDF-\d/.test(start)) return 'fdf'
  if (claimed && NAMED_TEXT.has(claimed)) return claimed
  if (/^\d+\r?\n\d{2}:\d{2}:\d{2},\d{3} --> /.test(start)) return 'srt'
  if (/^LUT_[13]D_SIZE\s+\d/m.test(start)) return 'cube'
  return isJson(start) ? 'json' : 'txt'
}

/** `svgz` if a gzip stream starts with SVG, otherwise `gz`. Only 4 KiB are decompressed, to at most about 4 MiB. */
export function sniffGzip(head: Uint8Array): string {
  try {
    const unpacked = gunzipSync(head.subarray(0, 4096), {
      finishFlush: zlibConstants.Z_SYNC_FLUSH,
      maxOutputLength: 8 * 1024 * 1024,
    })
    const text = decodeText(unpacked)
    return text !== undefined && sniffMarkup(text) === 'svg' ? 'svgz' : 'gz'
  } catch {
    return 'gz'
  }
}
