import { stat } from 'node:fs/promises'
import type { Consulted } from '../../engines/consulted.ts'
import { MACHINE } from '../../engines/process/owned-folder.ts'
import type { FileState, FileStates } from './file-state.ts'
import type { Recipe } from './recipe.ts'
import { keyOf, physicalPath, readStored, tidyBeside, writeStored } from './record-store.ts'
import type { SideFiles } from './side-files.ts'

/** An output as it was made. `path` is absolute, as `physicalPath` gives it. */
export interface RecordedOutput extends FileState {
  bytes: number
  mtimeMs: number
  type: string
}

/** What one job made of what. */
export interface BuildRecord {
  format: 2
  /** Where it was written: elsewhere time stamps and inodes mean nothing. */
  machine: string
  recipe: Recipe
  inputs: readonly FileState[]
  outputs: readonly RecordedOutput[]
  /** The programs and models that it looked for. */
  consulted: readonly Consulted[]
  sides: SideFiles
  /** The job has begun to put its outputs in their places, and has not ended. */
  unfinished?: true
  /** Of a set: what earlier runs made of it, and is yet to be removed. */
  leftovers?: readonly RecordedOutput[]
}

export const isRecord = (stored: unknown): stored is BuildRecord =>
  (stored as Partial<BuildRecord> | null)?.format === 2

/** The record of a job; undefined where there is none that this version reads. */
export async function jobRecord(job: string): Promise<BuildRecord | undefined> {
  const stored = await readStored('jobs', job)
  return isRecord(stored) ? stored : undefined
}

/** The job that wrote a file last, as far as we know. */
export async function writerOf(path: string): Promise<string | undefined> {
  const stored = await readStored('outputs', keyOf(await physicalPath(path)))
  return typeof stored === 'string' ? stored : undefined
}

/** Whether a file is still just as it was made; on another machine its inode and ctime differ, and the content decides. */
export async function isAsMade(output: RecordedOutput, states: FileStates): Promise<boolean> {
  return (await states.difference(output, { isLocal: true, alwaysHash: false })) === undefined
}

/**
 * The absolute paths of what a file was made from; undefined where no run of ours made it, or it has been changed since. For
 * listings of thousands of files: size and time are enough.
 */
export async function sourcesOf(path: string): Promise<string[] | undefined> {
  const job = await writerOf(path)
  const record = job === undefined ? undefined : await jobRecord(job)
  const own = await physicalPath(path)
  const output = record?.outputs.find((one) => one.path === own)
  const about = output && (await stat(path).catch(() => undefined))
  const isAsItWas = about?.isFile() && about.size === output!.bytes && about.mtimeMs === output!.mtimeMs
  return isAsItWas ? record!.inputs.map((input) => input.path) : undefined
}

const isRecordGone = async (stored: unknown): Promise<boolean> =>
  !isRecord(stored) || !(await anyIsThere(stored.outputs.map(({ path }) => path)))

async function anyIsThere(paths: readonly string[]): Promise<boolean> {
  for (const path of paths) if (await stat(path).catch(() => undefined)) return true
  return false
}

/** What is put in place by a job. */
export interface Placement extends Omit<BuildRecord, 'format' | 'machine' | 'unfinished'> {
  /** Puts the outputs in their places. */
  place(): Promise<void>
  /** Looks at an output in its place. */
  look(output: RecordedOutput): Promise<RecordedOutput>
}

/**
 * Notes what a job is about to put in place, does so, and notes that it is done. A run that is killed in between leaves a
 * record that says so, and the next one makes everything again instead of trusting a mixture.
 * @returns the finished record
 */
export async function recordBuild(job: string, { place, look, ...parts }: Placement): Promise<BuildRecord> {
  const about = { format: 2, machine: MACHINE } as const
  await writeStored('jobs', job, { ...about, ...parts, unfinished: true } satisfies BuildRecord)
  const keys = parts.outputs.map(({ path }) => keyOf(path))
  for (const key of keys) if ((await readStored('outputs', key)) !== job) await writeStored('outputs', key, job)
  await place()
  const { leftovers: _removed, ...rest } = parts
  const record: BuildRecord = { ...about, ...rest, outputs: await Promise.all(parts.outputs.map(look)) }
  await writeStored('jobs', job, record)
  await tidyBeside('jobs', job, isRecordGone)
  const isOrphan = async (stored: unknown): Promise<boolean> => (await jobRecord(String(stored))) === undefined
  if (keys.length > 0) await tidyBeside('outputs', keys[0]!, isOrphan)
  return record
}
