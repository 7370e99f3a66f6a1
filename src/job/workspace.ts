import { linkSync, renameSync, rmSync, unlinkSync } from 'node:fs'
import { chmod, copyFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import {
  makeFolderBeside,
  makeOwnedFolder,
  prepareOwnedFolder,
  removeLeftFolders,
} from '../engines/process/owned-folder.ts'
import { MediaprocError, toMediaprocError } from '../errors.ts'
import { lookAtName } from '../look.ts'
import { makeFolder, makeFolderAtOnce } from '../make-folder.ts'
import { printableName } from '../media/file.ts'
import { StagingFolders } from './staging-folders.ts'

/** Folders that must be removed when the process ends, whatever the reason. */
const open = new Set<string>()

/** Removes every open folder, before the process is ended by a signal. Synchronous on purpose. */
export function removeOpenWorkspaces(): void {
  for (const folder of open) rmSync(folder, { recursive: true, force: true })
  open.clear()
}

process.once('exit', removeOpenWorkspaces)

function noted(folder: string): string {
  open.add(folder)
  return folder
}

/** The staging folders of a run, which its jobs share. */
export const stagingFolders = (): StagingFolders => new StagingFolders((folder) => open.delete(folder))

/**
 * The private folders of a job: scratch space in the system's temporary folder, and a staging folder next to the
 * destination, on the same file system, so that outputs become visible by rename.
 */
export class Workspace {
  readonly #destination: string
  readonly #isOwn: boolean
  readonly #shared: StagingFolders | undefined
  #scratch: string | undefined
  #staging: string | undefined
  #closed = false

  /**
   * @param destination the destination folder of the outputs; created when the first output is written
   * @param isOwn the destination belongs only to this job and is removed by the caller: it is used as the staging
   * folder
   * @param shared of the run, to which the staging folder returns when the job is done
   */
  constructor(destination: string, { isOwn = false, shared }: { isOwn?: boolean; shared?: StagingFolders } = {}) {
    // Programs that run in another folder receive these paths, too.
    this.#destination = resolve(destination)
    this.#isOwn = isOwn
    this.#shared = shared
  }

  async scratch(): Promise<string> {
    this.#refuseWhenClosed()
    if (!this.#scratch) {
      await removeLeftFolders(tmpdir(), 'mediaproc-')
      this.#refuseWhenClosed()
      // Created and registered without interruption: a signal in between would leave the folder behind.
      this.#scratch ??= noted(makeScratch())
    }
    return this.#scratch
  }

  /** The path in the staging folder for an output of this name, which may contain folders. */
  async output(name: string): Promise<string> {
    this.#refuseWhenClosed()
    this.#staging ??= this.#isOwn ? await this.#makeOwn() : await this.#makeStaging()
    const path = join(this.#staging, name)
    if (dirname(path) !== this.#staging) await makeFolder(dirname(path))
    return path
  }

  async #makeOwn(): Promise<string> {
    if (!makeFolderAtOnce(this.#destination)) await makeFolder(this.#destination)
    return this.#destination
  }

  async #makeStaging(): Promise<string> {
    const idle = this.#shared?.take(this.#destination)
    if (idle !== undefined) return idle
    await makeFolder(this.#destination)
    await prepareOwnedFolder(this.#destination, '.mediaproc-')
    this.#refuseWhenClosed()
    // Another output may have created it in the meantime.
    return this.#staging ?? noted(makeFolderBeside(this.#destination, '.mediaproc-'))
  }

  /** Work that could not be stopped must not recreate the folders. */
  #refuseWhenClosed(): void {
    if (this.#closed) throw new MediaprocError('CANCELED')
  }

  /** @param isDone nothing writes into the folders any more, so that another job can use the staging folder */
  async remove({ isDone = false } = {}): Promise<void> {
    this.#closed = true
    const staging = this.#isOwn ? undefined : this.#staging
    if (isDone && staging && (await this.#shared?.giveBack(this.#destination, staging))) this.#staging = undefined
    for (const folder of [this.#scratch, this.#isOwn ? undefined : this.#staging]) {
      if (!folder) continue
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
      open.delete(folder)
    }
  }
}

/** @throws MediaprocError naming the folder for temporary files, which is not an input */
function makeScratch(): string {
  try {
    return makeOwnedFolder(tmpdir(), 'mediaproc-')
  } catch (error) {
    const { code } = toMediaprocError(error, 'PROCESSING_FAILED')
    const reason = code === 'DISK_FULL' ? 'is full' : code === 'FILE_NOT_FOUND' ? 'does not exist' : 'cannot be written'
    throw new MediaprocError(
      code === 'DISK_FULL' ? code : 'PROCESSING_FAILED',
      `The folder for temporary files, ${tmpdir()}, ${reason}`,
      {
        cause: error,
        httpMessage: `The folder for temporary files ${reason}`,
        hint: { shell: 'Name another one with the environment variable TMPDIR.' },
      },
    )
  }
}

export async function exists(path: string): Promise<boolean> {
  return lookAtName(path) !== undefined
}

/** The destination of an output is taken. */
export const outputExists = (to: string): MediaprocError =>
  new MediaprocError('OUTPUT_EXISTS', `${printableName(to)} is already there`)

/** Across file systems: by a copy next to the destination, so that the file still appears atomically. */
async function copyAcross(from: string, to: string): Promise<void> {
  const { atime, mtime } = await stat(from)
  const workspace = new Workspace(dirname(to))
  try {
    const copy = await workspace.output(basename(to))
    await copyFile(from, copy)
    await keepMode(copy, from)
    await utimes(copy, atime, mtime)
    await rename(copy, to)
  } finally {
    await workspace.remove()
  }
}

/**
 * By rename; across file systems by a copy.
 * @param replaces a rename over a file waits for the disk, so a thread does it; others cost less than the call of a thread
 */
async function moveFile(from: string, to: string, replaces: boolean): Promise<void> {
  try {
    if (replaces) await rename(from, to)
    else renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await copyAcross(from, to)
  }
}

/** Keeps the permissions of a replaced file: a private file must not become public. @returns whether there is a file */
async function keepMode(from: string, to: string): Promise<boolean> {
  const replaced = lookAtName(to)
  if (!replaced) return false
  if (!replaced.isFile() || lookAtName(from)?.mode === replaced.mode) return true
  // Some file systems have no permission modes.
  await chmod(from, replaced.mode & 0o777).catch(() => undefined)
  return true
}

/** Calls `place` again if the folder of `to` did not exist, which is rare: a check would cost an extra call per file. */
async function withFolderOf(to: string, place: () => Promise<void>): Promise<void> {
  try {
    await place()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await makeFolder(dirname(to))
    await place()
  }
}

/**
 * Moves a finished file to its destination atomically. Without `overwrite`, throws OUTPUT_EXISTS for an existing file.
 */
export async function placeFile(from: string, to: string, overwrite: boolean): Promise<void> {
  if (overwrite) {
    const replaces = await keepMode(from, to)
    return withFolderOf(to, () => moveFile(from, to, replaces))
  }
  try {
    // Unlike rename, link fails atomically if the name exists.
    await withFolderOf(to, async () => linkSync(from, to))
    unlinkSync(from)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw outputExists(to)
    // Some file systems have no hard links (exFAT, some network mounts).
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV'].includes(code ?? '')) throw error
    if (await exists(to)) throw outputExists(to)
    await moveFile(from, to, true)
  }
}
