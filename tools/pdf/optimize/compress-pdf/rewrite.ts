import { runGhostscript } from '../../../../src/engines/ghostscript/ghostscript.ts'
import { type PDFObject, takeMupdfMessages } from '../../../../src/engines/mupdf.ts'
import { openPdf } from '../../../../src/media/pdf/document.ts'
import type { PdfHandle } from '../../../../src/media/pdf/handle.ts'
import { itemsOf } from '../../../../src/media/pdf/structure/trees.ts'

/**
 * Catalogue entries that refer to marks in the page contents, which Ghostscript drops: tags and layers
 * (ISO 32000-1, 14.7 and 8.11).
 */
const MARKING_KEYS = ['StructTreeRoot', 'OCProperties']

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
 * up to half); undefined if that is impossible. Ghostscript keeps the printed content and little else, and not always
 * that: it gets the pages without annotations, and only their contents and resources are used. Form fields, links,
 * bookmarks and attachments are those of the source. Callers must compare the pages.
 */
export async function rewrittenPages(source: Uint8Array, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const bare = await withoutAnnotations(source)
  const pages = bare && (await written(bare, signal))
  return pages && (await withContents(source, pages))
}

/** Only the pages; undefined if Ghostscript would drop marks in them. */
async function withoutAnnotations(source: Uint8Array): Promise<Uint8Array | undefined> {
  const copy = await openPdf(source, { maxPages: 0 })
  try {
    const root = copy.pdf.getTrailer().get('Root')
    if (MARKING_KEYS.some((key) => !root.get(key).isNull())) return undefined
    for (let index = 0; index < copy.pageCount; index++) copy.pdf.findPage(index).delete('Annots')
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

async function written(source: Uint8Array, signal: AbortSignal): Promise<Uint8Array | undefined> {
  try {
    return (await runGhostscript(ARGUMENTS, { 'in.pdf': source }, { signal })).get('out.pdf')
  } catch (error) {
    if (signal.aborted) throw error
    // Best effort: without it the document is slightly larger.
    return undefined
  }
}
