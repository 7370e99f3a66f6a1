import type { Consulted } from '../../engines/consulted.ts'
import { MACHINE } from '../../engines/process/owned-folder.ts'
import { firstOf } from '../../lists.ts'
import { look } from '../../look.ts'
import type { FileState, FileStates } from './file-state.ts'
import type { Recipe } from './recipe.ts'
import { keyOf, openStored, physicalPath, readStored, tidyBeside, writeStored } from './record-store.ts'
import type { SideFiles } from './side-files.ts'

/** The state of a finished output. `path` is absolute, from `physicalPath`. */
export interface RecordedOutput extends FileState {
  bytes: number
  mtimeMs: number
  type: string
}

/** The build record of a job: its inputs, recipe and outputs. */
export interface BuildRecord {
  format: 2
  /** The machine that wrote it: elsewhere time stamps and inodes are meaningless. */
  machine: string
  recipe: Recipe
  inputs: readonly FileState[]
  outputs: readonly RecordedOutput[]
  /** The programs and models that it looked up. */
  consulted: readonly Consulted[]
  sides: SideFiles
  /** The job has started to move its outputs to their destinations, and has not finished. */
  unfinished?: boolean
  /** For a set: outputs of earlier runs that are still to be removed. */
  leftovers?: readonly RecordedOutput[]
}

export const isRecord = (stored: unknown): stored is BuildRecord =>
  (stored as Partial<BuildRecord> | null)?.format === 2

/** The build record of a job; undefined if there is none that this version can read. */
export function jobRecord(job: string): BuildRecord | undefined {
  const stored = readStored('jobs', job)
  return isRecord(stored) ? stored : undefined
}

/** The last known job that wrote a file. */
export function writerOf(path: string): string | undefined {
  const stored = readStored('outputs', keyOf(physicalPath(path)))
  return typeof stored === 'string' ? stored : undefined
}

/**
 * Whether a file is unchanged since it was made; on another machine inode and ctime differ, and the content decides.
 */
export async function isAsMade(output: RecordedOutput, states: FileStates): Promise<boolean> {
  return (await states.difference(output, { isLocal: true, alwaysHash: false })) === undefined
}

/**
 * The absolute paths of a file's sources; undefined if no run of ours made it, or it has changed since. For listings of
 * thousands of files: size and time are sufficient.
 */
export function sourcesOf(path: string): string[] | undefined {
  const job = writerOf(path)
  const record = job === undefined ? undefined : jobRecord(job)
  const own = physicalPath(path)
  const output = record?.outputs.find((one) => one.path === own)
  const about = output && look(path)
  const isAsItWas = about?.isFile() && about.size === output!.bytes && about.mtimeMs === output!.mtimeMs
  return isAsItWas ? record!.inputs.map((input) => input.path) : undefined
}

const isRecordGone = (stored: unknown): boolean =>
  !isRecord(stored) || !stored.outputs.some(({ path }) => look(path) !== undefined)

/** The outputs of a job and how to place them. */
export interface Placement extends Omit<BuildRecord, 'format' | 'machine' | 'unfinished'> {
  /** Moves the outputs to their destinations. */
  place(): Promise<void>
  /** Reads the state of a placed output. */
  lookAt(output: RecordedOutput): Promise<RecordedOutput>
}

/**
 * Records the planned outputs of a job, places them, and records the completion. A run that is killed in between leaves
 * an unfinished record, and the next run recreates everything instead of trusting a mixture.
 * @returns the finished record
 */
export async function recordBuild(job: string, { place, lookAt, ...parts }: Placement): Promise<BuildRecord> {
  const about = { format: 2, machine: MACHINE } as const
  const { leftovers: _removed, ...rest } = parts
  const stored = await openStored('jobs', job, { ...about, ...parts, unfinished: true } satisfies BuildRecord)
  const keys = parts.outputs.map(({ path }) => keyOf(path))
  let outputs: RecordedOutput[]
  try {
    for (const key of keys) if (readStored('outputs', key) !== job) await writeStored('outputs', key, job)
    await place()
    outputs = await Promise.all(parts.outputs.map(lookAt))
    stored?.replace({ outputs, leftovers: [], unfinished: false } satisfies Partial<BuildRecord>)
  } finally {
    stored?.close()
  }
  const record: BuildRecord = { ...about, ...rest, outputs }
  await tidyBeside('jobs', job, isRecordGone)
  const isOrphan = (stored: unknown): boolean => jobRecord(String(stored)) === undefined
  if (keys.length > 0) await tidyBeside('outputs', firstOf(keys), isOrphan)
  return record
}
