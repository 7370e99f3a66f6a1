// The words of documents, tables and text, read without our own readers: what people would miss first.
import { readFileSync } from 'node:fs'
import { lostText, missingWords, output, visibleIn } from './program.mjs'

export const FACTS = [
  {
    name: 'words',
    words:
      /text|word|sheet|row|column|cell|value|formula|comment|note|font|part|picture|script|left out|dropped|series/i,
    lost: (a, b) => {
      if (!a || !b) return false
      // Two readers of one PDF put the letters of formulas and of Arabic in other orders; nothing is added that could hide a loss.
      // Where as much is seen as before, readers have other names for signs (a prime that one of them reads as 0).
      if (a.isPdf && b.texts.length === 1 && visibleIn(b.texts[0]) >= visibleIn(a.texts[0])) return false
      const gone = a.isPdf ? lostText(a.texts[0], b.texts[0]) : missingWords(a.texts[0], b.texts.join('\n'))
      return gone.length > 0 && gone
    },
  },
]

const ZIPPED = {
  docx: 'word/document.xml',
  odt: 'content.xml',
  ods: 'content.xml',
  odp: 'content.xml',
  pptx: 'ppt/slides/*.xml',
  xlsx: 'xl/sharedStrings.xml',
  epub: '*html',
}

const plain = (markup) =>
  markup
    .replace(/<(script|style|head|w:instrText|w:delText|a:fld)\b[\s\S]*?<\/\1>/g, ' ')
    .replace(/<(?:w:tab|w:br|w:p|w:tc|p|br|td|tr|div|li|h\d|text:p|text:s|text:tab|a:p|a:br|si|v|t)\b[^>]*>/g, ' ')
    .replace(/<[^>]+>/g, '')
    .replace(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(
      /&(amp|lt|gt|quot|apos|nbsp);/g,
      (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' })[name],
    )

/** The words of a file by its extension; undefined for what has none. */
export async function factsOf(path) {
  const extension = path.split('.').at(-1).toLowerCase()
  const texts = [await textsOf(path, extension)].flat()
  return texts.includes(undefined) ? undefined : { words: { texts, isPdf: extension === 'pdf' } }
}

/** A text, or of a PDF both readings of it. */
async function textsOf(path, extension) {
  if (extension === 'pdf') {
    // As it is read, and as it is drawn, where a word that is broken in a narrow cell is in one piece.
    return Promise.all(['-nopgbrk', '-raw'].map((how) => output('pdftotext', '-enc', 'UTF-8', how, path, '-')))
  }
  if (ZIPPED[extension]) {
    const markup = await output('unzip', '-p', path, ZIPPED[extension])
    return markup === undefined ? undefined : plain(markup)
  }
  if (['html', 'htm', 'xml'].includes(extension)) return plain(readFileSync(path, 'utf8'))
  if (['txt', 'md', 'csv', 'tsv', 'json', 'yaml', 'yml', 'srt', 'vtt'].includes(extension))
    return readFileSync(path, 'utf8')
  return undefined
}
