import { open } from 'node:fs/promises'
import { type JpegSegment, jpegSegments } from './jpeg-segments.ts'

const QUANTISATION_TABLES = 0xdb
const COEFFICIENTS = 64

/** The sum of the standard table for luminance (ITU-T T.81, table K.1). */
const STANDARD_SUM = 3688

/** Usual header size of a file, and the maximum that is read, because previews and profiles may be large. */
const HEAD_BYTES = [64 * 1024, 4 * 1024 * 1024] as const

/**
 * The libjpeg quality (1 to 100) that scales the standard tables (ITU-T T.81, annex K) like PostScript's QFactor: a
 * factor of 1 means the unscaled tables. libjpeg's scale in per cent is 200 - 2 q from quality 50 on, 5000 / q below.
 */
export function jpegQualityOf(quantisation: number): number {
  const scale = quantisation * 100
  const quality = scale <= 100 ? (200 - scale) / 2 : 5000 / scale
  return Math.min(100, Math.max(1, Math.round(quality)))
}

/** The sum of the first table in a segment (T.81, B.2.4.1): coefficients of 8 or 16 bits, in any order. */
function firstTableSum(jpeg: Buffer, { at, end }: JpegSegment): number | undefined {
  const isWide = jpeg[at + 4]! >> 4 !== 0
  const from = at + 5
  if (from + COEFFICIENTS * (isWide ? 2 : 1) > end) return undefined
  let sum = 0
  for (let index = 0; index < COEFFICIENTS; index++)
    sum += isWide ? jpeg.readUInt16BE(from + 2 * index) : jpeg[from + index]!
  return sum
}

/**
 * Estimates the libjpeg quality from the mean of the first quantization table, which is the luminance table: accurate
 * to one for the standard tables, and equivalent in overall precision for other tables.
 * @param head the beginning of a JPEG, which may be truncated after the tables
 */
export function qualityOfTables(head: Buffer): number | undefined {
  const tables = jpegSegments(head, { mayBeCutOff: true })?.find(({ marker }) => marker === QUANTISATION_TABLES)
  const sum = tables && firstTableSum(head, tables)
  return sum && jpegQualityOf(sum / STANDARD_SUM)
}

/** The quality that a JPEG file was written with; see `qualityOfTables`. Reads only the header. */
export async function jpegFileQuality(path: string): Promise<number | undefined> {
  const file = await open(path)
  try {
    for (const length of HEAD_BYTES) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, 0)
      const quality = qualityOfTables(buffer.subarray(0, bytesRead))
      if (quality !== undefined || bytesRead < length) return quality
    }
    return undefined
  } finally {
    await file.close()
  }
}
