import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadMupdf, type Mupdf, type PDFDocument, takeMupdfMessages } from '../../engines/mupdf.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { type MediaFile, printableName } from '../file.ts'
import { damagedPdf, PdfHandle } from './handle.ts'
import { checkPages, declaredCount, resolveObjects } from './open/check-pages.ts'
import { type Source, sourceFromBytes, sourceFromPath, withoutTable } from './open/source.ts'
import { mendPageTree } from './page/repair-page-tree.ts'
import { rebuildPages } from './rebuild.ts'

export type { PdfHandle } from './handle.ts'
export type { SaveOptions } from './write/save-options.ts'

export interface OpenPdfOptions {
  /** Display name for messages (default `The PDF`). */
  name?: string
  /** User or owner password. For an encrypted document it must match, otherwise WRONG_PASSWORD. */
  password?: string
  /**
   * Reject a document that requires a password when none was given (default true). Set to false only for inspection.
   */
  requireUnlocked?: boolean
  /** Open a damaged document as far as it can be repaired (default false: INVALID_FILE). */
  repair?: boolean
  /** Maximum number of pages; 0 is no limit. Absent: the environment's MAX_PDF_PAGES, or no limit with `repair`. */
  maxPages?: number
  /** Maximum offset of `%PDF-` in the file, in bytes (default 0; pdf-to-image allows 1024). */
  headerWithin?: number
}

const HEADER = '%PDF-'

/**
 * Opens a PDF and validates it for all PDF tools: the `%PDF-` header, the password, the structure, the number of pages.
 * A document with a wrong cross-reference table but all pages present is valid; a truncated one or one with missing
 * pages is INVALID_FILE, unless `repair`. A document without pages is always INVALID_FILE. XFA forms and JavaScript are
 * neither run nor changed.
 */
export async function openPdf(input: Uint8Array | string, options: OpenPdfOptions = {}): Promise<PdfHandle> {
  const mupdf = await loadMupdf()
  const name = options.name ?? 'The PDF'
  const source = typeof input === 'string' ? await sourceFromPath(input, name) : sourceFromBytes(input)
  let pdf: PDFDocument | undefined
  let declaredPages: number | undefined
  try {
    checkHeader(source, name, options.headerWithin ?? 0)
    takeMupdfMessages()
    pdf = openDocument(mupdf, source, name)
    const password = unlock(pdf, name, options)
    if (password !== undefined) {
      resolveObjects(pdf)
      declaredPages = declaredCount(pdf)
      if (!mendPageTree(pdf) && !options.repair) throw damagedPdf(name, 'a page that it names is not there')
      if (options.repair && !rebuildPages(pdf) && source.bytes) {
        pdf.destroy()
        pdf = openDocument(mupdf, sourceFromBytes(withoutTable(source.bytes)), name)
        unlock(pdf, name, options)
        rebuildPages(pdf)
      }
      checkPages(pdf, source, name, options)
    }
    return new PdfHandle(pdf, {
      password: password ?? '',
      declaredPages,
      sourceBytes: source.size,
      release: source.release,
    })
  } catch (error) {
    pdf?.destroy()
    source.release()
    throw error
  }
}

/** `openPdf` for an input file of a job, with its name in messages. */
export function openPdfFile(file: MediaFile, options: OpenPdfOptions = {}): Promise<PdfHandle> {
  return openPdf(file.path, { name: printableName(file.name), ...options })
}

/**
 * Saves the document once, with the options in its `target`, to `path`, which is overwritten.
 * @returns warnings about content that readers may interpret differently
 */
export async function savePdf(document: PdfHandle, path: string): Promise<readonly string[]> {
  const { differences, written } = await beginSaving(document, path)
  await written
  return differences
}

/** A verified document whose file may still be incomplete. */
export interface Saving {
  /** Warnings about content that readers may interpret differently. */
  differences: readonly string[]
  /** Resolves when the file is complete. */
  written: Promise<void>
}

/** Like `savePdf`, without waiting for the disk: the document may be closed at once, and the next one computed. */
export async function beginSaving(document: PdfHandle, path: string): Promise<Saving> {
  let written = Promise.resolve()
  // A large document is read while it is written.
  if (document.isLarge) await document.saveTo(path).catch(failed)
  else written = writeFile(path, await document.save().catch(failed)).catch(failed)
  // Its caller may look at it later.
  written.catch(() => {})
  return { differences: document.warnings, written }
}

function failed(error: unknown): never {
  throw toMediaprocError(error, 'PROCESSING_FAILED', 'The PDF could not be written')
}

/** A saved document: its bytes, or its path on disk. `length` in bytes. */
export type SavedPdf = Uint8Array | { readonly path: string; readonly length: number }

/** Saves a document in memory, or a large one as a file in the scratch folder. */
export async function storePdf(document: PdfHandle, scratch: () => Promise<string>): Promise<SavedPdf> {
  if (!document.isLarge) return document.save()
  const path = join(await scratch(), 'saved.pdf')
  await savePdf(document, path)
  return { path, length: (await stat(path)).size }
}

/** The input for `openPdf` to open a saved document. */
export const sourceOf = (saved: SavedPdf): Uint8Array | string => (saved instanceof Uint8Array ? saved : saved.path)

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

/** The password that opened the document ('' for none), or undefined if it is locked and may stay so. */
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
