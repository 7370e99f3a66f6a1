import type { PDFDocument } from '../../../engines/mupdf.ts'

/** Composite fonts refer to a font that is checked itself; the glyphs of Type 3 fonts are content of the document. */
const NEEDS_NO_FILE = new Set(['Type0', 'Type3'])

/** The names of all fonts whose font file is not in the document, each once, in the order of their objects. */
export function fontsNotEmbedded(pdf: PDFDocument): string[] {
  const missing = new Set<string>()
  const count = pdf.countObjects()
  for (let number = 1; number < count; number++) {
    const object = pdf.newIndirect(number)
    if (!object.isDictionary() || object.get('Type').asName() !== 'Font') continue
    if (NEEDS_NO_FILE.has(object.get('Subtype').asName())) continue
    const isEmbedded = ['FontFile', 'FontFile2', 'FontFile3'].some((key) =>
      object.get('FontDescriptor', key).isStream(),
    )
    if (!isEmbedded) missing.add(object.get('BaseFont').asName() || 'a font without a name')
  }
  return [...missing]
}
