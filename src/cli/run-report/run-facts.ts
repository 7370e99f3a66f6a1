import { basename } from 'node:path'
import type { JobOutcome, PlannedJob, PlannedRun } from '../../local/planned-run.ts'
import { totalBytes } from '../../media/file.ts'
import { counted, readableSize } from '../../wording.ts'
import { percentChange } from '../output/text.ts'

/** A finished run, for its reports. */
export interface RunFacts {
  run: Pick<PlannedRun, 'name' | 'jobs' | 'settings'>
  /** Of the jobs that were started, in input order. */
  outcomes: readonly JobOutcome[]
  /** In whole milliseconds. */
  ms: number
}

/** The inputs of a job as text: the first one, and the number of the others. */
export function inputText(job: PlannedJob | undefined): string {
  const [first, ...others] = job?.items ?? []
  if (job?.row) return job.row.label
  if (!first) return 'no input'
  return others.length === 0 ? first.given : `${first.given} and ${counted(others.length, 'other file')}`
}

/** `640 B`, or `–` if it is not known. */
export const sizeText = (bytes: number | undefined): string => (bytes === undefined ? '–' : readableSize(bytes))

/** Total size of the files of an outcome; undefined without any. */
export function outputBytes(outcome: JobOutcome): number | undefined {
  return outcome.ok && outcome.outputs.length > 0 ? totalBytes(outcome.outputs) : undefined
}

/** The change in size of a job: `−66 %`; '' if there is nothing to compare. */
export function changeText(outcome: JobOutcome): string {
  const after = outputBytes(outcome)
  const before = outcome.ok && !outcome.skipped ? outcome.inputBytes : undefined
  return before && after !== undefined ? percentChange(before, after) : ''
}

/** The state of a job in a word. */
export function stateOf(outcome: JobOutcome): 'done' | 'skipped' | 'failed' {
  return outcome.ok ? (outcome.skipped ? 'skipped' : 'done') : 'failed'
}

/** Names of the outputs without folders; nothing for standard output. */
export function outputNames(outcome: JobOutcome): string[] {
  return outcome.ok ? outcome.outputs.map(({ path }) => (path === '-' ? 'standard output' : basename(path))) : []
}
