import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Entry, ZipFile } from 'yauzl'
import { environmentNumber } from '../environment.ts'
import { MediaprocError } from '../errors.ts'
import { limitExceeded } from '../limit-exceeded.ts'
import { lastOf, zip } from '../lists.ts'
import { type MediaFile, printableName } from './file.ts'
import {
  checkEntryName,
  isExecutable,
  isLink,
  memberGuard,
  shortName,
  unsafeName,
  type ZipMember,
} from './zip-member.ts'

export type { ZipMember } from './zip-member.ts'

/** Supported compression methods (APPNOTE 4.4.5). */
const STORED = 0
const DEFLATED = 8

/** Opens the directory of an archive; the caller must close it. @throws INVALID_FILE */
export async function openZip(file: MediaFile): Promise<ZipFile> {
  const { default: yauzl } = await import('yauzl')
  return new Promise((resolve, reject) => {
    // Names are validated here, with a more specific message.
    yauzl.open(
      file.path,
      { lazyEntries: true, autoClose: false, strictFileNames: false, validateEntrySizes: true, decodeStrings: true },
      (error, archive) => (error ? reject(damaged(file, error)) : resolve(archive)),
    )
  })
}

/** Converts the library's error for an archive to a sentence. */
export function damaged(file: MediaFile, error: unknown): MediaprocError {
  if (error instanceof MediaprocError) return error
  const said = error instanceof Error ? error.message : String(error)
  // The library checks some of the names first.
  const name = /^(?:absolute path|invalid relative path|invalid characters in fileName): (.*)$/s.exec(said)?.[1]
  if (name !== undefined) return unsafeName(file, name)
  return new MediaprocError('INVALID_FILE', `${printableName(file.name)} is damaged: it is not a whole ZIP archive`, {
    cause: error,
    detail: said,
  })
}

/** Visits every entry in directory order; `visit` may be asynchronous. */
export function forEachEntry(
  archive: ZipFile,
  visit: (entry: Entry, index: number) => void | Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let index = 0
    archive.on('error', reject)
    archive.on('end', resolve)
    archive.on('entry', (entry: Entry) => {
      // Errors of `visit` must not escape from this listener, because they could not be caught.
      Promise.resolve()
        .then(() => visit(entry, index))
        .then(() => {
          index += 1
          archive.readEntry()
        })
        .catch(reject)
    })
    archive.readEntry()
  })
}

const MEBIBYTE = 1024 * 1024
const megabytes = (bytes: number): string => `${Math.round(bytes / MEBIBYTE)} MiB`

type ZipLimit = 'MAX_ARCHIVE_FILES' | 'MAX_UNPACKED_FILE_MB' | 'MAX_UNPACKED_SIZE_MB' | 'MAX_UNPACKED_RATIO'

/** A limit for archives (catalogue: extract-zip); Infinity if the operator sets 0. */
const zipLimit = (name: ZipLimit): number => environmentNumber(name) || Number.POSITIVE_INFINITY

/** The limits for what is taken out of one file; sizes in bytes, without limit Infinity. */
export const unpackLimits = (): { files: number; fileBytes: number; bytes: number } => ({
  files: zipLimit('MAX_ARCHIVE_FILES'),
  fileBytes: zipLimit('MAX_UNPACKED_FILE_MB') * MEBIBYTE,
  bytes: zipLimit('MAX_UNPACKED_SIZE_MB') * MEBIBYTE,
})

function refuse(file: MediaFile, what: string, variable: ZipLimit): never {
  throw limitExceeded(`${printableName(file.name)} ${what}`, {
    variable,
    hint: 'Or unpack it with another program, if you trust it.',
  })
}

function checkTotal(file: MediaFile, total: number): void {
  const { bytes: most } = unpackLimits()
  if (total > most)
    refuse(file, `unpacks to ${megabytes(total)}; the limit is ${megabytes(most)}`, 'MAX_UNPACKED_SIZE_MB')
}

function checkLimits(file: MediaFile, members: readonly ZipMember[]): void {
  const total = members.reduce((sum, { size }) => sum + size, 0)
  const { files: mostFiles, fileBytes: mostBytes } = unpackLimits()
  const large = members.find(({ size }) => size > mostBytes)
  if (members.length > mostFiles)
    refuse(file, `holds ${members.length} files; the limit is ${mostFiles}`, 'MAX_ARCHIVE_FILES')
  if (large)
    refuse(
      file,
      `holds ${printableName(large.baseName)} of ${megabytes(large.size)}; the limit is ${megabytes(mostBytes)}`,
      'MAX_UNPACKED_FILE_MB',
    )
  checkTotal(file, total)
  const mostRatio = zipLimit('MAX_UNPACKED_RATIO')
  if (total / file.bytes > mostRatio)
    refuse(
      file,
      `unpacks to ${Math.round(total / file.bytes)} times its size; the limit is ${mostRatio} times`,
      'MAX_UNPACKED_RATIO',
    )
}

/** Maximum number of links listed in a warning. */
const NAMED_LINKS = 5

/** The content of an archive. */
export interface ZipListing {
  /** Its files. */
  members: ZipMember[]
  /**
   * Its symbolic links, with the names of the first ones. They are not extracted, because a link could point outside
   * the folder, now or later.
   */
  links: { count: number; names: string[] }
}

/**
 * Lists the files of an archive, without folders and links, and validates them before anything is extracted: names that
 * point outside, the number of files, their sizes and the compression ratio.
 * @throws INVALID_FILE, LIMIT_EXCEEDED, PROCESSING_FAILED for encrypted entries and unknown methods
 */
export async function listEntries(file: MediaFile): Promise<ZipListing> {
  const archive = await openZip(file)
  const members: ZipMember[] = []
  const links: ZipListing['links'] = { count: 0, names: [] }
  try {
    await forEachEntry(archive, (entry, index) => {
      checkEntryName(file, entry.fileName)
      if (/[/\\]$/.test(entry.fileName)) return
      if (isLink(entry)) {
        links.count += 1
        if (links.names.length < NAMED_LINKS) links.names.push(entry.fileName)
        return
      }
      const name = printableName(entry.fileName)
      if (entry.isEncrypted())
        throw new MediaprocError('PROCESSING_FAILED', `${name} in ${printableName(file.name)} is encrypted`, {
          hint: 'Unpack it with the password first.',
        })
      if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
        throw new MediaprocError(
          'PROCESSING_FAILED',
          `${name} in ${printableName(file.name)} is packed by method ${entry.compressionMethod}, which is not read`,
          { hint: 'Only stored and deflated entries are supported.' },
        )
      members.push({
        baseName: shortName(lastOf(entry.fileName.split(/[/\\]/))),
        size: entry.uncompressedSize,
        checksum: entry.crc32,
        index,
        isExecutable: isExecutable(entry),
      })
      // The directory itself may be a zip bomb.
      if (members.length > zipLimit('MAX_ARCHIVE_FILES') * 10) checkLimits(file, members)
    })
  } catch (error) {
    throw damaged(file, error)
  } finally {
    archive.close()
  }
  if (members.length === 0)
    throw new MediaprocError('PROCESSING_FAILED', `${printableName(file.name)} holds no files`, {
      hint: 'It holds only folders or links, or nothing.',
    })
  checkLimits(file, members)
  return { members, links }
}

/**
 * Rejects a ZIP-based file (XLSX, ODS) whose declared uncompressed size is too large for libraries that hold it
 * completely in memory.
 * @param streamed matches entries that are read in chunks and may be larger
 * @throws INVALID_FILE, LIMIT_EXCEEDED
 */
export async function checkUnpackedSize(file: MediaFile, streamed?: RegExp): Promise<void> {
  const archive = await openZip(file)
  let total = 0
  try {
    await forEachEntry(archive, (entry) => {
      if (!streamed?.test(entry.fileName)) total += entry.uncompressedSize
    })
  } catch (error) {
    throw damaged(file, error)
  } finally {
    archive.close()
  }
  checkTotal(file, total)
}

/** Extracts the listed entries to the paths at the same indexes, one after another, as streams. */
export async function extractEntries(
  file: MediaFile,
  members: readonly ZipMember[],
  paths: readonly string[],
  options: { signal?: AbortSignal; onProgress?: (fraction: number) => void } = {},
): Promise<void> {
  const wanted = new Map(zip(members, paths).map(([member, path]) => [member.index, { member, path }]))
  const archive = await openZip(file)
  let done = 0
  try {
    await forEachEntry(archive, async (entry, index) => {
      const target = wanted.get(index)
      if (!target) return
      const source = await new Promise<NodeJS.ReadableStream>((resolve, reject) =>
        archive.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream))),
      )
      // The process umask removes permissions that new programs must not have here.
      const mode = target.member.isExecutable ? 0o777 : 0o666
      await pipeline(source, memberGuard(file, target.member), createWriteStream(target.path, { mode }), {
        signal: options.signal,
      })
      done += 1
      options.onProgress?.(done / members.length)
    })
  } catch (error) {
    options.signal?.throwIfAborted()
    throw damaged(file, error)
  } finally {
    archive.close()
  }
}
