import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { readNumberTree, writeNumberTree } from './trees.ts'

/** The label of a page: `prefix` and then `number` in a style (/D, /r …); ISO 32000-1, 12.4.2. */
export interface PageLabel {
  style: string
  /** As a PDF string, undefined for none. */
  prefix: PDFObject | undefined
  number: number
}

/** The label of each page of a document, or undefined if it has none. */
export function readPageLabels(pdf: PDFDocument): PageLabel[] | undefined {
  const root = pdf.getTrailer().get('Root', 'PageLabels')
  if (!root.isDictionary()) return undefined
  const ranges = readNumberTree(root)
  const labels: PageLabel[] = []
  let range: PDFObject | undefined
  let start = 0
  for (let page = 0; page < pdf.countPages(); page++) {
    const next = ranges.get(page)
    if (next?.isDictionary()) {
      range = next
      start = page
    }
    const first = range?.get('St').isNumber() ? range.get('St').asNumber() : 1
    const prefix = range?.get('P')
    labels.push({
      style: range ? range.get('S').asName() : 'D',
      prefix: prefix?.isString() ? prefix : undefined,
      number: first + page - start,
    })
  }
  return labels
}

/** Writes the labels of all pages; a page without one is labelled with its page number. */
export function writePageLabels(pdf: PDFDocument, labels: Array<PageLabel | undefined>): void {
  if (!labels.some((label) => label !== undefined)) return
  const ranges = new Map<number, PDFObject>()
  let before: PageLabel | undefined
  labels.forEach((given, page) => {
    const label = given ?? { style: 'D', prefix: undefined, number: page + 1 }
    if (!before || !follows(before, label)) {
      const range = pdf.newDictionary()
      if (label.style !== '') range.put('S', pdf.newName(label.style))
      if (label.prefix) range.put('P', label.prefix)
      if (label.number !== 1) range.put('St', label.number)
      ranges.set(page, range)
    }
    before = label
  })
  pdf.getTrailer().get('Root').put('PageLabels', writeNumberTree(pdf, ranges))
}

function follows(before: PageLabel, label: PageLabel): boolean {
  return (
    before.style === label.style &&
    (before.prefix?.asString() ?? '') === (label.prefix?.asString() ?? '') &&
    (label.style === '' || label.number === before.number + 1)
  )
}
