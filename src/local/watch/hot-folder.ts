import { writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { type ErrorCode, EXIT, type MediaprocError, toMediaprocError } from '../../errors.ts'
import { exists, placeFile } from '../../job/workspace.ts'
import { printableName, stemOf } from '../../media/file.ts'
import { cutToBytes } from '../../utf8.ts'
import type { WatchedFile } from './roots.ts'

/** The folders that originals are moved to. */
export interface HotFolders {
  /** Of processed files. */
  done?: string
  /** Of files that failed; each gets a text file with the reason. */
  failed?: string
}

/** Failures that another file would have, too: the original stays, and the next start processes it. */
const NOT_OF_THE_FILE: readonly ErrorCode[] = ['CANCELED', 'DISK_FULL']

/** Whether a failure is a fact of the file, rather than of the machine. */
export const isOfTheFile = ({ code, exit }: MediaprocError): boolean =>
  exit !== EXIT.missing && !NOT_OF_THE_FILE.includes(code)

/** A name has at most 255 bytes, and the number and `.txt` are added. */
const MAX_STEM_BYTES = 200

/** `photo.jpg`, `photo_2.jpg`, `photo_3.jpg` … */
function* namesFor(name: string): Generator<string> {
  yield name
  const stem = cutToBytes(stemOf(name), MAX_STEM_BYTES)
  for (let number = 2; ; number++) yield `${stem}_${number}${extname(name)}`
}

/** Moves a file under the first free name, atomically: another process may move files to the same folder. */
async function moveTo(folder: string, path: string): Promise<string> {
  for (const name of namesFor(basename(path))) {
    const to = join(folder, name)
    if (await exists(to)) continue
    try {
      await placeFile(path, to, false)
      return to
    } catch (error) {
      if (toMediaprocError(error).code !== 'OUTPUT_EXISTS' || !(await exists(to))) throw error
    }
  }
  throw new Error('unreachable: the names have no end')
}

function reasonText(path: string, error: MediaprocError, tool: string): string {
  const lines = [
    `${printableName(basename(path))} was not processed by ${tool}, at ${new Date().toISOString()}.`,
    '',
    `${error.message} (${error.code})`,
    ...(error.hint ? [error.hint] : []),
  ]
  return `${lines.join('\n')}\n`
}

async function writeReason(moved: string, text: string): Promise<void> {
  for (const name of namesFor(`${basename(moved)}.txt`)) {
    try {
      await writeFile(join(dirname(moved), name), text, { flag: 'wx' })
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/**
 * Moves an original after its job, if the folder for it is given. Nothing is overwritten.
 * @param error why the job failed
 * @returns the new path; undefined if it stays
 * @throws MediaprocError if it cannot be moved
 */
export async function moveOriginal(
  { path, subfolder }: WatchedFile,
  { done, failed }: HotFolders,
  tool: string,
  error?: MediaprocError,
): Promise<string | undefined> {
  const folder = error ? failed : done
  if (folder === undefined || (error && !isOfTheFile(error))) return undefined
  try {
    const moved = await moveTo(join(folder, subfolder), path)
    if (error) await writeReason(moved, reasonText(path, error, tool))
    return moved
  } catch (problem) {
    throw toMediaprocError(problem)
  }
}
