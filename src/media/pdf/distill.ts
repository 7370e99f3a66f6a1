import { createHash } from 'node:crypto'
import { runGhostscript } from '../../engines/ghostscript/ghostscript.ts'
import { loadMupdf, type PDFDocument, withMupdfErrors } from '../../engines/mupdf.ts'
import { MediaprocError } from '../../errors.ts'
import { PdfHandle } from './handle.ts'
import { ObjectImporter } from './page/importer.ts'
import { generateAppearances } from './structure/appearances.ts'
import { readPageLabels, writePageLabels } from './structure/labels.ts'
import { importOutline, writeOutline } from './structure/outline.ts'
import { itemsOf } from './structure/trees.ts'
import { hasForm } from './verify/losses.ts'
import { charactersOf, isEndless, lostCharacters, sampledPages } from './verify/page-characters.ts'
import { contentBytes } from './verify/page-facts.ts'

/** Preserves pages: same sizes, fonts kept as fonts, images at their own resolution. */
const ALWAYS = [
  '-sDEVICE=pdfwrite',
  '-dCompatibilityLevel=1.7',
  '-dAutoRotatePages=/None',
  '-dEmbedAllFonts=true',
  '-dSubsetFonts=true',
  ...['Color', 'Gray', 'Mono'].map((kind) => `-dDownsample${kind}Images=false`),
  '-sOutputFile=out.pdf',
]

/** Maximum number of pages whose text is compared; rendering them takes Ghostscript ten times as long. */
const COMPARED_PAGES = 30

export interface DistillOptions {
  /** Arguments in addition to the standard ones. */
  args: readonly string[]
  /** Files that the arguments reference, read before the document. */
  files?: Readonly<Record<string, string>>
  /** Whether the document's encryption is kept; 'none' for formats that forbid it. */
  encryption: 'keep' | 'none'
  /** Requires the bundled Ghostscript build. */
  bundledOnly?: boolean
  signal: AbortSignal
}

/**
 * Rewrites a document with Ghostscript and returns it as a new document. Values that depend on time and location
 * (dates, identifiers) are taken from the source. A missing page is PROCESSING_FAILED.
 */
export async function distilled(document: PdfHandle, options: DistillOptions): Promise<PdfHandle> {
  const { args, files = {}, encryption, bundledOnly, signal } = options
  // Ghostscript draws fields from their appearance streams, and leaves other annotations, including their colours, to
  // readers.
  generateAppearances(document)
  // Must come first: saving without encryption removes it from the open document.
  const source = encryption === 'keep' ? document.encryptionSource() : undefined
  const own = identifierOf(document) ?? hashOf(document)
  const plain = withMupdfErrors('PROCESSING_FAILED', 'The PDF could not be read', () => {
    const buffer = document.pdf.saveToBuffer(
      `garbage=yes,regenerate-id=no${document.isEncrypted ? ',encrypt=none' : ''}`,
    )
    const bytes = buffer.asUint8Array().slice()
    buffer.destroy()
    return bytes
  })
  const names = Object.keys(files)
  const given = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]))
  const results = await runGhostscript(
    [...ALWAYS, ...args, ...names, 'in.pdf'],
    { ...given, 'in.pdf': plain },
    { signal, ...(bundledOnly && { bundledOnly }) },
  )
  const bytes = results.get('out.pdf')
  const mupdf = await loadMupdf()
  if (!bytes?.length) throw new MediaprocError('PROCESSING_FAILED', 'Ghostscript wrote nothing')
  const pdf = withMupdfErrors(
    'PROCESSING_FAILED',
    'What Ghostscript wrote cannot be read',
    () => mupdf.PDFDocument.openDocument(bytes, 'application/pdf') as PDFDocument,
  )
  const result = new PdfHandle(pdf, { encryption: source })
  try {
    if (result.pageCount !== document.pageCount)
      throw new MediaprocError(
        'PROCESSING_FAILED',
        `Ghostscript wrote ${result.pageCount} of ${document.pageCount} pages`,
      )
    checkPages(document, result)
    setIdentifier(pdf, own)
    carryBookmarks(document, result)
    return result
  } catch (error) {
    result.close()
    throw error
  }
}

/** Allowed rounding difference between two programs, in points. */
const BOX_TOLERANCE = 1

/** Verifies that Ghostscript kept the page sizes and the text; differing text is a warning. */
function checkPages(before: PdfHandle, after: PdfHandle): void {
  for (let index = 0; index < before.pageCount; index++) {
    const [one, other] = [sizeOf(before.pdf, index), sizeOf(after.pdf, index)]
    if (one.every((side, position) => Math.abs(side - other[position]!) <= BOX_TOLERANCE)) continue
    throw new MediaprocError('PROCESSING_FAILED', `Ghostscript could not read page ${index + 1}`, {
      hint: { shell: 'Try mediaproc pdf repair-pdf FILE first.', http: 'Try the tool repair-pdf first.' },
      detail: `The page measures ${other.join(' x ')} instead of ${one.join(' x ')} points`,
    })
  }
  const changed = sampledPages(before.pageCount, COMPARED_PAGES).filter((index) => {
    const expected = charactersOf(before.pdf, index, contentBytes(before.pdf.findPage(index)))
    if (!expected?.size) return false
    const found = charactersOf(after.pdf, index, 0)
    if (!found) return !isEndless(after.pdf, index)
    if (lostCharacters(expected, found).length > 0) return true
    // Field values become page text.
    return !hasForm(before) && lostCharacters(found, expected).length > 0
  })
  if (changed.length === 0) return
  const pages = changed.map((index) => index + 1)
  const some = pages.slice(0, 5).join(', ') + (pages.length > 5 ? ` and ${pages.length - 5} more` : '')
  after.warnings.push(
    `Text on ${pages.length === 1 ? 'page' : 'pages'} ${some} looks the same, but cannot all be searched or copied as before`,
  )
}

function sizeOf(pdf: PDFDocument, index: number): [width: number, height: number] {
  const page = pdf.loadPage(index)
  const [left, top, right, bottom] = page.getBounds()
  page.destroy()
  return [right - left, bottom - top]
}

/** Ghostscript drops the bookmarks of some documents, and the page labels of all. */
function carryBookmarks(source: PdfHandle, result: PdfHandle): void {
  const importer = new ObjectImporter(source.pdf, result.pdf)
  for (let page = 0; page < source.pageCount; page++)
    importer.register(source.pdf.findPage(page), result.pdf.findPage(page))
  const bookmarks = importOutline(importer)
  importer.finish()
  result.pdf.getTrailer().get('Root').delete('Outlines')
  writeOutline(result.pdf, bookmarks)
  writePageLabels(result.pdf, readPageLabels(source.pdf) ?? [])
}

/** The first half of the identifier, if any; a document without one would get a random one when written. */
function identifierOf({ pdf }: PdfHandle): Uint8Array | undefined {
  const id = pdf.getTrailer().get('ID')
  const first = id.isArray() && id.length > 0 ? id.get(0) : undefined
  return first?.isString() ? Uint8Array.from(first.asByteString()) : undefined
}

/** The library returns some trailers as copies, but their values are still those of the document. */
function setIdentifier(pdf: PDFDocument, half: Uint8Array): void {
  const trailer = pdf.getTrailer()
  if (!trailer.get('ID').isArray()) trailer.put('ID', pdf.newArray())
  const id = trailer.get('ID')
  for (let part = 0; part < 2; part++) {
    if (part < id.length) id.put(part, pdf.newByteString(half))
    else id.push(pdf.newByteString(half))
  }
}

/** An identifier derived from the page content. */
function hashOf({ pdf, pageCount }: PdfHandle): Uint8Array {
  const hash = createHash('sha256')
  for (let index = 0; index < pageCount; index++) {
    const contents = pdf.findPage(index).get('Contents')
    for (const stream of contents.isArray() ? itemsOf(contents) : [contents]) {
      if (!stream.isStream()) continue
      const buffer = stream.readRawStream()
      hash.update(buffer.asUint8Array())
      buffer.destroy()
    }
  }
  return new Uint8Array(hash.digest().subarray(0, 16))
}

/** Copies title, metadata and similar from the source, replacing what Ghostscript writes about itself. */
export function carryInformation(source: PdfHandle, result: PdfHandle): void {
  const [from, to] = [source.pdf.getTrailer(), result.pdf.getTrailer()]
  for (const [holder, target, key] of [
    [from, to, 'Info'],
    [from.get('Root'), to.get('Root'), 'Metadata'],
  ] as const) {
    const value = holder.get(key)
    if (value.isDictionary()) target.put(key, result.pdf.graftObject(value))
    else target.delete(key)
  }
}
