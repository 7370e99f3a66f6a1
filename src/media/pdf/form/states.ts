import type { Mupdf, PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { nameBytes } from '../page/content.ts'
import { entriesOf } from '../structure/trees.ts'

/** The state of a button, by its name in the file. */
interface State {
  /** As text: names are UTF-8, and Latin-1 in older files. */
  text: string
  /** As written in the file, without the slash; undefined if the text has the same bytes. */
  written: string | undefined
}

function stateOf(written: string): State {
  const bytes = nameBytes(written)
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) ? { text, written: undefined } : { text: bytes.toString('latin1'), written }
}

/** The names of the appearances of a button other than Off. */
function statesOf(widget: PDFObject): State[] {
  const appearances = widget.get('AP', 'N')
  // Keys that are not UTF-8 are lost by the library, except in the written form.
  const written = appearances.isDictionary() ? appearances.resolve().toString(true, true) : ''
  const isFlat = written.lastIndexOf('<<') === 0
  const states = isFlat
    ? [...written.matchAll(/\/([^\s/<>[\]()]*) \d+ \d+ R/g)].map(([, name = '']) => stateOf(name))
    : entriesOf(appearances).map(([text]) => ({ text, written: undefined }))
  return states.filter(({ text }) => text !== 'Off')
}

/** The state of a button that is on. */
export const onState = (widget: PDFObject): string | undefined => statesOf(widget)[0]?.text

/** The text of a name such as the value of a button. */
export const nameText = (name: PDFObject): string => stateOf(name.resolve().toString(true, true).slice(1)).text

/** Sets a check box or radio button, and its widgets, to a state. */
export function setState(
  mupdf: Mupdf,
  pdf: PDFDocument,
  field: PDFObject,
  widgets: readonly PDFObject[],
  state: string,
): void {
  const off = pdf.newName('Off')
  let value = state === 'Off' ? off : pdf.newName(state)
  for (const widget of widgets) {
    const on = statesOf(widget)[0]
    if (on?.text !== state) {
      widget.put('AS', off)
      continue
    }
    const name = on.written === undefined ? pdf.newName(state) : writtenName(mupdf, pdf, on.written)
    widget.put('AS', name)
    value = name
  }
  field.put('V', value)
}

/** A name of any bytes: the library makes names of text only, and reads others. */
function writtenName(mupdf: Mupdf, pdf: PDFDocument, written: string): PDFObject {
  const source = `%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R/Name/${written}>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\ntrailer\n<</Root 1 0 R>>\n`
  const holder = mupdf.PDFDocument.openDocument(Buffer.from(source, 'latin1'), 'application/pdf') as PDFDocument
  try {
    return pdf.graftObject(holder.getTrailer().get('Root', 'Name'))
  } finally {
    holder.destroy()
  }
}
