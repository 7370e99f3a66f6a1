import { createWriteStream, existsSync, statSync } from 'node:fs'
import { mkdtemp, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { type MediaFile, openLocalFile, openMediaFile } from '../media/file.ts'
import type { InputItem } from './inputs.ts'

/** Node decodes names as UTF-8 and replaces invalid bytes, so that such a file cannot be opened by its name. */
export function notFound(given: string, path: string): MediaprocError {
  try {
    statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    const known = toMediaprocError(error)
    if (known.code === 'NAME_TOO_LONG') return known
  }
  if (!given.includes('\ufffd')) return new MediaprocError('FILE_NOT_FOUND', 'does not exist')
  return new MediaprocError('FILE_NOT_FOUND', 'does not exist, or its name is not UTF-8', {
    hint: 'Rename the file to a UTF-8 name, with convmv or mv.',
  })
}

/**
 * Writes standard input to `stdin.<ext>` in `folder`, with the extension of its type. Nothing is buffered in memory.
 */
async function standardInputFile(stream: Readable, folder: string, signal: AbortSignal): Promise<MediaFile> {
  const path = join(folder, 'stdin')
  await pipeline(stream, createWriteStream(path), { signal })
  const file = await openMediaFile(path, 'stdin')
  const extension = file.type.extensions[0]
  if (!extension) return file
  const named = `${path}.${extension}`
  await rename(path, named)
  return { ...file, path: named, name: `stdin.${extension}` }
}

/** Opens an input: checks a file, or writes standard input or the download of a URL into `scratch`. */
export async function openInput(
  item: InputItem,
  scratch: () => Promise<string>,
  signal: AbortSignal,
  mayBeEmpty = false,
): Promise<MediaFile> {
  if (item.error) throw item.error
  if (item.kind === 'file') {
    if (item.given.includes('\ufffd') && !existsSync(item.path!)) throw notFound(item.given, item.path!)
    const file = await openLocalFile(item.path!, basename(item.path!), mayBeEmpty)
    return { ...file, folder: dirname(file.path) }
  }
  if (item.kind === 'stdin') return standardInputFile(item.stream!(), await scratch(), signal)
  const { download } = await import('../engines/http/http.ts')
  // Two URLs may end in the same name.
  const folder = await mkdtemp(join(await scratch(), 'address-'))
  const { path, name } = await download(item.given, folder, { signal })
  return openMediaFile(path, name, mayBeEmpty)
}
