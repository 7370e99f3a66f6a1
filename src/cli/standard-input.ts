import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MediaprocError } from '../errors.ts'
import { type MediaFile, openMediaFile } from '../media/file.ts'

/** A list of names longer than this is a mistake. In bytes. */
const LONGEST_LIST = 64 * 1024 * 1024

/** All of a stream, for lists of names. @throws MediaprocError LIMIT_EXCEEDED beyond 64 MiB */
export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let total = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array)
    total += bytes.length
    if (total > LONGEST_LIST)
      throw new MediaprocError('LIMIT_EXCEEDED', 'The list of files is longer than 64 MiB', { hint: 'Split the list.' })
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

/** Standard input as a file `stdin.<ext>` in `folder`, named by what it is. Nothing is held in memory. */
export async function standardInputFile(stream: Readable, folder: string, signal: AbortSignal): Promise<MediaFile> {
  const path = join(folder, 'stdin')
  await pipeline(stream, createWriteStream(path), { signal })
  const file = await openMediaFile(path, 'stdin')
  const extension = file.type.extensions[0]
  if (!extension) return file
  const named = `${path}.${extension}`
  await rename(path, named)
  return { ...file, path: named, name: `stdin.${extension}` }
}
