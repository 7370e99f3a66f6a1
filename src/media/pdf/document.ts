import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { loadMupdf, type Mupdf, type PDFDocument, takeMupdfMessages, withMupdfErrors } from '../../engines/mupdf.ts'
import { environmentNumber } from '../../environment.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { type MediaFile, printableName } from '../file.ts'
import { damagedPdf, PdfHandle } from './handle.ts'
import { mendPageTree } from './mend-tree.ts'
import { rebuildPages } from './rebuild.ts'

export type { PdfHandle, SaveWishes } from './handle.ts'

export interface OpenPdfOptions {
  /** What messages call it (default `The PDF`). */
  name?: string
  /** User or owner password. Given for an encrypted document it must fit, else WRONG_PASSWORD. */
  password?: string
  /** Refuse a document that asks for a password none was given for (default true). Only a look at it needs false. */
  requireUnlocked?: boolean
  /** Take a damaged document as far as it can be rebuilt (default false: INVALID_FILE). */
  repair?: boolean
  /** Refuse a longer document; 0 is no limit. Absent: the environment's MAX_PDF_PAGES, or no limit with `repair`. */
  maxPages?: number
  /** How far into the file `%PDF-` may begin, in bytes (default 0; pdf-to-image allows 1024). */
  headerWithin?: number
}

const HEADER = '%PDF-'

/** Files above this are read piecewise from disk, below at once, which is 1.6 times faster; in bytes. */
const WHOLE_FILE_LIMIT = 64 * 1024 * 1024

/** Where readers look for the end mark, in bytes before the end (ISO 32000-1 implementation note 18: 1024). */
const TAIL_LENGTH = 1024

interface Source {
  size: number
  head: Uint8Array
  tail: Uint8Array
  /** All of it, unless it is read piecewise. */
  bytes?: Uint8Array
  open(mupdf: Mupdf): PDFDocument
  release(): void
}

/**
 * Opens a PDF and checks it, the input gate of all PDF tools: `%PDF-` in front, the password, the structure, the number
 * of pages. A document whose cross-reference table is wrong but whose pages are all there is healthy; one that is cut off
 * or misses pages is INVALID_FILE, unless `repair`. No page at all is INVALID_FILE in any case. Forms of the XFA kind
 * and JavaScript are neither run nor changed.
 */
export async function openPdf(input: Uint8Array | string, options: OpenPdfOptions = {}): Promise<PdfHandle> {
  const mupdf = await loadMupdf()
  const name = options.name ?? 'The PDF'
  const source = typeof input === 'string' ? await sourceFromPath(input, name) : sourceFromBytes(input)
  let pdf: PDFDocument | undefined
  try {
    checkHeader(source, name, options.headerWithin ?? 0)
    takeMupdfMessages()
    pdf = openDocument(mupdf, source, name)
    const password = unlock(pdf, name, options)
    if (password !== undefined) {
      resolveObjects(pdf)
      if (!mendPageTree(pdf) && !options.repair) throw damagedPdf(name, 'a page that it names is not there')
      if (options.repair && !rebuildPages(pdf) && source.bytes) {
        pdf.destroy()
        pdf = openDocument(mupdf, sourceFromBytes(withoutTable(source.bytes)), name)
        unlock(pdf, name, options)
        rebuildPages(pdf)
      }
      checkPages(pdf, source, name, options)
    }
    return new PdfHandle(pdf, { password: password ?? '', release: source.release })
  } catch (error) {
    pdf?.destroy()
    source.release()
    throw error
  }
}

/** `openPdf` for an input file of a job, whose name the messages then carry. */
export function openPdfFile(file: MediaFile, options: OpenPdfOptions = {}): Promise<PdfHandle> {
  return openPdf(file.path, { name: printableName(file.name), ...options })
}

/** Saves the document, once and as its wishes say, to `path`, which is overwritten. */
export async function savePdf(document: PdfHandle, path: string): Promise<void> {
  const bytes = await document.save()
  try {
    await writeFile(path, bytes)
  } catch (error) {
    throw toMediaprocError(error, 'PROCESSING_FAILED', 'The PDF could not be written')
  }
}

function sourceFromBytes(bytes: Uint8Array): Source {
  return {
    size: bytes.length,
    head: bytes.subarray(0, 2048),
    tail: bytes.subarray(-TAIL_LENGTH),
    bytes,
    open: (mupdf) => mupdf.PDFDocument.openDocument(bytes, 'application/pdf') as PDFDocument,
    release: () => {},
  }
}

async function sourceFromPath(path: string, name: string): Promise<Source> {
  try {
    const { size } = await stat(path)
    if (size <= WHOLE_FILE_LIMIT) return sourceFromBytes(await readFile(path))
    return sourceFromDisk(path, size)
  } catch (error) {
    throw toMediaprocError(error, 'INVALID_FILE', `${name} cannot be read`)
  }
}

/** The file without a way to its cross-reference table, so that the library looks for the objects themselves. */
function withoutTable(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll('startxref', 'startxxxx'), 'latin1')
}

function sourceFromDisk(path: string, size: number): Source {
  const descriptor = openSync(path, 'r')
  let open = true
  const release = () => {
    if (open) closeSync(descriptor)
    open = false
  }
  const part = (start: number, length: number) => {
    const bytes = new Uint8Array(length)
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, start))
  }
  return {
    size,
    head: part(0, 2048),
    tail: part(size - TAIL_LENGTH, TAIL_LENGTH),
    open: (mupdf) => {
      const stream = new mupdf.Stream({
        fileSize: () => fstatSync(descriptor).size,
        read: (memory, offset, length, position) => readSync(descriptor, memory, offset, length, position),
        close: () => {},
      })
      try {
        return mupdf.PDFDocument.openDocument(stream, 'application/pdf') as PDFDocument
      } finally {
        // The document holds on to it for itself.
        stream.destroy()
      }
    },
    release,
  }
}

function checkHeader(source: Source, name: string, within: number): void {
  if (source.size === 0) throw new MediaprocError('EMPTY_FILE', `${name} is empty (0 bytes)`)
  const position = Buffer.from(source.head).indexOf(HEADER, 0, 'latin1')
  if (position < 0 || position > within) {
    throw new MediaprocError('INVALID_FILE', `${name} is not a PDF: it does not begin with %PDF-`)
  }
}

function openDocument(mupdf: Mupdf, source: Source, name: string): PDFDocument {
  try {
    return source.open(mupdf)
  } catch (error) {
    const detail = [error instanceof Error ? error.message : String(error), takeMupdfMessages()].join('\n')
    if (/encrypt|security handler|crypt/i.test(detail)) {
      throw new MediaprocError('INVALID_FILE', `${name} is encrypted in a way that cannot be read`, {
        cause: error,
        detail,
      })
    }
    throw new MediaprocError('INVALID_FILE', `${name} is damaged: nothing in it can be read`, {
      hint: 'Fetch the file again; there is nothing left to repair.',
      cause: error,
      detail,
    })
  }
}

/** The password that opened the document ('' for none), or undefined when it stays locked and may. */
function unlock(
  pdf: PDFDocument,
  name: string,
  { password, requireUnlocked = true }: OpenPdfOptions,
): string | undefined {
  const locked = pdf.needsPassword()
  if (password !== undefined && pdf.getTrailer().get('Encrypt').isDictionary()) {
    if (pdf.authenticatePassword(password) === 0)
      throw new MediaprocError('WRONG_PASSWORD', `The password for ${name} is wrong`)
    return password
  }
  if (!locked) return ''
  if (!requireUnlocked) return undefined
  throw new MediaprocError('PASSWORD_PROTECTED', `${name} is protected by a password`)
}

/**
 * Reads every object once. The library mends a wrong cross-reference table when it meets it, and what was changed by then is
 * lost in silence; here nothing is changed yet.
 */
function resolveObjects(pdf: PDFDocument): void {
  const count = pdf.countObjects()
  for (let number = 1; number < count; number++) {
    const object = pdf.newIndirect(number)
    try {
      // Asking for its type reads it. (The object behind it must not be destroyed: a null is one that all share.)
      object.isDictionary()
    } catch {
      // What cannot be read at all is only a fault when a page needs it.
    } finally {
      object.destroy()
    }
  }
}

function checkPages(pdf: PDFDocument, source: Source, name: string, options: OpenPdfOptions): void {
  const count = countPages(pdf, name)
  if (count === 0) {
    const isEmpty = !pdf.wasRepaired() && pdf.getTrailer().get('Root', 'Pages', 'Kids').isArray()
    const sentence = isEmpty ? `${name} has no pages` : `${name} is damaged: no page is left in it`
    throw new MediaprocError('INVALID_FILE', sentence, { detail: takeMupdfMessages() })
  }
  const limit = options.maxPages ?? (options.repair ? 0 : environmentNumber('MAX_PDF_PAGES'))
  if (limit > 0 && count > limit) {
    throw new MediaprocError('LIMIT_EXCEEDED', `${name} has ${count} pages, the limit is ${limit}`, {
      hint: 'Raise the limit with MAX_PDF_PAGES, or split the document first.',
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

/** Whether the mark of the end stands behind the last object; other programs may have left something behind it. */
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
      hint: 'Try mediaproc pdf repair-pdf FILE first.',
      cause: error,
      detail,
    })
  }
}

/** The first page (from 1) that names a content stream or a resource that is not in the file. */
function firstBrokenPage(pdf: PDFDocument, count: number): number | undefined {
  return brokenPages(pdf, count).next().value
}

/** Every such page; with `contentOnly` those that lack a content stream, and so show nothing. */
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
          broken ||= !entry.resolve().isDictionary()
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
