import { runGhostscript } from '../../../../src/engines/ghostscript/ghostscript.ts'
import { openPdf } from '../../../../src/media/pdf/document.ts'
import type { PdfHandle } from '../../../../src/media/pdf/handle.ts'
import { renderPage } from '../../../../src/media/pdf/page/render.ts'
import { extractPageTexts } from '../../../../src/media/pdf/structure/text.ts'
import { entriesOf } from '../../../../src/media/pdf/structure/trees.ts'

/** Catalogue entries of a document that contains only pages (ISO 32000-1, 7.7.2). */
const PLAIN_KEYS = new Set(['Type', 'Version', 'Pages'])

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
 * Rewrites the document with Ghostscript, which packs fonts tighter (a paper set with LaTeX shrinks by up to half);
 * otherwise undefined. Ghostscript keeps the printed content and little else, and not always that: it therefore gets
 * only documents that contain nothing but pages, and its result is used only if every page has the same text and
 * appearance.
 */
export async function rewritten(source: Uint8Array, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const before = await openPdf(source, { maxPages: 0 })
  try {
    if (!isNothingButPages(before) || fontBytes(before) < source.length * MIN_FONT_SHARE) return undefined
    const result = await written(source, signal)
    return result && result.length < source.length && (await isSame(before, result, signal)) ? result : undefined
  } finally {
    before.close()
  }
}

function isNothingButPages(document: PdfHandle): boolean {
  if (document.isEncrypted || document.pageCount > MAX_PAGES) return false
  const root = document.pdf.getTrailer().get('Root')
  if (entriesOf(root).some(([key]) => !PLAIN_KEYS.has(key))) return false
  for (let index = 0; index < document.pageCount; index++) {
    const annotations = document.pdf.findPage(index).get('Annots')
    if (annotations.isArray() && annotations.length > 0) return false
  }
  return true
}

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
