import { constants, inflateSync } from 'node:zlib'
import type { PDFObject } from '../../../engines/mupdf.ts'
import { itemsOf } from '../structure/trees.ts'

/** What the stream of an image holds once its FlateDecode layers are off. */
export interface ImageStream {
  /** How `bytes` are encoded: `predicted` needs its DecodeParms undone, `plain` are the samples. */
  encoding: 'plain' | 'predicted' | 'jpeg' | 'jpeg2000'
  bytes: Uint8Array
  /** Whether no filter at all was on it. */
  isUncompressed: boolean
}

/** Bytes beyond the samples that a stream may have: line ends and padding that writers leave. */
const SLACK = 65_536

/** The names of the filters on a stream, in the order they are undone. */
export function filtersOf(image: PDFObject): string[] {
  const filter = image.get('Filter')
  if (filter.isName()) return [filter.asName()]
  return itemsOf(filter).map((item) => (item.isName() ? item.asName() : ''))
}

/**
 * Reads the stream as far as its FlateDecode layers, never into more than `samplesLength` bytes and a little: a stream
 * that unpacks to more is not what its dictionary says. Undefined for that, for damage, and for every other filter but
 * JPEG and JPEG 2000 (the bilevel ones are better than JPEG; LZW and run lengths say nothing about their size).
 */
export function readImageStream(image: PDFObject, samplesLength: number): ImageStream | undefined {
  const filters = filtersOf(image)
  const last = filters.at(-1)
  const encoding = last === 'DCTDecode' ? 'jpeg' : last === 'JPXDecode' ? 'jpeg2000' : 'plain'
  const packed = encoding === 'plain' ? filters : filters.slice(0, -1)
  if (packed.some((filter) => filter !== 'FlateDecode')) return undefined
  const buffer = image.readRawStream()
  let bytes: Uint8Array = buffer.asUint8Array().slice()
  buffer.destroy()
  // A predictor adds one byte per row, which is never more than there are samples.
  const limit = 2 * samplesLength + SLACK
  try {
    for (const _layer of packed)
      bytes = inflateSync(bytes, { maxOutputLength: limit, finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    return undefined
  }
  const isPredicted = encoding === 'plain' && hasPredictor(image)
  return { encoding: isPredicted ? 'predicted' : encoding, bytes, isUncompressed: filters.length === 0 }
}

function hasPredictor(image: PDFObject): boolean {
  const parameters = image.get('DecodeParms')
  const all = parameters.isArray() ? itemsOf(parameters) : [parameters]
  return all.some((item) => item.isDictionary() && item.get('Predictor').asNumber() > 1)
}
