import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { entriesOf, itemsOf } from '../structure/trees.ts'
import { type Characters, charactersOf, sampledPages } from './page-characters.ts'

/** Data that defines the appearance of a page. */
export interface PageFacts {
  /** Its named resources, including those of its form XObjects, by path: `/Font/F1` → `TrueType Arial`. */
  resources: ReadonlyMap<string, string>
  /** Length of its decoded content. */
  contentBytes: number
  /** Its text, for some of the pages. */
  characters?: Characters | undefined
}

/** A source page on a page of the result: as the page itself (''), or as a form XObject on it (`/XObject/Page2`). */
export interface PlacedPage {
  at: string
  facts: PageFacts
}

/** Maximum nesting depth of inspected form XObjects. */
export const MAX_DRAWING_DEPTH = 3

/** Maximum number of resources compared per page. */
export const MAX_RESOURCES = 2000

/** The facts of all pages, as read by MuPDF. Resources that are already missing or damaged are not included. */
export function factsOfPages(pdf: PDFDocument): PageFacts[] {
  const known = new Map<number, ReadonlyMap<string, string>>()
  return Array.from({ length: pdf.countPages() }, (_, index) => {
    const page = pdf.findPage(index)
    const resources = page.getInheritable('Resources')
    return { resources: cached(known, resources), contentBytes: contentBytes(page) }
  })
}

/** The facts of all pages, with the text of some pages. */
export function factsWithText(pdf: PDFDocument): PageFacts[] {
  const facts = factsOfPages(pdf)
  for (const index of sampledPages(facts.length))
    facts[index]!.characters = charactersOf(pdf, index, facts[index]!.contentBytes)
  return facts
}

/** Pages often share their resources. */
function cached(known: Map<number, ReadonlyMap<string, string>>, resources: PDFObject): ReadonlyMap<string, string> {
  const number = resources.isIndirect() ? resources.asIndirect() : 0
  const before = known.get(number)
  if (before) return before
  const found = new Map<string, string>()
  collect(resources, '', found, 0)
  if (number > 0) known.set(number, found)
  return found
}

function collect(resources: PDFObject, path: string, found: Map<string, string>, depth: number): void {
  for (const [kind, group] of entriesOf(resources))
    for (const [name, value] of entriesOf(group)) {
      if (value.isNull() || found.size >= MAX_RESOURCES) continue
      const own = `${path}/${kind}/${name}`
      if (kind === 'Font') {
        if (value.isDictionary()) found.set(own, words(value.get('Subtype').asName(), value.get('BaseFont').asName()))
      } else if (kind === 'XObject') {
        if (!value.isStream()) continue
        found.set(own, value.get('Subtype').asName())
        if (depth < MAX_DRAWING_DEPTH) collect(value.get('Resources'), own, found, depth + 1)
      } else found.set(own, '')
    }
}

const words = (...parts: string[]): string => parts.filter(Boolean).join(' ')

/** Length of the decoded content of a page or form XObject; 0 if it cannot be decoded. */
export function contentBytes(page: PDFObject): number {
  const contents = page.isStream() ? page : page.get('Contents')
  let bytes = 0
  for (const stream of contents.isArray() ? itemsOf(contents) : [contents]) {
    if (!stream.isStream()) continue
    try {
      const buffer = stream.readStream()
      bytes += buffer.getLength()
      buffer.destroy()
    } catch {
      // The tool writes it unchanged.
    }
  }
  return bytes
}
