import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { JobRecord } from '../../job-record.ts'

/** Only folders that the server made are ever swept: the place of the workspace is the operator's choice. */
const JOB_FOLDER = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const ONCE_FOLDER = /^\.once-[A-Za-z0-9]{6}$/

/** Whether a name is one that the server gives to the folder of a job. */
export const isJobFolder = (name: string): boolean => JOB_FOLDER.test(name)

/** Whether a folder of the workspace bears a name that the server gives: a job, or what is made for one answer. */
export const isOwnFolder = (name: string): boolean => JOB_FOLDER.test(name) || ONCE_FOLDER.test(name)

/** Removes something that a former run left; one of its processes may still be about to end, and write into it. */
export async function discard(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
}

/**
 * Removes what a killed run left in a job's folder: half-written files, outputs that no record names, and the uploads of
 * jobs that are over.
 * @param keep names of files that stay besides those of the record
 */
export async function removeLeftovers(folder: string, record: JobRecord, keep: readonly string[]): Promise<void> {
  const { task, outputs, members = [] } = record
  const inputs = task ? [...task.inputs, ...Object.values(task.secondary)] : []
  const files = [...inputs, ...outputs, ...members.flatMap(({ files = [] }) => files)]
  const named = new Set([...keep, ...files.map(({ file }) => file.split(/[/\\]/, 1)[0]!)])
  for (const name of await readdir(folder)) if (!named.has(name)) await discard(join(folder, name))
}

/** Bytes of all files below a folder; what vanishes meanwhile counts nothing. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += await folderBytes(path)
    else bytes += (await stat(path).catch(() => ({ size: 0 }))).size
  }
  return bytes
}
