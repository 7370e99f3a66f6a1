import { type PDFDocument, takeMupdfMessages, withMupdfErrors } from '../../../engines/mupdf.ts'
import { environmentNumber } from '../../../environment.ts'
import { MediaprocError } from '../../../errors.ts'
import { limitExceeded } from '../../../limit-exceeded.ts'
import { firstOf } from '../../../lists.ts'
import { damagedPdf } from '../handle.ts'
import type { Source } from './source.ts'

/** Strictness of the page checks, see `OpenPdfOptions`. */
interface PageLimits {
  maxPages?: number
  repair?: boolean
}

/**
 * Reads every object once. The library repairs a wrong cross-reference table when it finds it, and silently discards
 * earlier changes; at this point nothing is changed yet.
 */
export function resolveObjects(pdf: PDFDocument): void {
  const count = pdf.countObjects()
  for (let number = 1; number < count; number++) {
    const object = pdf.newIndirect(number)
    try {
      // Asking for the type reads the object. (The object behind it must not be destroyed, because null is a shared
      // object.)
      object.isDictionary()
    } catch {
      // An unreadable object is only an error if a page needs it.
    } finally {
      object.destroy()
    }
  }
}

/**
 * The page count in the root of the page tree; the tree itself may have fewer pages. If the root is lost, the count at
 * the start of a linearized file (ISO 32000-1, annex F), or that of the largest remaining branch.
 */
export function declaredCount(pdf: PDFDocument): number | undefined {
  const counts = [pdf.getTrailer().get('Root', 'Pages', 'Count')]
  if (!firstOf(counts).isNumber())
    for (let number = pdf.countObjects() - 1; number > 0; number--) {
      const object = pdf.newIndirect(number)
      if (!object.isDictionary()) continue
      if (object.get('Linearized').isNumber()) counts.push(object.get('N'))
      else if (object.get('Type').asName() === 'Pages') counts.push(object.get('Count'))
    }
  const declared = Math.max(0, ...counts.map((count) => (count.isNumber() ? count.asNumber() : 0)))
  return declared > 0 ? declared : undefined
}

/**
 * Checks that the document has pages, not too many, and that all exist.
 * @throws INVALID_FILE, LIMIT_EXCEEDED
 */
export function checkPages(pdf: PDFDocument, source: Source, name: string, options: PageLimits): void {
  const count = countPages(pdf, name)
  if (count === 0) {
    const isEmpty = !pdf.wasRepaired() && pdf.getTrailer().get('Root', 'Pages', 'Kids').isArray()
    const sentence = isEmpty ? `${name} has no pages` : `${name} is damaged: it contains no pages`
    throw new MediaprocError('INVALID_FILE', sentence, { detail: takeMupdfMessages() })
  }
  const limit = options.maxPages ?? (options.repair ? 0 : environmentNumber('MAX_PDF_PAGES'))
  if (limit > 0 && count > limit) {
    throw limitExceeded(`${name} has ${count} pages, the limit is ${limit}`, {
      variable: 'MAX_PDF_PAGES',
      hint: 'Or split the document first.',
    })
  }
  if (options.repair) return
  for (let page = 0; page < count; page++) {
    withMupdfErrors('INVALID_FILE', `${name} is damaged: page ${page + 1} cannot be found`, () => pdf.findPage(page))
  }
  if (!pdf.wasRepaired()) return
  if (!hasEnd(source)) throw damagedPdf(name, 'its end is missing')
  const broken = firstBrokenPage(pdf, count)
  if (broken) throw damagedPdf(name, `the content of page ${broken} is missing`)
}

/** Whether the end marker follows the last object; other programs may have appended data. */
function hasEnd({ tail, bytes }: Source): boolean {
  if (Buffer.from(tail).includes('startxref')) return true
  if (!bytes) return false
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const behind = file.toString('latin1', file.lastIndexOf('endobj'), file.length)
  return behind.includes('startxref')
}

function countPages(pdf: PDFDocument, name: string): number {
  try {
    return pdf.countPages()
  } catch (error) {
    // "Invalid number of pages": /Count and the page tree disagree.
    const detail = [error instanceof Error ? error.message : String(error), takeMupdfMessages()].join('\n')
    throw new MediaprocError('INVALID_FILE', `${name} is damaged: its list of pages is broken`, {
      hint: { shell: 'Try mediaproc pdf repair-pdf FILE first.', http: 'Try the tool repair-pdf first.' },
      cause: error,
      detail,
    })
  }
}

/** The first page (from 1) that references a content stream or a resource missing from the file. */
function firstBrokenPage(pdf: PDFDocument, count: number): number | undefined {
  return brokenPages(pdf, count).next().value
}

/** All such pages; with `contentOnly`, only those without a content stream, which are blank. */
export function* brokenPages(pdf: PDFDocument, count: number, contentOnly = false): Generator<number, undefined> {
  for (let index = 0; index < count; index++) {
    const page = pdf.findPage(index)
    const contents = page.get('Contents')
    const streams = contents.isArray()
      ? Array.from({ length: contents.length }, (_, part) => contents.get(part))
      : [contents]
    if (streams.some((stream) => !stream.isNull() && !stream.isStream())) {
      yield index + 1
      continue
    }
    if (contentOnly) continue
    const resources = page.getInheritable('Resources')
    if (!resources.isDictionary()) continue
    for (const kind of ['Font', 'XObject']) {
      let broken = false
      const entries = resources.get(kind)
      if (entries.isDictionary()) {
        entries.forEach((entry) => {
          // Not called on `resolve()`: when saving, the library loses the data of a stream that is held resolved
          // (1.28.1).
          broken ||= !entry.isDictionary()
        })
      }
      if (broken) {
        yield index + 1
        break
      }
    }
  }
  return undefined
}
