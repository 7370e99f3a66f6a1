/** Records next to outputs: copies with relative paths, which survive moved folders and CI caches. */
import { isAbsolute, join, relative } from 'node:path'
import { type BuildRecord, isRecord } from './build-record.ts'
import type { FileState } from './file-state.ts'
import { readStored, tidyBeside, writeStored } from './record-store.ts'

/** Hidden, so that input listings skip it. */
const FOLDER = '.mediaproc-records'

/** A path relative to a folder, spelled the same on every system; URLs and `-` are unchanged. */
export const fromFolder = (folder: string, path: string): string =>
  isAbsolute(path) ? relative(folder, path).replaceAll('\\', '/') : path

/** Applies `map` to the paths of inputs and outputs; programs, models and fonts are specific to the machine. */
function withPaths(record: BuildRecord, map: (path: string) => string): BuildRecord {
  // An entry without a size is a URL or standard input.
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

/** The record of a job next to its outputs, with absolute paths; undefined if there is none. @param folder absolute */
export function readBeside(folder: string, job: string): BuildRecord | undefined {
  const stored = readStored('jobs', job, join(folder, FOLDER))
  return isRecord(stored) ? withPaths(stored, (path) => join(folder, path)) : undefined
}

/** Writes a copy of a record next to the outputs. */
export async function writeBeside(folder: string, job: string, record: BuildRecord): Promise<void> {
  const root = join(folder, FOLDER)
  await writeStored(
    'jobs',
    job,
    withPaths(record, (path) => fromFolder(folder, path)),
    root,
  )
  await tidyBeside('jobs', job, (stored) => !isRecord(stored), root)
}
