import { createWriteStream } from 'node:fs'
import { mkdtemp, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type MediaFile, openMediaFile } from '../media/file.ts'
import type { InputItem } from './inputs.ts'

/** Standard input as a file `stdin.<ext>` in `folder`, named by what it is. Nothing is held in memory. */
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

/** Opens an input: looks at a file, reads standard input into `scratch`, or fetches an address into it. */
export async function openInput(
  item: InputItem,
  scratch: () => Promise<string>,
  signal: AbortSignal,
  mayBeEmpty = false,
): Promise<MediaFile> {
  if (item.error) throw item.error
  if (item.kind === 'file') return openMediaFile(item.path!, basename(item.path!), mayBeEmpty)
  if (item.kind === 'stdin') return standardInputFile(item.stream!(), await scratch(), signal)
  const { download } = await import('../engines/http/http.ts')
  // Two addresses may end in the same name.
  const folder = await mkdtemp(join(await scratch(), 'address-'))
  const { path, name } = await download(item.given, folder, { signal })
  return openMediaFile(path, name, mayBeEmpty)
}
