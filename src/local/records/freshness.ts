import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { look } from '../../look.ts'
import { printableName } from '../../media/file.ts'
import { readBeside } from './beside.ts'
import { type BuildRecord, isAsMade, jobRecord, type RecordedOutput, writerOf } from './build-record.ts'
import { type Comparison, type FileState, type FileStates, isThisMachine } from './file-state.ts'
import type { Recipe } from './recipe.ts'
import { physicalPath } from './record-store.ts'
import { sideDifference } from './side-files.ts'

/** The verdict of a build record: the outputs can stay, or the reason why not. */
export type Freshness = { outputs: readonly RecordedOutput[]; reason?: undefined } | { reason: string }

/** The planned job to compare with. */
export interface CurrentBuild {
  job: string
  /** Where records are kept next to outputs: their folder, and the job's key there. */
  beside?: { folder: string; job: string }
  recipe: Recipe
  /** Absolute paths; undefined if an input comes from a stream or a URL, which have no modification time. */
  inputs: readonly string[] | undefined
  /** From this run. */
  states: FileStates
  /** --newer=hash */
  alwaysHash: boolean
}

const MAX_VALUE_LENGTH = 60

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value || 'empty' : JSON.stringify(value)
  return printableName(text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text)
}

const nameOf = (path: string): string => printableName(basename(path))

/** The first difference between two sets of named values, as a message. */
function difference(
  what: string,
  before: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const [old, current] = [before[name], now[name]]
    if (JSON.stringify(old) === JSON.stringify(current)) continue
    if (old === undefined) return `${what} ${name} is new: ${shown(current)}`
    return current === undefined
      ? `${what} ${name} was ${shown(old)}`
      : `${what} ${name} was ${shown(old)} and is ${shown(current)}`
  }
  return undefined
}

/** Why the recipe differs; undefined if it is the same. */
function recipeDifference(before: Recipe, now: Recipe): string | undefined {
  if (before.tool !== now.tool) return `it was made by ${before.tool}`
  if (before.program !== now.program) return `it was made by version ${before.program}`
  if (before.hasSecret || now.hasSecret) return 'a password is never stored, so it cannot be compared'
  return (
    difference('the setting', before.settings, now.settings) ??
    difference('the file for', before.secondary, now.secondary) ??
    difference('the environment variable', before.environment, now.environment)
  )
}

/** Why the inputs differ; undefined if they are the same files, regardless of their content. */
function listDifference(before: readonly FileState[], now: readonly string[]): string | undefined {
  const old = before.map(({ path }) => path)
  const added = now.find((path) => !old.includes(path))
  if (added !== undefined) return `${nameOf(added)} is a new input`
  const gone = old.find((path) => !now.includes(path))
  if (gone !== undefined) return `${nameOf(gone)} is no longer an input`
  return now.some((path, index) => path !== old[index]) ? 'the inputs are in a different order' : undefined
}

/**
 * Why an input has changed since the job read it. As in Make, an input modified after the outputs counts as changed
 * whatever its content, unless the content is to decide or the times are from another machine.
 */
async function inputDifference(
  { inputs, outputs }: BuildRecord,
  states: FileStates,
  comparison: Comparison,
): Promise<string | undefined> {
  const made = Math.min(...outputs.map(({ mtimeMs }) => mtimeMs))
  for (const input of inputs) {
    const found = await states.difference(input, comparison)
    if (found !== undefined) return `${nameOf(input.path)} ${found}`
    if (comparison.alwaysHash || !comparison.isLocal) continue
    const { mtimeMs } = statSync(input.path)
    if (mtimeMs !== input.mtimeMs && mtimeMs > made) return `${nameOf(input.path)} is newer than the output`
  }
  return undefined
}

async function outputDifference(
  { outputs }: BuildRecord,
  { job, states }: CurrentBuild,
  comparison: Comparison,
): Promise<string | undefined> {
  for (const output of outputs) {
    const found = await states.difference(output, comparison)
    if (found === undefined) continue
    const writer = writerOf(output.path)
    if (writer !== undefined && writer !== job) return `${nameOf(output.path)} was written by another run since`
    return `${nameOf(output.path)} ${found === 'has changed' ? 'has changed since it was made' : found}`
  }
  return undefined
}

async function compare(record: BuildRecord, current: CurrentBuild): Promise<Freshness> {
  const { recipe, inputs, states, alwaysHash } = current
  if (record.unfinished) return { reason: 'an earlier run was interrupted while it wrote' }
  if (inputs === undefined) return { reason: 'an input comes from a stream or a URL' }
  const comparison: Comparison = { isLocal: isThisMachine(record.machine), alwaysHash }
  const reason =
    recipeDifference(record.recipe, recipe) ??
    listDifference(record.inputs, inputs) ??
    (await outputDifference(record, current, comparison)) ??
    (await inputDifference(record, states, comparison)) ??
    (await sideDifference(record.sides, record.consulted, states, comparison))
  return reason === undefined ? { outputs: record.outputs } : { reason }
}

/** Why an output of another job differs from this one's; undefined if no run of ours wrote it. */
async function otherWriter(path: string, { recipe, inputs, states }: CurrentBuild): Promise<string | undefined> {
  const writer = writerOf(path)
  const other = writer === undefined ? undefined : jobRecord(writer)
  const own = physicalPath(path)
  const output = other?.outputs.find((one) => one.path === own)
  // A file that was placed there later is not the output of that run.
  if (!other || !(other.unfinished || (output && (await isAsMade(output, states))))) return undefined
  const reason = recipeDifference(other.recipe, recipe) ?? (inputs && listDifference(other.inputs, inputs))
  return reason ?? 'it was made by another run'
}

/**
 * Whether a job's outputs are up to date, according to their build record. Times alone are never sufficient.
 * @param known the output's path, if known
 * @returns undefined if there is no output and no record of it
 */
export async function judge(current: CurrentBuild, known: string | undefined): Promise<Freshness | undefined> {
  const { beside } = current
  const record = (beside && readBeside(beside.folder, beside.job)) ?? jobRecord(current.job)
  if (record) return compare(record, current)
  if (known === undefined || !look(known)) return undefined
  const reason = await otherWriter(known, current)
  return { reason: reason ?? `there is no record of how ${nameOf(known)} was made` }
}
