/**
 * Opens files and folders within the roots. A path may change between a check and its use, so the open file is checked,
 * not its name: on Linux a path is walked from the root folder by folder, without following links, each in the one that
 * is already open. Elsewhere the real path and the identity are compared after opening.
 */
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import { outsideRoots, partsBelow, type Root } from './roots.ts'

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_DIRECTORY = 0 } = constants

/** Whether an open folder can be part of a path. */
const WALKS = process.platform === 'linux'

/** The path of what is in an open folder, whatever its name is now. */
const inside = ({ fd }: FileHandle, name: string): string => `/proc/self/fd/${fd}/${name}`

/** An open folder within a root. */
export interface OpenFolder {
  /** Its real path, for display. */
  path: string
  /** A path for a file in it, which leads to this folder even if another takes its name. */
  at(name: string): string
  /** @throws MediaprocError OUTSIDE_ROOTS when another folder or a link has taken its place */
  check(): Promise<void>
  close(): Promise<void>
}

/** A real path, and the root that contains it. */
interface Place {
  root: Root
  path: string
  parts: readonly string[]
}

/** The real path of what exists of a path, followed by what does not exist yet. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error
    return join(await realPathOf(parent), basename(path))
  }
}

/** @throws MediaprocError OUTSIDE_ROOTS also for paths that cannot be resolved, so that nothing about others is revealed */
async function placeOf(roots: readonly Root[], path: string, given: string): Promise<Place> {
  const real = await realPathOf(path).catch(() => undefined)
  for (const root of roots) {
    const parts = real === undefined ? undefined : partsBelow(root, real)
    if (real !== undefined && parts) return { root, path: real, parts }
  }
  throw outsideRoots(given, roots)
}

const isSame = (one: { dev: bigint; ino: bigint }, other: { dev: bigint; ino: bigint }): boolean =>
  one.dev === other.dev && one.ino === other.ino

async function openRoot(root: Root): Promise<FileHandle> {
  const handle = await open(root.path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY)
  if (isSame(await handle.stat({ bigint: true }), root)) return handle
  await handle.close()
  throw new MediaprocError('OUTSIDE_ROOTS', `${printableName(root.path)} is not the folder that was named as root`, {
    hint: 'Start the server again.',
  })
}

/** A link or file where a folder was: the path was changed after it was resolved. */
const wasChanged = (error: unknown): boolean => {
  const { code } = (error ?? {}) as { code?: unknown }
  return code === 'ELOOP' || code === 'EMLINK' || code === 'ENOTDIR'
}

/** Opens the folders of a path one in another. @param creates whether missing ones are created */
async function walk({ root, parts }: Place, creates: boolean): Promise<FileHandle> {
  let handle = await openRoot(root)
  for (const part of parts) {
    const parent = handle
    try {
      const path = inside(parent, part)
      if (creates)
        await mkdir(path).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error
        })
      handle = await open(path, O_RDONLY | O_NOFOLLOW | O_DIRECTORY)
    } finally {
      await parent.close()
    }
  }
  return handle
}

/** Whether a path still leads to an open file, without links. */
async function isAt(handle: FileHandle, path: string): Promise<boolean> {
  const [real, named] = await Promise.all([realpath(path), stat(path, { bigint: true })]).catch(() => [])
  return real === path && named !== undefined && isSame(named, await handle.stat({ bigint: true }))
}

async function createBelow({ root, parts }: Place): Promise<void> {
  let path = root.path
  for (const part of parts) {
    path = join(path, part)
    await mkdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/**
 * Opens a folder for outputs, and creates it if it does not exist.
 * @param path absolute
 * @param given as the client named it, for messages
 * @throws MediaprocError OUTSIDE_ROOTS, PERMISSION_DENIED, OUTPUT_EXISTS when a file has the name
 */
export async function openFolder(roots: readonly Root[], path: string, given: string): Promise<OpenFolder> {
  const place = await placeOf(roots, path, given)
  let handle: FileHandle | undefined
  try {
    if (WALKS) handle = await walk(place, true)
    else {
      await createBelow(place)
      handle = await open(place.path, O_RDONLY | O_NOFOLLOW)
    }
  } catch (error) {
    if (error instanceof MediaprocError) throw error
    if (wasChanged(error))
      throw new MediaprocError('OUTPUT_EXISTS', `${printableName(given)} is not a folder`, { hint: 'Name a folder.' })
    const { code } = toMediaprocError(error)
    throw new MediaprocError(code, `The folder ${printableName(given)} cannot be used`, { cause: error })
  }
  const opened = handle
  const check = async (): Promise<void> => {
    if (!(await isAt(opened, place.path))) throw outsideRoots(given, roots)
  }
  return {
    path: place.path,
    at: (name) => (WALKS ? inside(opened, name) : join(place.path, name)),
    check,
    close: () => opened.close(),
  }
}

/** An open file within a root. */
export interface OpenedFile {
  handle: FileHandle
  /** Its real path. */
  path: string
}

/**
 * Opens a file for reading.
 * @param path absolute
 * @param given as the client named it, for messages
 * @throws MediaprocError OUTSIDE_ROOTS, FILE_NOT_FOUND, IS_A_FOLDER, PERMISSION_DENIED
 */
export async function openFile(roots: readonly Root[], path: string, given: string): Promise<OpenedFile> {
  const place = await placeOf(roots, path, given)
  const folder = { ...place, parts: place.parts.slice(0, -1) }
  const name = place.parts.at(-1)
  if (name === undefined) throw new MediaprocError('IS_A_FOLDER', `${printableName(given)} is a folder, not a file`)
  let handle: FileHandle | undefined
  try {
    if (WALKS) {
      const parent = await walk(folder, false)
      // Opening a pipe would otherwise wait for its writer.
      handle = await open(inside(parent, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).finally(() => parent.close())
    } else handle = await open(place.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const about = await handle.stat()
    if (about.isDirectory()) throw new MediaprocError('IS_A_FOLDER', `${printableName(given)} is a folder, not a file`)
    if (!about.isFile())
      throw new MediaprocError('INVALID_FILE', `${printableName(given)} is a device or pipe, not a file`, {
        hint: 'Name a file.',
      })
    if (!WALKS && !(await isAt(handle, place.path))) throw outsideRoots(given, roots)
    return { handle, path: place.path }
  } catch (error) {
    await handle?.close()
    if (error instanceof MediaprocError) throw error
    if (wasChanged(error)) throw outsideRoots(given, roots)
    const { code } = toMediaprocError(error)
    const what = code === 'FILE_NOT_FOUND' ? 'does not exist' : 'cannot be read'
    throw new MediaprocError(code, `${printableName(given)} ${what}`, { cause: error })
  }
}
