import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { Mupdf, PDFDocument } from '../../../engines/mupdf.ts'
import { toMediaprocError } from '../../../errors.ts'

/**
 * Files above this size are read from disk in chunks; smaller ones are read at once, which is 1.6 times faster; in
 * bytes.
 */
export const WHOLE_FILE_LIMIT = 64 * 1024 * 1024

/** Where readers look for the end marker, in bytes before the end (ISO 32000-1 implementation note 18: 1024). */
const TAIL_LENGTH = 1024

/** A PDF file to open, in memory or on disk. `release` closes its descriptor after the document is destroyed. */
export interface Source {
  size: number
  head: Uint8Array
  tail: Uint8Array
  /** The whole file, unless it is read in chunks. */
  bytes?: Uint8Array
  open(mupdf: Mupdf): PDFDocument
  release(): void
}

/** A file in memory. */
export function sourceFromBytes(bytes: Uint8Array): Source {
  return {
    size: bytes.length,
    head: bytes.subarray(0, 2048),
    tail: bytes.subarray(-TAIL_LENGTH),
    bytes,
    open: (mupdf) => mupdf.PDFDocument.openDocument(bytes, 'application/pdf') as PDFDocument,
    release: () => {},
  }
}

/**
 * A file on disk: a small one is read at once, a large one in chunks.
 * @throws INVALID_FILE (or the file system's error) when it cannot be read
 */
export async function sourceFromPath(path: string, name: string): Promise<Source> {
  try {
    const { size } = await stat(path)
    if (size <= WHOLE_FILE_LIMIT) return sourceFromBytes(await readFile(path))
    return sourceFromDisk(path, size)
  } catch (error) {
    throw toMediaprocError(error, 'INVALID_FILE', `${name} cannot be read`)
  }
}

/** The file with its cross-reference table hidden, so that the library searches for the objects itself. */
export function withoutTable(bytes: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll('startxref', 'startxxxx'), 'latin1')
}

/** A file that is read in chunks; `size` in bytes. */
export function sourceFromDisk(path: string, size: number): Source {
  const descriptor = openSync(path, 'r')
  let open = true
  const release = () => {
    if (open) closeSync(descriptor)
    open = false
  }
  const part = (start: number, length: number) => {
    const bytes = new Uint8Array(length)
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, start))
  }
  return {
    size,
    head: part(0, 2048),
    tail: part(Math.max(0, size - TAIL_LENGTH), TAIL_LENGTH),
    open: (mupdf) => {
      const stream = new mupdf.Stream({
        fileSize: () => fstatSync(descriptor).size,
        read: (memory, offset, length, position) => readSync(descriptor, memory, offset, length, position),
        close: () => {},
      })
      try {
        return mupdf.PDFDocument.openDocument(stream, 'application/pdf') as PDFDocument
      } finally {
        // The document keeps its own reference.
        stream.destroy()
      }
    },
    release,
  }
}
