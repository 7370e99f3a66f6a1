import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { PDFDocument, PDFObject } from '../../../engines/mupdf.ts'
import { entriesOf, itemsOf } from '../structure/trees.ts'
import { PdfFileWriter } from './file-writer.ts'
import { renumbered } from './object-text.ts'
import { printed, reachableObjects, trailerEntries, withObject } from './reachable.ts'

/** Object streams need PDF 1.5. */
const MIN_VERSION = 15

export interface StreamOptions {
  /** Write equal streams only once: reads every stream twice. */
  deduplicate?: boolean
}

/**
 * Writes the document to `path` without encryption, one stream after another. MuPDF builds the whole file in memory (up
 * to 2.5 times the size of the file, as the buffer grows); here the peak depends on the largest stream. Unreferenced
 * objects are dropped, and streams without a filter are compressed, as in `PdfHandle.save`.
 */
export function streamDocument(pdf: PDFDocument, path: string, { deduplicate = false }: StreamOptions = {}): void {
  const entries = trailerEntries(pdf)
  const numbers = reachableObjects(pdf)
  const twins = deduplicate ? equalStreams(pdf, numbers) : new Map<number, number>()
  const own = new Map<number, number>()
  for (const number of numbers) if (!twins.has(number)) own.set(number, own.size + 1)
  const numberOf = (number: number): number | undefined => own.get(twins.get(number) ?? number)
  const writer = new PdfFileWriter(path, Math.max(MIN_VERSION, pdf.getVersion()), own.size)
  try {
    for (const [number, ownNumber] of own)
      withObject(pdf, number, (object) => {
        if (object.isStream()) writeStream(pdf, writer, ownNumber, object, numberOf)
        else writer.object(ownNumber, renumbered(printed(pdf, object), numberOf))
      })
    writer.end(renumbered(entries, numberOf))
  } finally {
    writer.close()
  }
}

function writeStream(
  pdf: PDFDocument,
  writer: PdfFileWriter,
  number: number,
  object: PDFObject,
  numberOf: (number: number) => number | undefined,
): void {
  const write = (dictionary: PDFObject, data: Uint8Array): void =>
    writer.stream(number, renumbered(printed(pdf, dictionary), numberOf, data.length), data)
  const filter = object.get('Filter')
  const filters = filter.isArray() ? itemsOf(filter).map((item) => item.asName()) : [filter.asName()].filter(Boolean)
  // Metadata stays readable for programs without PDF support. An encryption filter has no meaning in an unencrypted
  // file.
  const isPlain = filters.length === 0 && object.get('Type').asName() !== 'Metadata'
  if (!isPlain && !filters.includes('Crypt')) {
    const buffer = object.readRawStream()
    write(object, buffer.asUint8Array())
    buffer.destroy()
    return
  }
  const dictionary = pdf.newDictionary()
  for (const [key, value] of entriesOf(object))
    if (!['Filter', 'DecodeParms', 'Length'].includes(key)) dictionary.put(key, value)
  dictionary.put('Filter', pdf.newName('FlateDecode'))
  const buffer = object.readStream()
  write(dictionary, deflateSync(buffer.asUint8Array()))
  buffer.destroy()
}

/** Streams that are equal to an earlier one, with the number of that one. */
function equalStreams(pdf: PDFDocument, numbers: readonly number[]): Map<number, number> {
  const twins = new Map<number, number>()
  const first = new Map<string, number>()
  for (const number of numbers)
    withObject(pdf, number, (object) => {
      if (!object.isStream()) return
      const buffer = object.readRawStream()
      const hash = createHash('sha256')
      const dictionary = renumbered(printed(pdf, object), (own) => own, buffer.getLength())
      const key = hash.update(dictionary).update(buffer.asUint8Array()).digest('base64')
      buffer.destroy()
      const twin = first.get(key)
      if (twin === undefined) first.set(key, number)
      else twins.set(number, twin)
    })
  return twins
}
