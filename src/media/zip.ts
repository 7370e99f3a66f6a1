import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Options, ZipFile } from 'yazl'
import { zip } from '../lists.ts'

export interface ZipEntry {
  /** Name in the archive; folders with '/'. */
  name: string
  /** The file to read. */
  path: string
}

/** Missing from the type definitions: the stream is opened when it is needed. */
type LazyZipFile = ZipFile & {
  addReadStreamLazy(
    name: string,
    options: Partial<Options>,
    open: (give: (error: Error | null, stream: Readable) => void) => void,
  ): void
}

/**
 * A fixed time for every entry, so that the same files give the same archive: the earliest that the format supports.
 */
const ENTRY_TIME = new Date(1980, 0, 1)

/** The execute bits of a Unix mode. */
const EXECUTABLE = 0o111

/** Already compressed formats: compressing them again costs time and gains nothing. */
const PACKED =
  /\.(jpe?g|png|webp|avif|gif|heic|jxl|mp4|m4v|mov|webm|mkv|mp3|m4a|aac|ogg|opus|flac|zip|docx|xlsx|pptx|epub|gz|7z)$/i

interface ZipStream {
  /** The bytes of the archive; destroyed with the error if a file cannot be read. */
  stream: Readable
  /** Appends an entry of known size; its stream is opened when it is needed. Not executable by default. */
  add(name: string, bytes: number, open: () => Promise<Readable>, isExecutable?: boolean): void
  /** Ends the archive: no more files are added. */
  end(): void
}

/**
 * An archive that is read while files are still being added: one after another, in order, without whole files in
 * memory.
 * @param level deflate level, 0 (stored) to 9; 6 by default. Already compressed formats are stored
 */
export async function openZipStream({ level = 6 }: { level?: number } = {}): Promise<ZipStream> {
  const { ZipFile } = await import('yazl')
  const archive = new ZipFile() as LazyZipFile
  const stream = archive.outputStream as Readable
  // Every unreadable file destroys the stream with its own error.
  archive.on('error', (error) => stream.destroy(error as Error))
  // The library would leave its current input file open when the archive is no longer read.
  let current: Readable | undefined
  stream.once('close', () => current?.destroy())
  return {
    stream,
    add(name, bytes, open, isExecutable = false) {
      const compress = level > 0 && bytes > 0 && !PACKED.test(name)
      // forceDosTimestamp omits the field that would depend on the time zone.
      const packing = compress ? { compress, compressionLevel: level } : { compress }
      const options = {
        mtime: ENTRY_TIME,
        mode: isExecutable ? 0o100755 : 0o100644,
        forceDosTimestamp: true,
        size: bytes,
        ...packing,
      }
      archive.addReadStreamLazy(name, options, (give) => {
        if (stream.destroyed) return
        open().then(
          (opened) => {
            current = opened
            opened.once('error', (error) => stream.destroy(error))
            if (stream.destroyed) opened.destroy()
            else give(null, opened)
          },
          (error: Error) => stream.destroy(error),
        )
      })
    },
    end: () => archive.end(),
  }
}

/**
 * Writes files to a ZIP archive, one after another, without whole files in memory. Entries keep their order, and only
 * the executable bit of the file mode is stored, so that the same files give the same archive everywhere.
 * @param destination a path that must not exist yet, or a stream, which is ended
 * @param level deflate level, 0 (stored) to 9; 6 by default. Already compressed formats are stored
 */
export async function zipFiles(
  entries: readonly ZipEntry[],
  destination: string | Writable,
  { level = 6, signal }: { level?: number; signal?: AbortSignal } = {},
): Promise<void> {
  // A missing file must be rejected before the archive is started.
  const facts = await Promise.all(entries.map(({ path }) => stat(path)))
  const archive = await openZipStream({ level })
  for (const [{ name, path }, { size, mode }] of zip(entries, facts))
    archive.add(name, size, async () => createReadStream(path), (mode & EXECUTABLE) !== 0)
  const target = typeof destination === 'string' ? createWriteStream(destination, { flags: 'wx' }) : destination
  archive.end()
  await pipeline(archive.stream, target, { signal })
}
