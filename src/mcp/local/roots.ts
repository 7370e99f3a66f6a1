import { realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'

/** A folder in which files may be read and written. */
export interface Root {
  /** Its real path when it was named, in the spelling of the file system. */
  path: string
  /** Identifies the folder, so that another folder that takes its place later is refused. */
  dev: bigint
  ino: bigint
}

/** Most roots of a client. */
const MAX_ROOTS = 50

/**
 * A root from the path of a folder.
 * @throws MediaprocError FILE_NOT_FOUND when it is no folder
 */
export async function rootAt(folder: string): Promise<Root> {
  const path = await realpath(folder).catch(() => undefined)
  const about = path === undefined ? undefined : await stat(path, { bigint: true }).catch(() => undefined)
  if (path === undefined || !about?.isDirectory())
    throw new MediaprocError('FILE_NOT_FOUND', `The root ${printableName(folder)} is not a folder`, {
      hint: { shell: 'Name an existing folder with --root.' },
    })
  return { path, dev: about.dev, ino: about.ino }
}

/** The roots that a client lists: folders of this machine; others are ignored. Untrusted. */
export async function clientRoots(listed: readonly { uri?: unknown }[]): Promise<Root[]> {
  const roots: Root[] = []
  for (const { uri } of listed.slice(0, MAX_ROOTS)) {
    if (typeof uri !== 'string' || !uri.startsWith('file://')) continue
    try {
      roots.push(await rootAt(fileURLToPath(uri)))
    } catch {
      // A folder that does not exist any more gives no access.
    }
  }
  return roots
}

/** The parts of a path below a root; undefined if it is not below it. Both are real paths. */
export function partsBelow({ path: root }: Root, path: string): string[] | undefined {
  const below = relative(root, path)
  if (isAbsolute(below) || below === '..' || below.startsWith(`..${sep}`)) return undefined
  return below === '' ? [] : below.split(sep)
}

/** The path that a client names: absolute, from the home folder (`~/`), as file: address, or relative to the first root. */
export function namedPath(roots: readonly Root[], given: string): string {
  const [first] = roots
  if (given.startsWith('file://')) {
    try {
      return fileURLToPath(given)
    } catch {
      throw new MediaprocError('VALIDATION_ERROR', `${printableName(given)} is not the address of a local file`, {
        hint: 'Use a path.',
      })
    }
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(given))
    throw new MediaprocError('URL_REFUSED', `${printableName(given)} is an address, and files are named by paths`, {
      hint: 'Download it into one of the folders first.',
    })
  if (given.startsWith('~/')) return join(homedir(), given.slice(2))
  return resolve(first?.path ?? '.', given)
}

/** @returns the error of a path that no root contains; it names the roots, and not whether the path exists */
export const outsideRoots = (given: string, roots: readonly Root[]): MediaprocError =>
  new MediaprocError(
    'OUTSIDE_ROOTS',
    `${printableName(given)} is outside of the folders that may be used: ${roots.map(({ path }) => path).join(', ')}`,
  )
