import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { eachContainer, entriesOf, itemsOf } from './trees.ts'

/** Action types that PDF/A forbids (ISO 19005-2, 6.5.1). */
const FORBIDDEN = new Set([
  'JavaScript',
  'Launch',
  'Sound',
  'Movie',
  'ResetForm',
  'ImportData',
  'Hide',
  'SetOCGState',
  'Rendition',
  'Trans',
  'GoTo3DView',
])

/** The only named actions that PDF/A allows. */
const NAMED = new Set(['NextPage', 'PrevPage', 'FirstPage', 'LastPage'])

/** The name that `forbiddenActions` uses for event actions (`AA`) of any type. */
export const ON_EVENT = 'on events'

/**
 * The type of an action that PDF/A forbids, or undefined. Elements of the structure tree also have an `S`, and a parent
 * `P`.
 */
function forbiddenType(value: PDFObject): string | undefined {
  if (!value.isDictionary()) return undefined
  const type = value.get('S').asName()
  if (type === 'JavaScript') return type
  if (value.get('P').isDictionary()) return undefined
  if (type === 'Named' && !NAMED.has(value.get('N').asName())) return type
  return FORBIDDEN.has(type) ? type : undefined
}

/**
 * Invokes the callback for every location that references a forbidden action: on opening, on events (`AA`), of
 * annotations, fields and bookmarks, in chains (`Next`), as the script of a rendition (`JS`), and the document's
 * scripts.
 */
function eachForbidden(pdf: PDFDocument, found: (type: string, remove: () => void) => void): void {
  eachContainer(pdf, (container) => {
    // In reverse, because entries are removed.
    for (const [index, item] of [...itemsOf(container).entries()].reverse()) {
      const type = forbiddenType(item)
      if (type !== undefined) found(type, () => container.delete(index))
    }
    for (const [key, value] of entriesOf(container)) {
      const type = typeOfEntry(key, value)
      if (type !== undefined) found(type, () => container.delete(key))
    }
  })
  const names = pdf.getTrailer().get('Root', 'Names')
  if (names.isDictionary() && !names.get('JavaScript').isNull()) found('JavaScript', () => names.delete('JavaScript'))
}

function typeOfEntry(key: string, value: PDFObject): string | undefined {
  if (key === 'JS') return 'JavaScript'
  return key === 'AA' && value.isDictionary() ? ON_EVENT : forbiddenType(value)
}

/** The types of forbidden actions in the document, sorted, and `ON_EVENT`. */
export function forbiddenActions(pdf: PDFDocument): string[] {
  const types = new Set<string>()
  eachForbidden(pdf, (type) => types.add(type))
  return [...types].sort()
}

/** Removes everything that `forbiddenActions` finds. */
export function removeForbiddenActions(pdf: PDFDocument): void {
  eachForbidden(pdf, (_type, remove) => remove())
}
