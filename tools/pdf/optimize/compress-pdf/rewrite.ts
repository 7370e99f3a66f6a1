import { runGhostscript } from '../../../../src/engines/ghostscript/ghostscript.ts'
import { type PDFObject, takeMupdfMessages } from '../../../../src/engines/mupdf.ts'
import { openPdf } from '../../../../src/media/pdf/document.ts'
import type { PdfHandle } from '../../../../src/media/pdf/handle.ts'
import { renderPage } from '../../../../src/media/pdf/page/render.ts'
import { extractPageTexts } from '../../../../src/media/pdf/structure/text.ts'
import { itemsOf } from '../../../../src/media/pdf/structure/trees.ts'

/**
 * Catalogue entries that refer to marks in the page contents, which Ghostscript drops: tags and layers
 * (ISO 32000-1, 14.7 and 8.11).
 */
const MARKING_KEYS = ['StructTreeRoot', 'OCProperties']

/** Longer documents are not rewritten: comparing every page takes about 15 ms per page. */
const MAX_PAGES = 500

/** If fonts are a smaller share of the document than this, packing them tighter is not worth the time. */
const MIN_FONT_SHARE = 0.02

/** Two renderings of a page count as equal from this peak signal-to-noise ratio on, in decibels, at this resolution. */
const SAME_DECIBELS = 35
const SAME_DPI = 36

/** Keeps images unchanged: another step compresses them. */
const ARGUMENTS = [
  '-sDEVICE=pdfwrite',
  '-dCompatibilityLevel=1.6',
  '-dPassThroughJPEGImages=true',
  '-dPassThroughJPXImages=true',
  '-dDetectDuplicateImages=true',
  '-dAutoRotatePages=/None',
  '-sColorConversionStrategy=LeaveColorUnchanged',
  ...['Color', 'Gray'].flatMap((kind) => [
    `-dDownsample${kind}Images=false`,
    `-dAutoFilter${kind}Images=false`,
    `-d${kind}ImageFilter=/FlateEncode`,
  ]),
  '-dDownsampleMonoImages=false',
  '-sOutputFile=out.pdf',
  'in.pdf',
]

/**
 * The document with page contents rewritten by Ghostscript, which packs fonts tighter (a paper set with LaTeX shrinks by
 * up to half); otherwise undefined. Ghostscript keeps the printed content and little else, and not always that: it gets
 * the pages without annotations, only their contents and resources are used, and only if every page of the result has
 * the same text and appearance. Form fields, links, bookmarks and attachments are those of the source.
 */
export async function rewritten(source: Uint8Array, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const before = await openPdf(source, { maxPages: 0 })
  try {
    if (!canBeRewritten(before) || fontBytes(before) < source.length * MIN_FONT_SHARE) return undefined
    const pages = await written(await withoutAnnotations(source), signal)
    const result = pages && (await withContents(source, pages))
    return result && result.length < source.length && (await isSame(before, result, signal)) ? result : undefined
  } finally {
    before.close()
  }
}

function canBeRewritten(document: PdfHandle): boolean {
  if (document.isEncrypted || document.pageCount > MAX_PAGES) return false
  const root = document.pdf.getTrailer().get('Root')
  return MARKING_KEYS.every((key) => root.get(key).isNull())
}

async function withoutAnnotations(source: Uint8Array): Promise<Uint8Array> {
  const copy = await openPdf(source, { maxPages: 0 })
  try {
    for (let index = 0; index < copy.pageCount; index++) copy.pdf.findPage(index).delete('Annots')
    const root = copy.pdf.getTrailer().get('Root')
    root.delete('AcroForm')
    return await copy.save()
  } finally {
    copy.close()
  }
}

/** The source with the contents and resources of these pages; undefined if they have other boxes. */
async function withContents(source: Uint8Array, pages: Uint8Array): Promise<Uint8Array | undefined> {
  const result = await openPdf(source, { maxPages: 0 })
  let from: PdfHandle | undefined
  try {
    from = await openPdf(pages, { maxPages: 0 })
    if (from.pageCount !== result.pageCount) return undefined
    const graft = result.pdf.newGraftMap()
    for (let index = 0; index < result.pageCount; index++) {
      const [page, own] = [from.pdf.findPage(index), result.pdf.findPage(index)]
      if (!haveSameBoxes(page, own)) return undefined
      for (const key of ['Contents', 'Resources']) own.put(key, graft.graftObject(page.get(key)))
      own.delete('PieceInfo')
    }
    result.target.compress = true
    return await result.save()
  } catch {
    // Best effort: without it the document is slightly larger.
    takeMupdfMessages()
    return undefined
  } finally {
    from?.close()
    result.close()
  }
}

/** Allowed rounding difference of page boxes, in points. */
const BOX_TOLERANCE = 0.01

function haveSameBoxes(one: PDFObject, other: PDFObject): boolean {
  return ['MediaBox', 'CropBox', 'Rotate', 'UserUnit'].every((key) => {
    const [values, others] = [one, other].map((page) => numbersOf(page.getInheritable(key)))
    return (
      values!.length === others!.length &&
      values!.every((value, index) => Math.abs(value - others![index]!) < BOX_TOLERANCE)
    )
  })
}

const numbersOf = (value: PDFObject): number[] =>
  value.isNumber() ? [value.asNumber()] : itemsOf(value).map((item) => item.asNumber())

/** Size of the embedded fonts as stored, bytes. */
function fontBytes({ pdf }: PdfHandle): number {
  let bytes = 0
  const count = pdf.countObjects()
  for (let number = 1; number < count; number++) {
    const object = pdf.newIndirect(number)
    for (const key of ['FontFile', 'FontFile2', 'FontFile3']) {
      const font = object.isDictionary() ? object.get(key) : undefined
      if (font?.isStream()) bytes += font.get('Length').asNumber()
    }
    object.destroy()
  }
  return bytes
}

async function written(source: Uint8Array, signal: AbortSignal): Promise<Uint8Array | undefined> {
  try {
    return (await runGhostscript(ARGUMENTS, { 'in.pdf': source }, { signal })).get('out.pdf')
  } catch (error) {
    if (signal.aborted) throw error
    // Best effort: without it the document is slightly larger.
    return undefined
  }
}

async function isSame(before: PdfHandle, result: Uint8Array, signal: AbortSignal): Promise<boolean> {
  let after: PdfHandle | undefined
  try {
    after = await openPdf(result, { maxPages: 0 })
    if (after.pageCount !== before.pageCount || plainText(after) !== plainText(before)) return false
    for (let page = 1; page <= before.pageCount; page++) {
      signal.throwIfAborted()
      if (!(await isSamePage(before, after, page))) return false
    }
    return true
  } catch (error) {
    if (signal.aborted) throw error
    return false
  } finally {
    after?.close()
  }
}

/** Text of all pages, separated by form feeds, with white space collapsed. */
function plainText(document: PdfHandle): string {
  return extractPageTexts(document)
    .map((text) => text.replace(/\s+/g, ' '))
    .join('\f')
}

async function isSamePage(before: PdfHandle, after: PdfHandle, page: number): Promise<boolean> {
  const one = await renderPage(before, page, { dpi: SAME_DPI })
  const other = await renderPage(after, page, { dpi: SAME_DPI })
  if (one.width !== other.width || one.height !== other.height) return false
  let squares = 0
  for (let index = 0; index < one.data.length; index++) squares += (one.data[index]! - other.data[index]!) ** 2
  return squares / one.data.length <= 255 ** 2 / 10 ** (SAME_DECIBELS / 10)
}
