import { stat } from 'node:fs/promises'
import type { InputState } from './input-states.ts'
import type { Recipe } from './recipe.ts'
import { keyOf, physicalPath, readStored, tidyBeside, writeStored } from './record-store.ts'

/** An output as it was made. */
export interface RecordedOutput {
  /** Absolute, as `physicalPath` gives it. */
  path: string
  bytes: number
  type: string
  mtimeMs: number
}

/** What one job made of what. */
export interface BuildRecord {
  format: 1
  recipe: Recipe
  inputs: readonly InputState[]
  outputs: readonly RecordedOutput[]
  /** The job has begun to put its outputs in their places, and has not ended. */
  unfinished?: true
  /** Of a set: what earlier runs made of it, and is yet to be removed. */
  leftovers?: readonly RecordedOutput[]
}

const isRecord = (stored: unknown): stored is BuildRecord => (stored as Partial<BuildRecord> | null)?.format === 1

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

/** Whether a file is still just as it was made. */
export async function isAsMade({ path, bytes, mtimeMs }: RecordedOutput): Promise<boolean> {
  const about = await stat(path).catch(() => undefined)
  return about?.isFile() === true && about.size === bytes && about.mtimeMs === mtimeMs
}

/** The absolute paths of what a file was made from; undefined where no run of ours made it, or it has been changed since. */
export async function sourcesOf(path: string): Promise<string[] | undefined> {
  const job = await writerOf(path)
  const record = job === undefined ? undefined : await jobRecord(job)
  const own = await physicalPath(path)
  const output = record?.outputs.find((one) => one.path === own)
  return output && (await isAsMade(output)) ? record!.inputs.map((input) => input.path) : undefined
}

const isRecordGone = async (stored: unknown): Promise<boolean> =>
  !isRecord(stored) || !(await anyIsThere(stored.outputs.map(({ path }) => path)))

async function anyIsThere(paths: readonly string[]): Promise<boolean> {
  for (const path of paths) if (await stat(path).catch(() => undefined)) return true
  return false
}

/**
 * Notes what a job is about to put in place, does so, and notes that it is done. A run that is killed in between leaves a
 * record that says so, and the next one makes everything again instead of trusting a mixture.
 */
export async function recordBuild(
  job: string,
  record: Pick<BuildRecord, 'recipe' | 'inputs' | 'outputs' | 'leftovers'>,
  place: () => Promise<void>,
): Promise<void> {
  await writeStored('jobs', job, { format: 1, ...record, unfinished: true } satisfies BuildRecord)
  const keys = record.outputs.map(({ path }) => keyOf(path))
  for (const key of keys) if ((await readStored('outputs', key)) !== job) await writeStored('outputs', key, job)
  await place()
  const { leftovers: _removed, ...rest } = record
  await writeStored('jobs', job, { format: 1, ...rest } satisfies BuildRecord)
  await tidyBeside('jobs', job, isRecordGone)
  const isOrphan = async (stored: unknown): Promise<boolean> => (await jobRecord(String(stored))) === undefined
  if (keys.length > 0) await tidyBeside('outputs', keys[0]!, isOrphan)
}
