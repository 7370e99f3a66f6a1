import type { PDFDocument } from '../../../engines/mupdf.ts'
import { eachContainer } from '../structure/trees.ts'

/** Types of layers, and of the rules by which layers show or hide content (ISO 32000-1, 8.11.2). */
const TYPES = ['OCG', 'OCMD']

const MARK = 'Shown'

/**
 * Shows the content of all layers, because hidden content is in the file as well. A rule can show content while a layer
 * is off, so that no state of the layers shows everything: layers and rules lose their type instead.
 * @returns a function that undoes it
 */
export function showLayers(pdf: PDFDocument): () => void {
  rename(
    pdf,
    TYPES.map((type) => [type, MARK + type]),
  )
  // By type, because removing content copies dictionaries.
  return () =>
    rename(
      pdf,
      TYPES.map((type) => [MARK + type, type]),
    )
}

function rename(pdf: PDFDocument, names: ReadonlyArray<readonly [from: string, to: string]>): void {
  const renamed = new Map(names)
  eachContainer(pdf, (container) => {
    const type = container.isDictionary() ? renamed.get(container.get('Type').asName()) : undefined
    if (type !== undefined) container.put('Type', pdf.newName(type))
  })
}
