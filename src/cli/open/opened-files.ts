import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { openMediaFile, printableName } from '../../media/file.ts'
import type { OpenedFile } from '../../server/personal.ts'

const REASONS: Readonly<Record<string, string>> = { EACCES: 'permission denied', ELOOP: 'its links form a circle' }

async function opened(given: string): Promise<OpenedFile> {
  const shown = printableName(given)
  const about = await stat(given).catch((error: NodeJS.ErrnoException) => {
    const reason = REASONS[error.code ?? '']
    if (reason) throw new MediaprocError('PERMISSION_DENIED', `${shown} cannot be read: ${reason}`)
    throw new MediaprocError('FILE_NOT_FOUND', `${shown} does not exist`)
  })
  if (!about.isFile())
    throw new MediaprocError('USAGE', `${shown} is ${about.isDirectory() ? 'a folder' : 'no file'}`, {
      hint: 'Name files; folders can be dropped on the page.',
    })
  const { type } = await openMediaFile(given, basename(given), true)
  return {
    path: resolve(given),
    name: basename(given),
    bytes: about.size,
    mime: type.mime || 'application/octet-stream',
  }
}

/**
 * The files that the pages may read.
 * @throws FILE_NOT_FOUND, PERMISSION_DENIED, USAGE for a folder
 */
export async function openedFiles(paths: readonly string[]): Promise<OpenedFile[]> {
  const files: OpenedFile[] = []
  for (const path of paths) files.push(await opened(path))
  return files
}
