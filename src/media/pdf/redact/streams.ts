import type { PDFObject } from '../../../engines/mupdf.ts'

/** The decoded content; empty if it cannot be decoded, in which case it displays nothing. */
export function shownBytes(stream: PDFObject): Buffer {
  try {
    const buffer = stream.readStream()
    const bytes = Buffer.from(buffer.asUint8Array())
    buffer.destroy()
    return bytes
  } catch {
    return Buffer.alloc(0)
  }
}

/** Replaces the content of a stream, which is then stored as it is. */
export function rewriteStream(stream: PDFObject, bytes: Buffer): void {
  for (const key of ['Filter', 'DecodeParms']) stream.delete(key)
  stream.writeStream(bytes)
}
