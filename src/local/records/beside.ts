/** Records beside outputs: copies with relative paths, which moved folders and caches of CI carry along. */
import { isAbsolute, join, relative } from 'node:path'
import { type BuildRecord, isRecord } from './build-record.ts'
import type { FileState } from './file-state.ts'
import { readStored, tidyBeside, writeStored } from './record-store.ts'

/** Hidden, so that listings of inputs leave it out. */
const FOLDER = '.mediaproc-records'

/** A path seen from a folder, spelled alike on every system; addresses and `-` as they are. */
export const fromFolder = (folder: string, path: string): string =>
  isAbsolute(path) ? relative(folder, path).replaceAll('\\', '/') : path

/** Applies `map` to the paths of inputs and outputs; programs, models and fonts belong to the machine. */
function withPaths(record: BuildRecord, map: (path: string) => string): BuildRecord {
  // What has no size is an address or standard input.
  const each = <File extends FileState>(file: File): File =>
    file.bytes === undefined ? file : { ...file, path: map(file.path) }
  const secondary = Object.entries(record.recipe.secondary).map(([name, path]) => [name, map(path)] as const)
  return {
    ...record,
    recipe: { ...record.recipe, secondary: Object.fromEntries(secondary) },
    inputs: record.inputs.map(each),
    outputs: record.outputs.map(each),
  }
}

/** The record of a job beside its outputs, with absolute paths; undefined where there is none. @param folder absolute */
export async function readBeside(folder: string, job: string): Promise<BuildRecord | undefined> {
  const stored = await readStored('jobs', job, join(folder, FOLDER))
  return isRecord(stored) ? withPaths(stored, (path) => join(folder, path)) : undefined
}

/** Puts a copy of a record beside the outputs. */
export async function writeBeside(folder: string, job: string, record: BuildRecord): Promise<void> {
  const root = join(folder, FOLDER)
  await writeStored(
    'jobs',
    job,
    withPaths(record, (path) => fromFolder(folder, path)),
    root,
  )
  await tidyBeside('jobs', job, async (stored) => !isRecord(stored), root)
}
