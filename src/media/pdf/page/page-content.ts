import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { pdfNumber } from '../stamp/stamp-form.ts'
import { copyOfDirect, entriesOf, itemsOf } from '../structure/trees.ts'
import { balanceOfStates } from './content.ts'

/** A form or image XObject and how it is drawn. */
export interface Drawing {
  form: PDFObject
  matrix: number[]
  /** An ExtGState, such as one of opacity. */
  state?: PDFObject | undefined
  /** What it is called among the page's resources; a number follows where the name is taken. */
  name: string
  /** Content around it, such as the mark of an artifact. */
  mark?: { begin: string; end: string }
}

/**
 * Adds the drawing behind the page's content, which is shut off so that its graphics state does not leak. Gives the name
 * that the form has among the page's resources.
 */
export function appendToPage(pdf: PDFDocument, page: PDFObject, drawing: Drawing): string {
  const { form, matrix, state, name, mark } = drawing
  const resources = pdf.newDictionary()
  for (const [key, value] of entriesOf(page.getInheritable('Resources'))) resources.put(key, copyOfDirect(pdf, value))
  const formName = addResource(pdf, resources, 'XObject', form, name)
  const stateName = state && addResource(pdf, resources, 'ExtGState', state, name)
  page.put('Resources', resources)

  const { streams, unclosed } = closedContent(pdf, page)
  const draw = [
    'Q '.repeat(unclosed + 1),
    mark?.begin ?? '',
    `q ${stateName ? `/${stateName} gs ` : ''}${matrix.map(pdfNumber).join(' ')} cm /${formName} Do Q`,
    mark?.end ?? '',
  ]
  const contents = pdf.newArray()
  for (const stream of [pdf.addStream('q\n', {}), ...streams, pdf.addStream(`\n${draw.join('\n')}\n`, {})])
    contents.push(stream)
  page.put('Contents', contents)
  return formName
}

/** Puts an object under a free name into a copy of one group of resources, which pages may share. */
function addResource(pdf: PDFDocument, resources: PDFObject, kind: string, object: PDFObject, stem: string): string {
  const group = pdf.newDictionary()
  const names = new Set<string>()
  for (const [name, value] of entriesOf(resources.get(kind))) {
    group.put(name, copyOfDirect(pdf, value))
    names.add(name)
  }
  let name = stem
  for (let number = 2; names.has(name); number++) name = `${stem}${number}`
  group.put(name, object)
  resources.put(kind, group)
  return name
}

/** The page's content streams, and how often the graphics state must be restored behind them. */
export function closedContent(pdf: PDFDocument, page: PDFObject): { streams: PDFObject[]; unclosed: number } {
  const contents = page.get('Contents')
  const streams = (contents.isArray() ? itemsOf(contents) : [contents]).filter((stream) => stream.isStream())
  const bytes = Buffer.concat(streams.flatMap((stream) => [decoded(stream), Buffer.from('\n')]))
  const { unclosed, excess } = balanceOfStates(bytes)
  if (excess.length === 0) return { streams, unclosed }
  // Viewers ignore a Q too many; in our brackets it would undo them.
  for (const position of excess) bytes[position] = 0x20
  return { streams: [pdf.addStream(bytes, {})], unclosed }
}

function decoded(stream: PDFObject): Buffer {
  const buffer = stream.readStream()
  const bytes = Buffer.from(buffer.asUint8Array())
  buffer.destroy()
  return bytes
}
