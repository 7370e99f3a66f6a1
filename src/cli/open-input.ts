import { mkdtemp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { type MediaFile, openMediaFile } from '../media/file.ts'
import type { InputItem } from './inputs.ts'
import { standardInputFile } from './standard-input.ts'

/** Opens an input: looks at a file, reads standard input into `scratch`, or fetches an address into it. */
export async function openInput(
  item: InputItem,
  stdin: () => Readable,
  scratch: () => Promise<string>,
  signal: AbortSignal,
): Promise<MediaFile> {
  if (item.error) throw item.error
  if (item.kind === 'file') return openMediaFile(item.path!, basename(item.path!))
  if (item.kind === 'stdin') return standardInputFile(stdin(), await scratch(), signal)
  const { download } = await import('../engines/http/http.ts')
  // Two addresses may end in the same name.
  const folder = await mkdtemp(join(await scratch(), 'address-'))
  const { path, name } = await download(item.given, folder, { signal })
  return openMediaFile(path, name)
}
