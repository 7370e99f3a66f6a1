import type { PDFDocument, PDFObject } from '../../../../src/engines/mupdf.ts'
import type { PdfHandle } from '../../../../src/media/pdf/document.ts'
import { eachContainer, itemsOf } from '../../../../src/media/pdf/structure/trees.ts'
import { grayAppearance, grayOf, grayStyle } from './gray.ts'

/** Keys of strings that contain colours: the default appearance of text, its style, and rich text. */
const TEXTS: Readonly<Record<string, (text: string) => string>> = { DA: grayAppearance, DS: grayStyle, RC: grayStyle }

/**
 * Converts the colours of annotations and bookmarks that are stored outside appearance streams: readers use them to
 * draw the borders of links, and to redraw an annotation after a change. Ghostscript converts only the appearances.
 */
export function grayAnnotations(document: PdfHandle): void {
  const { pdf } = document
  const coloured = colouredObjects(pdf)
  for (const [holder, key, color] of colorsOf(coloured)) if (!isGray(color)) holder.put(key, grayColor(pdf, color))
  for (const [holder, key, text, gray] of textsOf(coloured)) if (text !== gray) holder.put(key, pdf.newString(gray))
  document.expect('no annotation has a colour', (saved) => {
    const objects = colouredObjects(saved)
    const areGray = colorsOf(objects).every(([, , color]) => isGray(color))
    return areGray && textsOf(objects).every(([, , text, gray]) => text === gray)
  })
}

/** Annotations and bookmarks. */
function colouredObjects(pdf: PDFDocument): PDFObject[] {
  const annotations = Array.from({ length: pdf.countPages() }, (_, page) => itemsOf(pdf.findPage(page).get('Annots')))
  const found = annotations.flat().filter((annotation) => annotation.isDictionary())
  eachContainer(pdf, (container) => {
    const isBookmark =
      container.isDictionary() && container.get('Title').isString() && container.get('Parent').isDictionary()
    if (isBookmark) found.push(container)
  })
  return found
}

/** Three equal components instead of one: poppler draws link borders only in RGB. */
function grayColor(pdf: PDFDocument, color: PDFObject): PDFObject {
  const gray = grayOf(partsOf(color))
  const parts = pdf.newArray()
  for (let part = 0; part < 3; part++) parts.push(pdf.newReal(gray))
  return parts
}

function isGray(color: PDFObject): boolean {
  const parts = partsOf(color)
  return parts.length !== 4 && parts.every((part) => part === parts[0])
}

const partsOf = (color: PDFObject): number[] => itemsOf(color).map((part) => part.asNumber())

/**
 * Colour, inner colour, border and background (ISO 32000-1, tables 164 to 189): each with its containing dictionary.
 */
function colorsOf(objects: readonly PDFObject[]): Array<[holder: PDFObject, key: string, color: PDFObject]> {
  const holders = objects.flatMap((object): Array<[PDFObject, string[]]> => {
    const look = object.get('MK')
    return [[object, ['C', 'IC']], ...(look.isDictionary() ? [[look, ['BC', 'BG']] as [PDFObject, string[]]] : [])]
  })
  return holders
    .flatMap(([holder, keys]) => keys.map((key): [PDFObject, string, PDFObject] => [holder, key, holder.get(key)]))
    .filter(([, , color]) => color.isArray())
}

/** Every string that can contain colours, in its original form and in gray. */
function textsOf(objects: readonly PDFObject[]): Array<[holder: PDFObject, key: string, text: string, gray: string]> {
  return objects.flatMap((object) =>
    Object.entries(TEXTS).flatMap(([key, grayed]): Array<[PDFObject, string, string, string]> => {
      const value = object.get(key)
      return value.isString() ? [[object, key, value.asString(), grayed(value.asString())]] : []
    }),
  )
}
