import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface ZipEntry {
  /** Its name in the archive; folders with '/'. */
  name: string
  /** The file to read. */
  path: string
}

/** A fixed time for every entry, so that the same files give the same archive: the earliest that the format knows. */
const ENTRY_TIME = new Date(1980, 0, 1)

/** Packed already: pressing them once more costs time and gains nothing. */
const PACKED =
  /\.(jpe?g|png|webp|avif|gif|heic|jxl|mp4|m4v|mov|webm|mkv|mp3|m4a|aac|ogg|opus|flac|zip|docx|xlsx|pptx|epub|gz|7z)$/i

/**
 * Writes files into a ZIP archive, one after the other, with nothing of file size in memory. Entries keep their order.
 * @param destination a path that does not exist yet, or a stream, which is ended
 * @param level of deflate, 0 (stored) to 9; 6 by default. Formats that are packed already are stored
 */
export async function zipFiles(
  entries: readonly ZipEntry[],
  destination: string | Writable,
  { level = 6, signal }: { level?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const { ZipFile } = await import('yazl')
  // A file that vanished must be refused before the archive is begun.
  const sizes = await Promise.all(entries.map(async ({ path }) => (await stat(path)).size))
  const archive = new ZipFile()
  for (const [index, { name, path }] of entries.entries()) {
    const compress = level > 0 && sizes[index]! > 0 && !PACKED.test(name)
    // forceDosTimestamp leaves out the field that would depend on the time zone.
    const options = {
      mtime: ENTRY_TIME,
      mode: 0o100644,
      compress,
      forceDosTimestamp: true,
      ...(compress && { compressionLevel: level }),
    }
    archive.addFile(path, name, options)
  }
  const target = typeof destination === 'string' ? createWriteStream(destination, { flags: 'wx' }) : destination
  const written = pipeline(archive.outputStream, target, { signal })
  archive.once('error', (error) => target.destroy(error as Error))
  archive.end()
  await written
}
