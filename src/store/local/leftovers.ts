import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { inputFiles, type JobRecord, resultFiles } from '../job-record.ts'

/** Only folders created by the server are removed: the operator chooses the location of the workspace. */
const JOB_FOLDER = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const ONCE_FOLDER = /^\.once-[A-Za-z0-9]{6}$/

/** Whether a name is that of a job folder. */
export const isJobFolder = (name: string): boolean => JOB_FOLDER.test(name)

/** Whether a folder of the workspace has a name of ours: a job, or a temporary folder for one answer. */
export const isOwnFolder = (name: string): boolean => JOB_FOLDER.test(name) || ONCE_FOLDER.test(name)

/** Removes leftovers of a former run; one of its processes may still be ending and writing to them. */
export async function discard(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
}

/**
 * Removes leftovers of a killed run from a job's folder: incomplete files, outputs without a record, and the uploads of
 * finished jobs.
 * @param keep names of files to keep besides those of the record
 */
export async function removeLeftovers(folder: string, record: JobRecord, keep: readonly string[]): Promise<void> {
  const files = [...inputFiles(record), ...resultFiles(record)]
  const named = new Set([...keep, ...files.map(({ file }) => file.split(/[/\\]/, 1)[0]!)])
  for (const name of await readdir(folder)) if (!named.has(name)) await discard(join(folder, name))
}

/** Size of all files below a folder; files that vanish meanwhile count 0. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await folderBytes(path)
    else bytes += (await stat(path).catch(() => ({ size: 0 }))).size
  }
  return bytes
}
