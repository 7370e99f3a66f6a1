import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import type { PdfHandle } from '../handle.ts'
import { entriesOf } from './trees.ts'

/** Editable properties, by their key in the document information dictionary (ISO 32000-1, 14.3.3). */
export type MetadataKey = 'Title' | 'Author' | 'Subject' | 'Keywords'

/** Text entries of the document information dictionary. */
export function readMetadata({ pdf }: PdfHandle): Record<string, string> {
  const entries = entriesOf(pdf.getTrailer().get('Info')).map(([key, value]): [string, string] => [key, textOf(value)])
  return Object.fromEntries(entries.filter(([, text]) => text !== ''))
}

function textOf(value: PDFObject): string {
  return value.isString() ? value.asString() : value.isName() ? value.asName() : ''
}

/** Sets entries, or removes those that are ''; also updates the document's XMP, which newer readers prefer. */
export function writeMetadata(document: PdfHandle, changes: Partial<Record<MetadataKey, string>>): void {
  const { pdf } = document
  if (!pdf.getTrailer().get('Info').isDictionary()) {
    // Adding an object may replace the trailer.
    const added = pdf.addObject(pdf.newDictionary())
    pdf.getTrailer().put('Info', added)
  }
  const trailer = pdf.getTrailer()
  const information = trailer.get('Info')
  for (const [key, text] of Object.entries(changes)) {
    if (text === '') information.delete(key)
    else information.put(key, pdf.newString(text))
    document.expect(`${key} is set`, (saved) => textOf(saved.getTrailer().get('Info', key)) === text)
  }
  const metadata = trailer.get('Root', 'Metadata')
  if (!metadata.isStream()) return
  const after = changedXmp(xmpOf(pdf)!, changes)
  // XMP that cannot be changed must not contradict the entries, so it is removed.
  document.expect('its XMP says the same', (saved) => xmpOf(saved) === after)
  if (after === undefined) trailer.get('Root').delete('Metadata')
  else {
    // The previous filter does not apply to the plain bytes.
    for (const key of ['Filter', 'DecodeParms']) metadata.delete(key)
    metadata.writeStream(Buffer.from(after))
  }
}

/** The XMP packet of the document, undefined if there is none. */
function xmpOf(pdf: PDFDocument): string | undefined {
  const metadata = pdf.getTrailer().get('Root', 'Metadata')
  if (!metadata.isStream()) return undefined
  const buffer = metadata.readStream()
  const text = buffer.asString()
  buffer.destroy()
  return text
}

/** The XMP properties for the entries (XMP specification part 2), and the form of their value. */
const PROPERTIES: Record<MetadataKey, { name: string; wrap(text: string): string }> = {
  Title: { name: 'dc:title', wrap: (text) => `<rdf:Alt><rdf:li xml:lang="x-default">${text}</rdf:li></rdf:Alt>` },
  Author: { name: 'dc:creator', wrap: (text) => `<rdf:Seq><rdf:li>${text}</rdf:li></rdf:Seq>` },
  Subject: {
    name: 'dc:description',
    wrap: (text) => `<rdf:Alt><rdf:li xml:lang="x-default">${text}</rdf:li></rdf:Alt>`,
  },
  Keywords: { name: 'pdf:Keywords', wrap: (text) => text },
}

/** The packet with these properties replaced; undefined if it is not valid XMP. */
function changedXmp(xmp: string, changes: Partial<Record<MetadataKey, string>>): string | undefined {
  const end = xmp.lastIndexOf('</rdf:RDF>')
  if (end < 0) return undefined
  const added: string[] = []
  let rest = xmp.slice(0, end)
  for (const [key, text] of Object.entries(changes)) {
    const { name, wrap } = PROPERTIES[key as MetadataKey]
    rest = rest
      .replace(new RegExp(`<${name}(?:\\s[^>]*)?(?:/>|>[\\s\\S]*?</${name}>)`, 'g'), '')
      .replace(new RegExp(`\\s${name}=(?:"[^"]*"|'[^']*')`, 'g'), '')
    if (text !== '') added.push(`<${name}>${wrap(escapeXml(text))}</${name}>`)
  }
  const namespaces = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"'
  const description =
    added.length > 0 ? `<rdf:Description rdf:about="" ${namespaces}>${added.join('')}</rdf:Description>` : ''
  return `${rest}${description}${xmp.slice(end)}`
}

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
