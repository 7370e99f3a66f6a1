import type { PDFDocument } from '../../../engines/mupdf.ts'
import { holdsTerm, type Terms } from './terms.ts'

/** Replacement text in content: `/Span <</ActualText (…)>> BDC` (ISO 32000-1, 14.9.4), also /Alt and /E. */
const MEANING = /\/(?:ActualText|Alt|E)\s*(\((?:\\[\s\S]|[^\\()]|\((?:\\[\s\S]|[^\\()])*\))*\)|<[0-9A-Fa-f\s]*>)/g

/**
 * Removes replacement texts that contain a term from the content of pages and form XObjects; the glyphs inside them are
 * searched separately.
 */
export function cleanActualTexts(pdf: PDFDocument, terms: Terms): void {
  const count = pdf.countObjects()
  for (let number = 1; number < count; number++) {
    const object = pdf.newIndirect(number)
    if (!object.isStream() || object.get('Subtype').asName() === 'Image') continue
    const kind = object.get('Type').asName()
    if (kind !== '' && kind !== 'XObject' && kind !== 'Pattern') continue
    let content: string
    try {
      const buffer = object.readStream()
      content = Buffer.from(buffer.asUint8Array()).toString('latin1')
      buffer.destroy()
    } catch {
      // Content that no reader can decode displays nothing.
      continue
    }
    if (!content.includes('BDC')) continue
    const cleaned = content.replace(MEANING, (whole, text: string) =>
      holdsTerm(terms, decoded(text)) ? `${whole.slice(0, -text.length)}()` : whole,
    )
    if (cleaned === content) continue
    for (const key of ['Filter', 'DecodeParms']) object.delete(key)
    object.writeStream(Buffer.from(cleaned, 'latin1'))
  }
}

/** The text of a PDF string as written in content (ISO 32000-1, 7.3.4). */
function decoded(written: string): string {
  const bytes = written.startsWith('<')
    ? Buffer.from(written.slice(1, -1).replace(/\s/g, ''), 'hex')
    : Buffer.from(
        written.slice(1, -1).replace(/\\([0-7]{1,3}|[\s\S])/g, (_whole, sign: string) => {
          if (/^[0-7]/.test(sign)) return String.fromCharCode(Number.parseInt(sign, 8) & 0xff)
          return { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '\n': '' }[sign] ?? sign
        }),
        'latin1',
      )
  if (bytes[0] === 0xfe && bytes[1] === 0xff)
    return Buffer.from(bytes.subarray(2, bytes.length & ~1))
      .swap16()
      .toString('utf16le')
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.toString('utf8', 3)
  return bytes.toString('latin1')
}
