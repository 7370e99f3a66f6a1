import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { pdfNumber } from '../stamp/stamp-form.ts'
import { copyOfDirect, entriesOf, itemsOf } from '../structure/trees.ts'
import { balanceOfStates } from './content.ts'

/** A form or image XObject and how it is drawn. */
export interface Drawing {
  form: PDFObject
  matrix: number[]
  /** An ExtGState, for example for opacity. */
  state?: PDFObject | undefined
  /** Its name in the page's resources; a number is appended if the name is taken. */
  name: string
  /** Content around it, such as an artifact mark. */
  mark?: { begin: string; end: string }
}

/**
 * Appends the drawing after the page's content, which is isolated so that its graphics state does not leak. Returns the
 * name of the form in the page's resources.
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

/** Adds an object under a free name to a copy of a resource group, because pages may share it. */
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

/** The page's content streams. */
export function contentStreams(page: PDFObject): PDFObject[] {
  const contents = page.get('Contents')
  return (contents.isArray() ? itemsOf(contents) : [contents]).filter((stream) => stream.isStream())
}

/** The page's content streams, and how often the graphics state must be restored after them. */
export function closedContent(pdf: PDFDocument, page: PDFObject): { streams: PDFObject[]; unclosed: number } {
  const streams = contentStreams(page)
  const bytes = Buffer.concat(streams.flatMap((stream) => [decoded(stream), Buffer.from('\n')]))
  const { unclosed, excess } = balanceOfStates(bytes)
  if (excess.length === 0) return { streams, unclosed }
  // Viewers ignore a surplus Q; inside the added q/Q pair it would close that pair.
  for (const position of excess) bytes[position] = 0x20
  return { streams: [pdf.addStream(bytes, {})], unclosed }
}

function decoded(stream: PDFObject): Buffer {
  const buffer = stream.readStream()
  const bytes = Buffer.from(buffer.asUint8Array())
  buffer.destroy()
  return bytes
}
