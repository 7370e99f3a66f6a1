import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Options, ZipFile } from 'yazl'

export interface ZipEntry {
  /** Its name in the archive; folders with '/'. */
  name: string
  /** The file to read. */
  path: string
}

/** What the typings do not know yet: the stream is asked for when its turn comes. */
type LazyZipFile = ZipFile & {
  addReadStreamLazy(
    name: string,
    options: Partial<Options>,
    open: (give: (error: Error | null, stream: Readable) => void) => void,
  ): void
}

/** A fixed time for every entry, so that the same files give the same archive: the earliest that the format knows. */
const ENTRY_TIME = new Date(1980, 0, 1)

/** Whether a Unix mode lets somebody run the file. */
const EXECUTABLE = 0o111

/** Packed already: pressing them once more costs time and gains nothing. */
const PACKED =
  /\.(jpe?g|png|webp|avif|gif|heic|jxl|mp4|m4v|mov|webm|mkv|mp3|m4a|aac|ogg|opus|flac|zip|docx|xlsx|pptx|epub|gz|7z)$/i

interface ZipStream {
  /** The archive's bytes; destroyed with the error when a file cannot be read. */
  stream: Readable
  /** Puts bytes of known number behind the others; they are asked for when their turn comes. Not executable by default. */
  add(name: string, bytes: number, open: () => Promise<Readable>, isExecutable?: boolean): void
  /** No more files come. */
  end(): void
}

/**
 * An archive that is read while files are still being added: one after the other, in order, nothing of file size in memory.
 * @param level of deflate, 0 (stored) to 9; 6 by default. Formats that are packed already are stored
 */
export async function openZipStream({ level = 6 }: { level?: number } = {}): Promise<ZipStream> {
  const { ZipFile } = await import('yazl')
  const archive = new ZipFile() as LazyZipFile
  const stream = archive.outputStream as Readable
  // Every file that cannot be read is an error of its own.
  archive.on('error', (error) => stream.destroy(error as Error))
  // The library would leave the file open that it reads when nobody wants the archive any more.
  let current: Readable | undefined
  stream.once('close', () => current?.destroy())
  return {
    stream,
    add(name, bytes, open, isExecutable = false) {
      const compress = level > 0 && bytes > 0 && !PACKED.test(name)
      // forceDosTimestamp leaves out the field that would depend on the time zone.
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
 * Writes files into a ZIP archive, one after the other, with nothing of file size in memory. Entries keep their order, and of
 * the mode of their files only whether they are executable, so that the same files give the same archive everywhere.
 * @param destination a path that does not exist yet, or a stream, which is ended
 * @param level of deflate, 0 (stored) to 9; 6 by default. Formats that are packed already are stored
 */
export async function zipFiles(
  entries: readonly ZipEntry[],
  destination: string | Writable,
  { level = 6, signal }: { level?: number; signal?: AbortSignal } = {},
): Promise<void> {
  // A file that vanished must be refused before the archive is begun.
  const facts = await Promise.all(entries.map(({ path }) => stat(path)))
  const archive = await openZipStream({ level })
  for (const [index, { name, path }] of entries.entries()) {
    const { size, mode } = facts[index]!
    archive.add(name, size, async () => createReadStream(path), (mode & EXECUTABLE) !== 0)
  }
  const target = typeof destination === 'string' ? createWriteStream(destination, { flags: 'wx' }) : destination
  archive.end()
  await pipeline(archive.stream, target, { signal })
}
