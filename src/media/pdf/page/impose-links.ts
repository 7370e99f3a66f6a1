import type { Matrix, PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { entriesOf, itemsOf } from '../structure/trees.ts'

/** A page that was turned into a form XObject on a sheet. */
export interface Imposed {
  page: PDFObject
  sheet: PDFObject
  form: PDFObject
  /** From page space to sheet space. */
  matrix: Matrix
}

/** Maximum nesting depth of direct objects. */
const MAX_DEPTH = 100

/** Destination views (ISO 32000-1, table 151). */
const VIEWS = new Set(['XYZ', 'Fit', 'FitH', 'FitV', 'FitR', 'FitB', 'FitBH', 'FitBV'])

function transformed([a, b, c, d, e, f]: Matrix, x: number, y: number): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f]
}

/** Moves the annotations of a page (links, after flattening) to its sheet. */
export function moveLinks(pdf: PDFDocument, { page, sheet, matrix }: Imposed): void {
  const annotations = itemsOf(page.get('Annots')).filter((one) => one.isDictionary())
  if (annotations.length === 0) return
  const list = sheet.get('Annots').isArray() ? sheet.get('Annots') : sheet.put('Annots', pdf.newArray())
  for (const annotation of annotations) {
    const [left, bottom, right, top, ...others] = itemsOf(annotation.get('Rect')).map((side) => side.asNumber())
    if (left === undefined || bottom === undefined || right === undefined || top === undefined || others.length > 0)
      continue
    const [one, other] = [transformed(matrix, left, bottom), transformed(matrix, right, top)]
    annotation.put('Rect', [
      Math.min(one[0], other[0]),
      Math.min(one[1], other[1]),
      Math.max(one[0], other[0]),
      Math.max(one[1], other[1]),
    ])
    const quads = itemsOf(annotation.get('QuadPoints')).map((value) => value.asNumber())
    if (quads.length > 0) {
      const moved: number[] = []
      for (let at = 0; at + 1 < quads.length; at += 2) moved.push(...transformed(matrix, quads[at]!, quads[at + 1]!))
      annotation.put('QuadPoints', moved)
    }
    annotation.put('P', sheet)
    list.push(annotation)
  }
}

/**
 * Redirects every destination on a page to its position on the sheet, wherever it is stored: links, bookmarks, names.
 */
export function moveDestinations(pdf: PDFDocument, imposed: ReadonlyMap<number, Imposed>): void {
  const visit = (object: PDFObject, depth: number): void => {
    if (depth > MAX_DEPTH) return
    if (object.isArray()) {
      const first = object.length > 1 ? object.get(0) : undefined
      const target = first?.isIndirect() ? imposed.get(first.asIndirect()) : undefined
      if (target && VIEWS.has(object.get(1).asName())) moveDestination(pdf, object, target)
      else for (const item of itemsOf(object)) if (!item.isIndirect()) visit(item, depth + 1)
    } else if (object.isDictionary())
      for (const [, value] of entriesOf(object)) if (!value.isIndirect()) visit(value, depth + 1)
  }
  const count = pdf.countObjects()
  for (let number = 1; number < count; number++) visit(pdf.newIndirect(number), 0)
}

function moveDestination(pdf: PDFDocument, destination: PDFObject, { sheet, matrix }: Imposed): void {
  const value = (at: number) => {
    const item = at < destination.length ? destination.get(at) : undefined
    return item?.isNumber() ? item.asNumber() : undefined
  }
  const view = destination.get(1).asName()
  const [x, y] = view === 'XYZ' || view === 'FitR' ? [value(2), value(view === 'XYZ' ? 3 : 5)] : [undefined, value(2)]
  while (destination.length > 0) destination.delete(destination.length - 1)
  destination.push(sheet)
  if (x === undefined || y === undefined) return void destination.push(pdf.newName('Fit'))
  destination.push(pdf.newName('XYZ'))
  for (const side of transformed(matrix, x, y)) destination.push(pdf.newReal(side))
  destination.push(pdf.newNull())
}

/**
 * Makes tags refer to marked content in the form XObjects (ISO 32000-1, 14.7.4.2: a marked-content reference with a
 * stream).
 */
export function moveTags(pdf: PDFDocument, imposed: ReadonlyMap<number, Imposed>): void {
  const seen = new Set<number>()
  const waiting: Array<{ element: PDFObject; page: number }> = [
    { element: pdf.getTrailer().get('Root', 'StructTreeRoot'), page: 0 },
  ]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { element } = next
    if (!element.isDictionary() || (element.isIndirect() && seen.has(element.asIndirect()))) continue
    if (element.isIndirect()) seen.add(element.asIndirect())
    const own = element.get('Pg')
    const page = own.isIndirect() ? own.asIndirect() : next.page
    const target = imposed.get(page)
    if (target && own.isIndirect()) element.put('Pg', target.sheet)
    const kids = element.get('K')
    const list = kids.isArray() ? itemsOf(kids) : kids.isNull() ? [] : [kids]
    const moved = list.map((kid) => {
      if (kid.isNumber()) return target ? reference(pdf, target, kid) : kid
      const type = kid.isDictionary() ? kid.get('Type').asName() : ''
      if (type !== 'MCR' && type !== 'OBJR') {
        waiting.push({ element: kid, page })
        return kid
      }
      const place = kid.get('Pg').isIndirect() ? imposed.get(kid.get('Pg').asIndirect()) : target
      if (!place) return kid
      if (type === 'MCR' && kid.get('Stm').isNull()) return reference(pdf, place, kid.get('MCID'))
      kid.put('Pg', place.sheet)
      return kid
    })
    if (moved.length === 0) continue
    const array = pdf.newArray()
    for (const kid of moved) array.push(kid)
    element.put('K', array)
  }
}

function reference(pdf: PDFDocument, { sheet, form }: Imposed, mark: PDFObject): PDFObject {
  const dictionary = pdf.newDictionary()
  dictionary.put('Type', pdf.newName('MCR'))
  dictionary.put('Pg', sheet)
  dictionary.put('Stm', form)
  dictionary.put('MCID', mark)
  return dictionary
}
