// The words of documents, tables and texts, read without our own readers: the most obvious loss for users.
import { readFileSync } from 'node:fs'
import { lostText, missingWords, output, visibleIn } from './program.mjs'

export const FACTS = [
  {
    name: 'words',
    words:
      /text|word|sheet|row|column|cell|value|formula|comment|note|font|part|picture|script|left out|dropped|series/i,
    lost: (a, b) => {
      if (!a || !b) return false
      // Two readers of one PDF order the letters of formulas and Arabic differently; this adds nothing that could hide
      // a loss. If the amount of text is unchanged, readers only name signs differently (such as a prime read as 0).
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

/** The words of a file by its extension; undefined for types without words. */
export async function factsOf(path) {
  const extension = path.split('.').at(-1).toLowerCase()
  const texts = [await textsOf(path, extension)].flat()
  return texts.includes(undefined) ? undefined : { words: { texts, isPdf: extension === 'pdf' } }
}

/** The text of a file; for a PDF, both reading orders. */
async function textsOf(path, extension) {
  if (extension === 'pdf') {
    // In reading order, and in drawing order, which keeps words together that are broken in a narrow cell.
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
