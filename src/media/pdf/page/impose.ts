import { loadMupdf, type Matrix, type PDFDocument, type PDFObject, withMupdfErrors } from '../../../engines/mupdf.ts'
import type { PdfHandle } from '../handle.ts'
import { pdfNumber } from '../stamp/stamp-form.ts'
import { copyOfDirect } from '../structure/trees.ts'
import { userUnit, visibleBox } from './crop.ts'
import { flattenDocument } from './flatten.ts'
import { type Imposed, moveDestinations, moveLinks, moveTags } from './impose-links.ts'
import { closedContent } from './page-content.ts'
import { rotationOf } from './rotate.ts'

/** A page in a cell of a sheet; lengths in points from the lower left of the sheet. */
export interface Cell {
  /** From 1; undefined for a blank cell. */
  page: number | undefined
  left: number
  bottom: number
  width: number
  height: number
  /**
   * Degrees counter-clockwise; 'fit' rotates a page whose orientation differs from that of its cell, so that the cells
   * stay in reading order.
   */
  turn: 0 | 90 | 180 | 270 | 'fit'
}

export interface Sheet {
  width: number
  height: number
  cells: Cell[]
}

export interface ImposeOptions {
  /** Margin within each cell, in points. */
  margin: number
  /** Whether a small page is enlarged to fill its cell. */
  enlarge: boolean
  /** Width of a border around each used cell, in points; 0 for none. */
  frame: number
}

/** Displayed width and height of a page (from 1), in points. */
export function shownSize(document: PdfHandle, page: number): { width: number; height: number } {
  const object = document.pdf.findPage(page - 1)
  const [left, bottom, right, top] = visibleBox(object)
  const [across, up] = [(right - left) * userUnit(object), (top - bottom) * userUnit(object)]
  return rotationOf(object) % 180 === 0 ? { width: across, height: up } : { width: up, height: across }
}

/**
 * Imposes the pages on sheets, which replace them. Pages are drawn as displayed, including fields and annotations;
 * links, bookmarks and tags then refer to the sheets. The form and the page labels are removed.
 */
export async function imposePages(
  document: PdfHandle,
  sheets: readonly Sheet[],
  options: ImposeOptions,
): Promise<void> {
  const mupdf = await loadMupdf()
  const { pdf, pageCount } = document
  const sizes = Array.from({ length: pageCount }, (_, index) => shownSize(document, index + 1))
  withMupdfErrors('PROCESSING_FAILED', 'The pages could not be put on sheets', () => {
    // A form XObject cannot contain annotations; flattening also separates the pages.
    flattenDocument(document)
    const pages = Array.from({ length: pageCount }, (_, index) => pdf.findPage(index))
    const forms = pages.map((page) => formOf(pdf, page))
    const imposed = new Map<number, Imposed>()
    const made = sheets.map((sheet) => {
      const object = pdf.createObject()
      const drawings = pdf.newDictionary()
      const content: string[] = []
      for (const cell of sheet.cells) {
        if (cell.page === undefined) continue
        const index = cell.page - 1
        const matrix = placementOf(mupdf.Matrix.concat, pages[index]!, sizes[index]!, cell, options)
        imposed.set(pages[index]!.asIndirect(), { page: pages[index]!, sheet: object, form: forms[index]!, matrix })
        drawings.put(`Page${cell.page}`, forms[index]!)
        content.push(`q ${matrix.map(pdfNumber).join(' ')} cm /Page${cell.page} Do Q`)
        const { left, bottom, width, height } = cell
        if (options.frame > 0)
          content.push(`${options.frame} w ${[left, bottom, width, height].map(pdfNumber).join(' ')} re S`)
      }
      object.writeObject(sheetDictionary(pdf, sheet, drawings, content))
      return object
    })
    for (const one of imposed.values()) moveLinks(pdf, one)
    moveTags(pdf, imposed)
    moveDestinations(pdf, imposed)
    replacePages(pdf, made)
    const { shown } = document
    document.shown =
      shown &&
      sheets.map(({ cells }) =>
        cells.flatMap(({ page }) =>
          page === undefined
            ? []
            : shown[page - 1]!.map(({ at, facts }) => ({ at: `/XObject/Page${page}${at}`, facts })),
        ),
      )
    sheets.forEach(({ cells }, index) => {
      const used = cells.flatMap(({ page }) => (page === undefined ? [] : [page]))
      document.expect(`sheet ${index + 1} has its pages`, (saved) =>
        used.every((page) => saved.findPage(index).get('Resources', 'XObject', `Page${page}`).isStream()),
      )
    })
  })
}

function sheetDictionary(
  pdf: PDFDocument,
  { width, height }: Sheet,
  drawings: PDFObject,
  content: string[],
): PDFObject {
  const dictionary = pdf.newDictionary()
  dictionary.put('Type', pdf.newName('Page'))
  dictionary.put('MediaBox', [0, 0, width, height])
  const resources = pdf.newDictionary()
  resources.put('XObject', drawings)
  dictionary.put('Resources', resources)
  dictionary.put('Contents', pdf.addStream(content.join('\n'), {}))
  return dictionary
}

/** The content of a page as a form XObject with the same appearance. */
function formOf(pdf: PDFDocument, page: PDFObject): PDFObject {
  const form = pdf.newDictionary()
  form.put('Type', pdf.newName('XObject'))
  form.put('Subtype', pdf.newName('Form'))
  form.put('BBox', visibleBox(page))
  const resources = page.getInheritable('Resources')
  form.put('Resources', resources.isDictionary() ? copyOfDirect(pdf, resources) : pdf.newDictionary())
  if (page.get('Group').isDictionary()) form.put('Group', copyOfDirect(pdf, page.get('Group')))
  if (page.get('StructParents').isNumber()) form.put('StructParents', page.get('StructParents'))
  const { streams, unclosed } = closedContent(pdf, page)
  const parts = streams.flatMap((stream) => {
    const buffer = stream.readStream()
    const bytes = Buffer.from(buffer.asUint8Array())
    buffer.destroy()
    return [bytes, Buffer.from('\n')]
  })
  return pdf.addStream(Buffer.concat([...parts, Buffer.from('Q '.repeat(unclosed))]), form)
}

/** The matrix from page space to the sheet. */
function placementOf(
  concat: (one: Matrix, other: Matrix) => Matrix,
  page: PDFObject,
  size: { width: number; height: number },
  cell: Cell,
  { margin, enlarge }: ImposeOptions,
): Matrix {
  const isAcross = (box: { width: number; height: number }) => box.width > box.height
  const isSquare = size.width === size.height
  // Cells run from left to right, then down. For upright pages in wide cells, the reader rotates the sheet
  // counter-clockwise, which brings the upper cell to the left; for wide pages in upright cells clockwise, which brings
  // the left cell to the top.
  const lying = isAcross(cell) ? 270 : 90
  const turn = cell.turn === 'fit' ? (!isSquare && isAcross(size) !== isAcross(cell) ? lying : 0) : cell.turn
  const [width, height] = turn % 180 === 0 ? [size.width, size.height] : [size.height, size.width]
  const scale = Math.min((cell.width - 2 * margin) / width, (cell.height - 2 * margin) / height, enlarge ? Infinity : 1)
  const left = cell.left + (cell.width - width * scale) / 2
  const bottom = cell.bottom + (cell.height - height * scale) / 2
  const upright = uprightMatrix(page)
  const turned = concat(upright, turnMatrix(turn, size))
  return concat(turned, [scale, 0, 0, scale, left, bottom])
}

/** From page space to the page as displayed, with its lower left at the origin, in points. */
export function uprightMatrix(page: PDFObject): Matrix {
  const [left, bottom, right, top] = visibleBox(page)
  const unit = userUnit(page)
  const turned: Record<number, Matrix> = {
    0: [1, 0, 0, 1, -left, -bottom],
    90: [0, -1, 1, 0, -bottom, right],
    180: [-1, 0, 0, -1, right, top],
    270: [0, 1, -1, 0, top, -left],
  }
  return turned[rotationOf(page)]!.map((value) => value * unit) as Matrix
}

/** Rotates a page at the origin counter-clockwise, back into the origin. */
function turnMatrix(turn: 0 | 90 | 180 | 270, { width, height }: { width: number; height: number }): Matrix {
  const turns: Record<0 | 90 | 180 | 270, Matrix> = {
    0: [1, 0, 0, 1, 0, 0],
    90: [0, 1, -1, 0, height, 0],
    180: [-1, 0, 0, -1, width, height],
    270: [0, -1, 1, 0, 0, width],
  }
  return turns[turn]
}

function replacePages(pdf: PDFDocument, sheets: readonly PDFObject[]): void {
  const catalog = pdf.getTrailer().get('Root')
  const kids = pdf.newArray()
  const root = pdf.addObject({ Type: 'Pages', Count: sheets.length })
  for (const sheet of sheets) {
    sheet.put('Parent', root)
    kids.push(sheet)
  }
  root.put('Kids', kids)
  catalog.put('Pages', root)
  catalog.delete('PageLabels')
}
