import type { Mupdf, PDFDocument, PDFPage, Rect } from '../../../engines/mupdf.ts'
import { MediaprocError } from '../../../errors.ts'
import { parsePageRange } from '../page/page-range.ts'
import { itemsOf } from '../structure/trees.ts'
import { emptyAnnotation, emptyField } from './annotations.ts'
import { cleanMarkedContent } from './clean-marked-content.ts'
import { drawingsAt, dropTilings, isOver } from './drawings-at.ts'
import { readMarkedContent } from './marked-content.ts'
import { cleanStructure, type RemovedObjects } from './structure.ts'

/** An area on a page, in points or as a share of the displayed page, from its upper left. */
export interface PageArea {
  /** A page range, such as 1 or 2-z. */
  pages: string
  x: Length
  y: Length
  width: Length
  height: Length
}

interface Length {
  value: number
  isShare: boolean
}

const FORM = 'Write it as: PAGES X Y WIDTH HEIGHT, for example "1 72 680 200 24" or "2-z 0 0 100% 8%"'

/**
 * Reads an area such as `1 72 680 200 24`: pages, left, top, width and height in points or percent of the displayed page.
 * @throws MediaprocError INVALID_SETTINGS
 */
export function readArea(written: string, index: number): PageArea {
  const words = written.trim().split(/\s+/)
  const fault = (what: string) => new MediaprocError('INVALID_SETTINGS', `areas.${index}: ${what}`, { hint: FORM })
  const [pages = '', ...rest] = words
  if (words.length !== 5) throw fault(`5 values are expected, and there are ${words.length}`)
  if (!/^(?:z|r?\d+)(?:-(?:z|r?\d+))?$/i.test(pages)) throw fault(`"${pages}" is neither a page nor a range of pages`)
  const lengths = rest.map((word): Length => {
    const [, number, percent] = /^(-?(?:\d+\.?\d*|\.\d+))(?:pt|(%))?$/.exec(word) ?? []
    if (number === undefined) throw fault(`"${word}" is not a number of points or percent`)
    return percent ? { value: Number(number) / 100, isShare: true } : { value: Number(number), isShare: false }
  })
  const [x, y, width, height] = lengths as [Length, Length, Length, Length]
  if (width.value <= 0 || height.value <= 0) throw fault('width and height must be greater than 0')
  return { pages, x, y, width, height }
}

/** The rectangles of each page (from 0), in the coordinates of the displayed page. */
export function rectanglesOf(pdf: PDFDocument, areas: readonly PageArea[]): Map<number, Rect[]> {
  const found = new Map<number, Rect[]>()
  for (const area of areas)
    for (const number of parsePageRange(area.pages, pdf.countPages())) {
      const page = pdf.loadPage(number - 1)
      const [left, top, right, bottom] = page.getBounds()
      page.destroy()
      const along = ({ value, isShare }: Length, whole: number) => (isShare ? value * whole : value)
      const x = left + along(area.x, right - left)
      const y = top + along(area.y, bottom - top)
      const rectangle: Rect = [x, y, x + along(area.width, right - left), y + along(area.height, bottom - top)]
      if (rectangle[0] >= right || rectangle[1] >= bottom || rectangle[2] <= left || rectangle[3] <= top)
        throw new MediaprocError('TARGET_UNREACHABLE', `An area is outside page ${number}`, {
          hint: `The page is ${Math.round(right - left)} x ${Math.round(bottom - top)} points.`,
        })
      found.set(number - 1, [...(found.get(number - 1) ?? []), rectangle])
    }
  return found
}

/** What `redactAreas` removed. */
export interface AreaResult {
  areas: number
  annotations: number
  /** Pages (from 1) on which a drawing reaches out of an area: it is covered, and still in the file. */
  covered: number[]
}

/**
 * Removes the text, pixels, drawings and annotations under the areas, with the texts that replace or describe them, and
 * covers them in black. A field whose box is under an area loses its value everywhere.
 */
export function redactAreas(mupdf: Mupdf, pdf: PDFDocument, areas: readonly PageArea[]): AreaResult {
  const result: AreaResult = { areas: 0, annotations: 0, covered: [] }
  const removed: RemovedObjects = { annotations: new Set(), pages: new Map() }
  for (const [index, rectangles] of rectanglesOf(pdf, areas)) {
    const object = pdf.findPage(index)
    const content = readMarkedContent(object)
    const { hasTilingOver } = drawingsAt(mupdf, pdf, index, rectangles)
    result.annotations += applyAreas(mupdf, pdf, index, rectangles, removed)
    result.areas += rectangles.length
    const left = drawingsAt(mupdf, pdf, index, rectangles)
    // The content still selects the pattern of a removed drawing.
    if (hasTilingOver && !left.hasTiling) dropTilings(object)
    const isCovered = left.isUnder || (hasTilingOver && left.hasTiling)
    const hasCovered = isCovered || left.hasShading
    removed.pages.set(object.asIndirect(), cleanMarkedContent(pdf, object, content, hasCovered))
    if (isCovered) result.covered.push(index + 1)
  }
  if (areas.length > 0) cleanStructure(pdf, removed)
  return result
}

/** Removes what is under the areas of a page. @returns the number of annotations */
function applyAreas(
  mupdf: Mupdf,
  pdf: PDFDocument,
  index: number,
  rectangles: readonly Rect[],
  removed: RemovedObjects,
): number {
  const page = pdf.loadPage(index)
  try {
    const count = removeAnnotations(pdf, page, rectangles, removed)
    for (const rectangle of rectangles) page.createAnnotation('Redact').setRect(rectangle)
    const { REDACT_IMAGE_PIXELS, REDACT_LINE_ART_REMOVE_IF_COVERED, REDACT_TEXT_REMOVE } = mupdf.PDFPage
    page.applyRedactions(true, REDACT_IMAGE_PIXELS, REDACT_LINE_ART_REMOVE_IF_COVERED, REDACT_TEXT_REMOVE)
    return count
  } finally {
    page.destroy()
  }
}

function removeAnnotations(
  pdf: PDFDocument,
  page: PDFPage,
  rectangles: readonly Rect[],
  removed: RemovedObjects,
): number {
  const before = itemsOf(page.getObject().get('Annots')).filter((one) => one.isIndirect() && one.isDictionary())
  const count = deleteAnnotations(pdf, page, rectangles)
  const left = new Set(itemsOf(page.getObject().get('Annots')).map((one) => one.isIndirect() && one.asIndirect()))
  for (const annotation of before) {
    if (left.has(annotation.asIndirect())) continue
    emptyAnnotation(annotation)
    removed.annotations.add(annotation.asIndirect())
  }
  return count
}

function deleteAnnotations(pdf: PDFDocument, page: PDFPage, rectangles: readonly Rect[]): number {
  let removed = 0
  const isUnder = (box: Rect) => rectangles.some((rectangle) => isOver(box, rectangle))
  for (const annotation of page.getAnnotations()) {
    if (!isUnder(annotation.getBounds())) continue
    page.deleteAnnotation(annotation)
    removed++
  }
  for (const widget of page.getWidgets()) {
    if (!isUnder(widget.getBounds())) continue
    emptyField(pdf, widget)
    // A widget is drawn over the page, and so over the black area.
    page.deleteAnnotation(widget)
    removed++
  }
  for (const link of page.getLinks()) {
    if (!isUnder(link.getBounds())) continue
    page.deleteLink(link)
    removed++
  }
  return removed
}

/** Whether a written document has text in one of the areas. */
export function hasTextIn(pdf: PDFDocument, areas: readonly PageArea[]): boolean {
  for (const [index, rectangles] of rectanglesOf(pdf, areas)) {
    const page = pdf.loadPage(index)
    const text = page.toStructuredText('')
    let found = false
    text.walk({
      onChar: (character, _origin, _font, _size, [left, top, , , , , right, bottom]) => {
        const [x, y] = [(left + right) / 2, (top + bottom) / 2]
        found ||= character.trim() !== '' && rectangles.some((area) => isOver([x, y, x, y], area))
      },
    })
    text.destroy()
    page.destroy()
    if (found) return true
  }
  return false
}
