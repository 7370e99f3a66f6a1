import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Entry, ZipFile } from 'yauzl'
import { MediaprocError } from '../errors.ts'
import { type MediaFile, printableName } from './file.ts'
import { checkEntryName, isLink, memberGuard, shortName, unsafeName, type ZipMember } from './zip-member.ts'

export type { ZipMember } from './zip-member.ts'

/** Guards against archives that unpack to more than anybody wants (catalogue: extract-zip). */
const MAX_ENTRIES = 1000
const MAX_ENTRY_BYTES = 200 * 1024 * 1024
const MAX_TOTAL_BYTES = 500 * 1024 * 1024
const MAX_RATIO = 100

/** Compression methods that are read (APPNOTE 4.4.5). */
const STORED = 0
const DEFLATED = 8

/** The directory of an archive; it must be closed. @throws INVALID_FILE */
export async function openZip(file: MediaFile): Promise<ZipFile> {
  const { default: yauzl } = await import('yauzl')
  return new Promise((resolve, reject) => {
    // Names are checked here, with a sentence of our own.
    yauzl.open(
      file.path,
      { lazyEntries: true, autoClose: false, strictFileNames: false, validateEntrySizes: true, decodeStrings: true },
      (error, archive) => (error ? reject(damaged(file, error)) : resolve(archive)),
    )
  })
}

/** What the library says of an archive, as a sentence. */
export function damaged(file: MediaFile, error: unknown): MediaprocError {
  if (error instanceof MediaprocError) return error
  const said = error instanceof Error ? error.message : String(error)
  // The library looks at some of the names before we can.
  const name = /^(?:absolute path|invalid relative path|invalid characters in fileName): (.*)$/s.exec(said)?.[1]
  if (name !== undefined) return unsafeName(file, name)
  return new MediaprocError('INVALID_FILE', `${printableName(file.name)} is damaged: it is not a whole ZIP archive`, {
    cause: error,
    detail: said,
  })
}

/** Every entry in the order of the directory; `visit` may be asynchronous. */
export function forEachEntry(
  archive: ZipFile,
  visit: (entry: Entry, index: number) => void | Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let index = 0
    archive.on('error', reject)
    archive.on('end', resolve)
    archive.on('entry', (entry: Entry) => {
      // What `visit` throws must not leave this listener: nobody could catch it.
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

const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`

function checkLimits(file: MediaFile, members: readonly ZipMember[]): void {
  const shown = printableName(file.name)
  const total = members.reduce((sum, { size }) => sum + size, 0)
  const large = members.find(({ size }) => size > MAX_ENTRY_BYTES)
  const refuse = (what: string): never => {
    throw new MediaprocError('LIMIT_EXCEEDED', `${shown} ${what}`, {
      hint: 'Unpack it with another program if you trust it.',
    })
  }
  if (members.length > MAX_ENTRIES) refuse(`holds ${members.length} files; the limit is ${MAX_ENTRIES}`)
  if (large)
    refuse(
      `holds ${printableName(large.baseName)} of ${megabytes(large.size)}; the limit is ${megabytes(MAX_ENTRY_BYTES)}`,
    )
  if (total > MAX_TOTAL_BYTES) refuse(`unpacks to ${megabytes(total)}; the limit is ${megabytes(MAX_TOTAL_BYTES)}`)
  if (total / file.bytes > MAX_RATIO)
    refuse(`unpacks to ${Math.round(total / file.bytes)} times its size; the limit is ${MAX_RATIO} times`)
}

/**
 * The files of an archive, without folders and links, checked before anything is unpacked: names that point outside, the
 * number of files, their sizes and the ratio.
 * @throws INVALID_FILE, LIMIT_EXCEEDED, PROCESSING_FAILED for encrypted entries and unknown methods
 */
export async function listEntries(file: MediaFile): Promise<ZipMember[]> {
  const archive = await openZip(file)
  const members: ZipMember[] = []
  try {
    await forEachEntry(archive, (entry, index) => {
      checkEntryName(file, entry.fileName)
      if (/[/\\]$/.test(entry.fileName) || isLink(entry)) return
      const name = printableName(entry.fileName)
      if (entry.isEncrypted())
        throw new MediaprocError('PROCESSING_FAILED', `${name} in ${printableName(file.name)} is encrypted`, {
          hint: 'Unpack it with the password first.',
        })
      if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
        throw new MediaprocError(
          'PROCESSING_FAILED',
          `${name} in ${printableName(file.name)} is packed by method ${entry.compressionMethod}, which is not read`,
          { hint: 'Only stored and deflated entries are read.' },
        )
      members.push({
        baseName: shortName(entry.fileName.split(/[/\\]/).at(-1)!),
        size: entry.uncompressedSize,
        checksum: entry.crc32,
        index,
      })
      // The directory itself can be the bomb.
      if (members.length > MAX_ENTRIES * 10) checkLimits(file, members)
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
  return members
}

/**
 * Refuses a file that is a ZIP inside (XLSX, ODS) and declares to unpack to more than libraries that hold it whole in
 * memory can bear.
 * @param streamed what is read piece by piece, and may be larger
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
  if (total > MAX_TOTAL_BYTES)
    throw new MediaprocError(
      'LIMIT_EXCEEDED',
      `${printableName(file.name)} unpacks to ${megabytes(total)}; the limit is ${megabytes(MAX_TOTAL_BYTES)}`,
      { hint: 'Split it first.' },
    )
}

/** Unpacks the listed entries to the paths at the same positions, one after the other, streaming. */
export async function extractEntries(
  file: MediaFile,
  members: readonly ZipMember[],
  paths: readonly string[],
  options: { signal?: AbortSignal; onProgress?: (fraction: number) => void } = {},
): Promise<void> {
  const wanted = new Map(members.map((member, position) => [member.index, { member, path: paths[position]! }]))
  const archive = await openZip(file)
  let done = 0
  try {
    await forEachEntry(archive, async (entry, index) => {
      const target = wanted.get(index)
      if (!target) return
      const source = await new Promise<NodeJS.ReadableStream>((resolve, reject) =>
        archive.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream))),
      )
      await pipeline(source, memberGuard(file, target.member), createWriteStream(target.path), {
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
