import { type Stats, statSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { globFiles, hasGlobMagic, inNaturalOrder, startOfGlob } from '../../engines/glob-files.ts'
import { MediaprocError } from '../../errors.ts'
import { extensionOf, printableName } from '../../media/file.ts'
import { physicalFolder } from '../records/record-store.ts'

/** A file in a watched folder. */
export interface WatchedFile {
  /** As a listing of the folder names it. */
  path: string
  /** Its folder inside the watched one; '' for files in patterns. */
  subfolder: string
  root: WatchRoot
}

/** A watched operand of the command line. */
export interface WatchRoot {
  given: string
  kind: 'folder' | 'pattern' | 'file'
  /** The folder to watch, as in the operand. */
  folder: string
  /** The same, absolute and without links. */
  real: string
  /** Folders inside it that are left out, relative to it. */
  excluded: readonly string[]
}

/** Endings of files that other programs are still writing or that are only locks. */
const PARTIAL = new Set(['part', 'partial', 'crdownload', 'download', 'filepart', 'tmp', 'temp', 'swp', 'lock'])

/** Hidden files, backups and partial downloads: their programs rename them when they are complete. */
const isPassing = (name: string): boolean =>
  name.startsWith('.') || name.startsWith('~$') || name.endsWith('~') || PARTIAL.has(extensionOf(name))

/** Whether a path is below a folder; both absolute. */
export const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function partsOf(given: string): Pick<WatchRoot, 'kind' | 'folder'> {
  const about = look(given)
  if (about?.isDirectory()) return { kind: 'folder', folder: given }
  if (about) return { kind: 'file', folder: dirname(given) }
  if (hasGlobMagic(given)) {
    const folder = startOfGlob(given)
    if (look(folder)?.isDirectory()) return { kind: 'pattern', folder }
  }
  throw new MediaprocError('FILE_NOT_FOUND', `${printableName(given)} does not exist`, {
    hint: 'Create the folder to watch first.',
  })
}

/**
 * The folders, files and patterns to watch.
 * @param excluded folders whose files are never inputs, such as the output folder; only those inside a root matter
 * @throws MediaprocError FILE_NOT_FOUND, USAGE for a URL or standard input
 */
export async function watchRoots(
  operands: readonly string[],
  excluded: readonly string[],
): Promise<readonly [WatchRoot, ...WatchRoot[]]> {
  const left = excluded.map(physicalFolder)
  const roots: WatchRoot[] = []
  for (const given of new Set(operands)) {
    if (given === '' || given === '-' || /^https?:\/\//i.test(given))
      throw new MediaprocError('USAGE', `Expected a folder to watch, got ${printableName(given) || 'an empty text'}`)
    const { kind, folder } = partsOf(given)
    const real = physicalFolder(folder)
    const inside = left.filter((path) => isBelow(path, real)).map((path) => relative(real, path))
    roots.push({ given, kind, folder, real, excluded: inside })
  }
  const [first, ...others] = roots
  if (!first) throw new MediaprocError('NO_FILE', 'Expected a folder to watch, got nothing')
  return [first, ...others]
}

/** Whether a path inside the root is hidden, partial or in a folder that is left out. */
export function isExcluded({ folder, excluded }: WatchRoot, path: string): boolean {
  const inside = relative(resolve(folder), resolve(path))
  if (inside === '') return false
  if (isPassing(basename(path)) || inside.split(sep).some((part) => part.startsWith('.'))) return true
  return excluded.some((left) => inside === left || isBelow(inside, left))
}

/** Called with a folder that exists and cannot be listed. */
export type OnUnreadable = (folder: string) => void

async function* filesBelow(
  root: WatchRoot,
  subfolder: string,
  onUnreadable: OnUnreadable,
): AsyncGenerator<WatchedFile> {
  const folder = join(root.folder, subfolder)
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    // A folder that was deleted meanwhile, or is a file by now, is listed again after its next change.
    if (!['ENOENT', 'ENOTDIR'].includes(error.code ?? '')) onUnreadable(folder)
    return []
  })
  for (const entry of entries.sort((a, b) => inNaturalOrder(a.name, b.name))) {
    const path = join(folder, entry.name)
    if (isExcluded(root, path)) continue
    if (entry.isDirectory()) yield* filesBelow(root, join(subfolder, entry.name), onUnreadable)
    else if (entry.isFile() || entry.isSymbolicLink()) yield { path, subfolder, root }
  }
}

/** All files of a root, in natural order; links to folders are not followed. */
export async function* filesOf(root: WatchRoot, onUnreadable: OnUnreadable): AsyncGenerator<WatchedFile> {
  if (root.kind === 'file') yield { path: root.given, subfolder: '', root }
  else if (root.kind === 'folder') yield* filesBelow(root, '', onUnreadable)
  else for (const path of await globFiles(root.given)) if (!isExcluded(root, path)) yield { path, subfolder: '', root }
}

/** The files of a root at or below a path that changed. */
export async function* filesAt(
  root: WatchRoot,
  changed: string,
  onUnreadable: OnUnreadable,
): AsyncGenerator<WatchedFile> {
  if (root.kind !== 'folder') {
    yield* filesOf(root, onUnreadable)
    return
  }
  const inside = relative(resolve(root.folder), changed)
  if (inside === '') {
    yield* filesOf(root, onUnreadable)
    return
  }
  const path = join(root.folder, inside)
  if (inside.startsWith('..') || isExcluded(root, path)) return
  const about = await lstat(path).catch(() => undefined)
  if (about?.isDirectory()) yield* filesBelow(root, inside, onUnreadable)
  else if (about) {
    const subfolder = dirname(inside)
    yield { path, subfolder: subfolder === '.' ? '' : subfolder, root }
  }
}
