import { constants, inflateSync } from 'node:zlib'
import type { PDFObject } from '../../../engines/mupdf.ts'
import { itemsOf } from '../structure/trees.ts'

/** The stream data of an image after its FlateDecode layers are decoded. */
export interface ImageStream {
  /** The encoding of `bytes`: `predicted` still needs its DecodeParms applied, `plain` are the samples. */
  encoding: 'plain' | 'predicted' | 'jpeg' | 'jpeg2000'
  bytes: Uint8Array
  /** Whether the stream had no filter at all. */
  isUncompressed: boolean
}

/** Maximum number of extra bytes after the samples: line ends and padding left by writers. */
const SLACK = 65_536

/** The filter names of a stream, in decoding order. */
export function filtersOf(image: PDFObject): string[] {
  const filter = image.get('Filter')
  if (filter.isName()) return [filter.asName()]
  return itemsOf(filter).map((item) => (item.isName() ? item.asName() : ''))
}

/**
 * Decodes the FlateDecode layers of a stream to at most slightly more than `samplesLength` bytes: a stream with more
 * data contradicts its dictionary. Undefined in that case, for damage, and for every other filter except JPEG and JPEG
 * 2000 (bilevel filters are better than JPEG; LZW and run-length do not declare their size).
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
  // A predictor adds one byte per row, never more than the number of samples.
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
