import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { toMediaprocError } from '../errors.ts'
import { sniffAdded } from './sniff/added.ts'
import { sniffFramedAudio } from './sniff/audio.ts'
import { sniffAsf, sniffIsoMedia, sniffMatroska, sniffOgg, sniffRiff, sniffTransportStream } from './sniff/container.ts'
import { compoundDirectoryOffset, sniffCompound, sniffPage, sniffZip, sniffZipDirectory } from './sniff/document.ts'
import {
  plausibleTga,
  sniffBmp,
  sniffIcon,
  sniffNetpbm,
  sniffPcx,
  sniffPng,
  sniffSgi,
  sniffTiff,
  sniffWritten,
  TGA_FOOTER,
} from './sniff/image.ts'
import { hasMark, matchSignature } from './sniff/signatures.ts'
import { decodeText, sniffGzip, sniffText } from './sniff/text.ts'
import { EMPTY_TYPE, type FileType, typeById, typeOfName, UNKNOWN_TYPE } from './type.ts'

/** The number of bytes read from the start of a file. */
export const SNIFF_BYTES = 64 * 1024

/** One function per container family; the first match is used. `claimed` is the type suggested by the file name. */
const FAMILIES: ((head: Uint8Array, claimed: string | undefined) => string | undefined)[] = [
  sniffPng,
  sniffRiff,
  sniffIsoMedia,
  sniffTiff,
  sniffZip,
  sniffMatroska,
  sniffOgg,
  sniffAsf,
  sniffPage,
  sniffBmp,
  sniffIcon,
  sniffNetpbm,
  sniffPcx,
  sniffSgi,
  sniffWritten,
  sniffFramedAudio,
  sniffTransportStream,
]

function sniffBinary(head: Uint8Array, claimed: string | undefined): string | undefined {
  const signature = matchSignature(head)
  if (signature) return signature === 'gz' ? sniffGzip(head) : signature
  for (const family of FAMILIES) {
    const id = family(head, claimed)
    if (id) return id
  }
  const directory = compoundDirectoryOffset(head)
  return directory === undefined ? undefined : sniffCompound(head.subarray(directory), claimed)
}

/**
 * Detects the type of content from its first bytes (64 KiB are enough; the whole content is accepted, too). The content
 * decides; the name is only used when bytes are ambiguous: types of plain text, the three names of transport streams,
 * TGA, generic MP4 brands. `empty` for no bytes, `unknown` for unrecognized bytes. HEVC-coded HEIF is `heic` whatever
 * its name. Imports nothing heavy and never throws.
 */
export function sniffBytes(head: Uint8Array, fileName?: string): FileType {
  if (head.length === 0) return EMPTY_TYPE
  const claimed = fileName === undefined ? undefined : typeOfName(fileName)?.id
  const id = sniffBinary(head, claimed)
  if (id) return typeById(id) ?? UNKNOWN_TYPE
  const added = sniffAdded(head.length > SNIFF_BYTES ? head.subarray(0, SNIFF_BYTES) : head, fileName)
  if (added) return typeById(added) ?? UNKNOWN_TYPE
  const text = decodeText(head.subarray(0, SNIFF_BYTES))
  if (text !== undefined) return typeById(sniffText(text, claimed)) ?? UNKNOWN_TYPE
  const isTga = plausibleTga(head) && (claimed === 'tga' || hasMark(head, TGA_FOOTER, head.length - TGA_FOOTER.length))
  return (isTga ? typeById('tga') : undefined) ?? UNKNOWN_TYPE
}

type ReadAt = (offset: number, length: number) => Promise<Uint8Array>

/**
 * The central directory of an archive lists all entries, including those after a large first one. At most 1 MiB is
 * read.
 */
async function sniffZipEnd(readAt: ReadAt, size: number): Promise<string | undefined> {
  const tailStart = Math.max(0, size - SNIFF_BYTES - 22)
  const tail = Buffer.from(await readAt(tailStart, size - tailStart))
  const end = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (end < 0 || end + 22 > tail.length) return undefined
  const length = Math.min(tail.readUInt32LE(end + 12), 1024 * 1024)
  const offset = tail.readUInt32LE(end + 16)
  return offset >= size ? undefined : sniffZipDirectory(await readAt(offset, Math.min(length, size - offset)))
}

/** Further parts of the file that are needed when its first bytes are ambiguous. */
async function sniffFurther(head: Uint8Array, claimed: string | undefined, readAt: ReadAt, size: number) {
  const directory = compoundDirectoryOffset(head)
  if (directory !== undefined) return sniffCompound(await readAt(directory, 128 * 64), claimed)
  if (hasMark(head, 'PK\x03\x04')) return sniffZipEnd(readAt, size)
  if (plausibleTga(head)) {
    const end = await readAt(size - TGA_FOOTER.length, TGA_FOOTER.length)
    return hasMark(end, TGA_FOOTER) ? 'tga' : undefined
  }
  return undefined
}

/** The type of a file from its first bytes, at least `SNIFF_BYTES` or all; undefined if more of the file is needed. */
export function sniffHead(head: Uint8Array, size: number, fileName: string): FileType | undefined {
  const type = sniffBytes(head, fileName)
  // The visible entries may belong to a document inside the archive; the archive's directory decides.
  const isArchive = /^(zip|docx|xlsx|pptx)$/.test(type.id)
  const isOpen = isArchive || type.group === 'unknown' || compoundDirectoryOffset(head) !== undefined
  return isOpen && size > head.length ? undefined : type
}

/** `sniffFile` for an open file of the given size. */
export async function sniffOpen(file: FileHandle, size: number, fileName: string): Promise<FileType> {
  const readAt: ReadAt = async (offset, length) => {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, offset)
    return buffer.subarray(0, bytesRead)
  }
  const head = await readAt(0, Math.min(size, SNIFF_BYTES))
  const settled = sniffHead(head, size, fileName)
  if (settled) return settled
  const id = await sniffFurther(head, typeOfName(fileName)?.id, readAt, size)
  return (id === undefined ? undefined : typeById(id)) ?? sniffBytes(head, fileName)
}

/**
 * Detects the type of a file: `sniffBytes` on its first 64 KiB and, if these are ambiguous, the directory of a ZIP or
 * old Office file or the footer of a TGA file.
 * @param fileName the original name, if `path` is a temporary file
 * @throws FILE_NOT_FOUND, IS_A_FOLDER, PERMISSION_DENIED
 */
export async function sniffFile(path: string, fileName: string = basename(path)): Promise<FileType> {
  try {
    const file = await open(path, 'r')
    try {
      return await sniffOpen(file, (await file.stat()).size, fileName)
    } finally {
      await file.close()
    }
  } catch (error) {
    throw toMediaprocError(error, 'INVALID_FILE', 'The file cannot be read')
  }
}
