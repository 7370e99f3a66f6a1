import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { toMediaprocError } from '../errors.ts'
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

/** How many bytes from the start of a file are looked at. */
export const SNIFF_BYTES = 64 * 1024

/** One function per family of containers; the first answer counts. `claimed` is the type that the name claims. */
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
 * What content is, from its first bytes (64 KiB are plenty; the whole content is welcome). The content decides; the
 * name only settles what bytes cannot: kinds of plain text, the three names of transport streams, TGA, general MP4
 * brands. `empty` for no bytes, `unknown` for bytes that match nothing. HEVC-coded HEIF is `heic` whatever its name.
 * Imports nothing heavy and never throws.
 */
export function sniffBytes(head: Uint8Array, fileName?: string): FileType {
  if (head.length === 0) return EMPTY_TYPE
  const claimed = fileName === undefined ? undefined : typeOfName(fileName)?.id
  const id = sniffBinary(head, claimed)
  if (id) return typeById(id) ?? UNKNOWN_TYPE
  const text = decodeText(head.subarray(0, SNIFF_BYTES))
  if (text !== undefined) return typeById(sniffText(text, claimed)) ?? UNKNOWN_TYPE
  const isTga = plausibleTga(head) && (claimed === 'tga' || hasMark(head, TGA_FOOTER, head.length - TGA_FOOTER.length))
  return (isTga ? typeById('tga') : undefined) ?? UNKNOWN_TYPE
}

type ReadAt = (offset: number, length: number) => Promise<Uint8Array>

/** The central directory of an archive names all entries, also those behind a large first one. At most 1 MiB is read. */
async function sniffZipEnd(readAt: ReadAt, size: number): Promise<string | undefined> {
  const tailStart = Math.max(0, size - SNIFF_BYTES - 22)
  const tail = Buffer.from(await readAt(tailStart, size - tailStart))
  const end = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (end < 0 || end + 22 > tail.length) return undefined
  const length = Math.min(tail.readUInt32LE(end + 12), 1024 * 1024)
  const offset = tail.readUInt32LE(end + 16)
  return offset >= size ? undefined : sniffZipDirectory(await readAt(offset, Math.min(length, size - offset)))
}

/** What else of the file must be seen when its first bytes leave the type open. */
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

/** The type of a file by its first bytes, at least `SNIFF_BYTES` or all; undefined where more of it must be seen. */
export function sniffHead(head: Uint8Array, size: number, fileName: string): FileType | undefined {
  const type = sniffBytes(head, fileName)
  // Entries in sight may be those of a document inside the archive: its directory decides.
  const isArchive = /^(zip|docx|xlsx|pptx)$/.test(type.id)
  const isOpen = isArchive || type.group === 'unknown' || compoundDirectoryOffset(head) !== undefined
  return isOpen && size > head.length ? undefined : type
}

/** `sniffFile` of a file that is open, of so many bytes. */
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
 * What a file is: `sniffBytes` on its first 64 KiB and, where these leave it open, the directory of a ZIP or old Office
 * file or the footer of a TGA file.
 * @param fileName the name that the person gave, when `path` is a temporary one
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
