/**
 * Creates folders recursively, for all code. Node's `mkdir(path, { recursive: true })` loops forever if an existing
 * folder reports ENOENT for a new one in it, as /proc and a deleted current folder do.
 */
import { mkdirSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { MediaprocError } from './errors.ts'
import { printableName } from './wording.ts'

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

const isNoFolder = (path: string, cause: unknown): MediaprocError =>
  new MediaprocError('OUTPUT_EXISTS', `${printableName(path)} is a file, not a folder`, {
    hint: 'Name another folder.',
    cause,
  })

/** An existing folder that does not allow new entries. */
export const takesNoFolder = (parent: string, cause: unknown): MediaprocError =>
  new MediaprocError('PERMISSION_DENIED', `No folder can be created in ${printableName(parent)}`, {
    hint: 'Name another folder.',
    cause,
  })

/**
 * Creates a folder at once, for processes that serve no requests: a call on another thread costs more than the creation.
 * @returns false if it could not be created, for any reason: then `makeFolder` creates it, or says why it cannot
 */
export function makeFolderAtOnce(path: string, mode = 0o777): boolean {
  try {
    mkdirSync(path, { mode })
    return true
  } catch {
    return false
  }
}

/**
 * Creates a folder and its parents, unless it exists.
 * @param mode of all created folders
 * @throws MediaprocError OUTPUT_EXISTS if a file is in the way, PERMISSION_DENIED if no folder can be created; other
 * errors   of the file system unchanged
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const folder = resolve(path)
  try {
    await mkdir(folder, { mode })
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOTDIR') throw isNoFolder(dirname(folder), error)
    if (code !== 'ENOENT') {
      // Some file systems refuse existing folders (EROFS, EACCES).
      const about = await stat(folder).catch(() => undefined)
      if (about?.isDirectory()) return
      throw about ? isNoFolder(folder, error) : error
    }
    const parent = dirname(folder)
    if (parent === folder) throw takesNoFolder(parent, error)
    await makeFolder(parent, mode)
    await mkdir(folder, { mode }).catch((again: unknown) => {
      // Another process may have created it in the meantime.
      if (codeOf(again) === 'ENOENT') throw takesNoFolder(parent, again)
      if (codeOf(again) !== 'EEXIST') throw again
    })
  }
}
