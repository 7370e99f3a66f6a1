import { basename } from 'node:path'
import { printableName } from '../../media/file.ts'
import { type BuildRecord, isAsMade, jobRecord, type RecordedOutput, writerOf } from './build-record.ts'
import { type InputState, isUnchanged } from './input-states.ts'
import type { Recipe } from './recipe.ts'
import { physicalPath } from './record-store.ts'

/** What the record of a job says: its outputs can stay, or why they cannot. */
export type Freshness = { outputs: readonly RecordedOutput[]; reason?: undefined } | { reason: string }

/** What a job would do now. */
export interface CurrentBuild {
  job: string
  recipe: Recipe
  /** Absolute paths; undefined where an input comes from a stream or an address, which have no age. */
  inputs: readonly string[] | undefined
}

const MAX_VALUE_LENGTH = 60

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value || 'empty' : JSON.stringify(value)
  return printableName(text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text)
}

/** The first difference between two sets of named values, as a sentence. */
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

/** Why another recipe was followed; undefined where it is the same. */
function recipeDifference(before: Recipe, now: Recipe): string | undefined {
  if (before.tool !== now.tool) return `it was made by ${before.tool}`
  if (before.program !== now.program) return `it was made by version ${before.program}`
  if (before.hasSecret || now.hasSecret) return 'a password is never kept, so nobody can tell whether it is the same'
  return (
    difference('the setting', before.settings, now.settings) ??
    difference('the file for', before.secondary, now.secondary) ??
    difference('the environment variable', before.environment, now.environment)
  )
}

async function inputDifference(
  before: readonly InputState[],
  now: readonly string[],
  made: number,
): Promise<string | undefined> {
  const old = before.map(({ path }) => path)
  const added = now.find((path) => !old.includes(path))
  if (added !== undefined) return `${printableName(basename(added))} is a new input`
  const gone = old.find((path) => !now.includes(path))
  if (gone !== undefined) return `${printableName(basename(gone))} is no input any more`
  if (now.some((path, index) => path !== old[index])) return 'the inputs come in another order'
  for (const input of before)
    if (!(await isUnchanged(input, made))) return `${printableName(basename(input.path))} has changed`
  return undefined
}

/** An output that somebody else changed is as for Make: newer than the inputs is good enough, unless a run of ours did it. */
async function outputFault(
  output: RecordedOutput,
  job: string,
  isOlder: (path: string) => Promise<boolean>,
): Promise<string | undefined> {
  if (await isAsMade(output)) return undefined
  const name = printableName(basename(output.path))
  const writer = await writerOf(output.path)
  if (writer !== job) return `${name} was written by another run since`
  return (await isOlder(output.path)) ? `${name} is missing, or older than an input` : undefined
}

async function compare(
  record: BuildRecord,
  { job, recipe, inputs }: CurrentBuild,
  isOlder: (path: string) => Promise<boolean>,
): Promise<Freshness> {
  if (record.unfinished) return { reason: 'an earlier run was ended while it wrote' }
  if (inputs === undefined) return { reason: 'an input comes from a stream or an address' }
  const made = Math.min(...record.outputs.map(({ mtimeMs }) => mtimeMs))
  const changed = recipeDifference(record.recipe, recipe) ?? (await inputDifference(record.inputs, inputs, made))
  if (changed !== undefined) return { reason: changed }
  for (const output of record.outputs) {
    const reason = await outputFault(output, job, isOlder)
    if (reason !== undefined) return { reason }
  }
  return { outputs: record.outputs }
}

/**
 * Whether what a job would make is there already, by the record of the run that made it.
 * @param known the output's path, where it is known
 * @param isOlder whether a file is missing or older than an input, for outputs that somebody has changed
 * @returns undefined where no run of ours made it: then time stamps decide
 */
export async function judge(
  current: CurrentBuild,
  known: string | undefined,
  isOlder: (path: string) => Promise<boolean>,
): Promise<Freshness | undefined> {
  const record = await jobRecord(current.job)
  if (record) return compare(record, current, isOlder)
  const writer = known === undefined ? undefined : await writerOf(known)
  const other = writer === undefined ? undefined : await jobRecord(writer)
  // A file that somebody has put there since is not what that run made.
  const own = known === undefined ? undefined : await physicalPath(known)
  const output = other?.outputs.find(({ path }) => path === own)
  if (!other || !(other.unfinished || (output && (await isAsMade(output))))) return undefined
  const reason =
    recipeDifference(other.recipe, current.recipe) ??
    (current.inputs && (await inputDifference(other.inputs, current.inputs, Number.POSITIVE_INFINITY)))
  return { reason: reason ?? 'it was made by another run' }
}
