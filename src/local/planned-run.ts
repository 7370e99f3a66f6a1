import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { type MediaprocError, toMediaprocError } from '../errors.ts'
import { checkAccepted } from '../job/accept.ts'
import { runBatch } from '../job/batch.ts'
import { openMediaFile } from '../media/file.ts'
import type { StepTime } from '../pipeline/run/run.ts'
import type { InputSpec } from '../tool/contract.ts'
import type { InputItem } from './inputs.ts'
import { notFound } from './open-input.ts'
import type { FinishedOutput } from './output-paths.ts'

/** One job of a run, with its inputs. */
export interface PlannedJob {
  /** From 0. */
  index: number
  items: readonly InputItem[]
  /** The inputs as the user named them: a list for tools that take several files, null for tools without input. */
  given: string | string[] | null
  /** If the run has one for each row of a table. */
  row?: JobRow
}

/** The row of a job. */
export interface JobRow {
  /** From 1, without the header. */
  number: number
  /** The line of the file, from 1; undefined for JSON. */
  line?: number
  /** Its file and line, for messages. */
  label: string
}

/** The planned result for one output, as far as it is known before the run. */
export interface PlannedOutput {
  /** `-` for standard output; a folder with a trailing slash if the tool names its contents. */
  path: string
  action: 'write' | 'replace' | 'skip'
  /** With --newer: why an existing output is not up to date. */
  reason?: string
  /** If a pipeline has several. */
  variant?: string
}

/** The result of a job. */
export interface JobResult {
  /** --newer found the outputs up to date. */
  skipped?: true
  outputs: FinishedOutput[]
  /** With --newer: why existing outputs were recreated. */
  reason?: string
  /** Total size of the inputs, without additional named ones; absent if nothing was opened. */
  inputBytes?: number
  /** Only in a dry run, which has no other results. */
  planned?: readonly PlannedOutput[]
  /** For a pipeline. */
  steps?: StepTime[]
  report?: Record<string, unknown>
  /** Printed instead of the report. */
  lines?: readonly string[]
}

/** The outcome of one job. */
export type JobOutcome = {
  /** `image/resize`, or `pipeline/web-images` */
  tool: string
  input: PlannedJob['given']
  row?: JobRow
  warnings: readonly string[]
  /** In whole milliseconds. */
  ms: number
} & (({ ok: true } & JobResult) | { ok: false; error: MediaprocError })

export type OnProgress = (fraction: number, phase: string) => void
export type OnWarning = (message: string, manner?: 'advice') => void

/** A checked run of a tool or pipeline that has not started. */
export interface PlannedRun {
  /** `image/resize`, or `pipeline/web-images` */
  name: string
  jobs: readonly PlannedJob[]
  /** The default number of concurrent jobs. */
  concurrency: number
  /** The tool's settings for display, with secrets hidden. */
  settings?: Readonly<Record<string, unknown>>
  /** The path of the file that lists all outputs, to be written after the run. */
  manifest?: string
  /** Starts preloading what the jobs will need, in the background. */
  prepare?(): void
  /** The plan for a job, without running it. @throws MediaprocError for problems that are visible without running */
  preview(job: PlannedJob): Promise<PlannedOutput[]>
  /** Runs one job and moves its outputs to their destinations. @throws MediaprocError only */
  run(job: PlannedJob, onProgress: OnProgress, onWarning: OnWarning): Promise<JobResult>
  /** Deletes temporary files from streams and URLs. */
  close(): Promise<void>
}

/** The jobs for some inputs: one per input, or one in total if a job takes several or none. */
export function jobsFor(items: readonly InputItem[], { files }: Pick<InputSpec, 'files'>): PlannedJob[] {
  if (items.length === 0) return [{ index: 0, items, given: null }]
  if (files !== 'one') return [{ index: 0, items, given: items.map(({ given }) => given) }]
  return items.map((item, index) => ({ index, items: [item], given: item.given }))
}

/** Problems with a job's inputs that their names show. */
export function inputError({ items }: PlannedJob): { given: string; error: MediaprocError } | undefined {
  for (const { given, error, kind, path } of items) {
    if (error) return { given, error }
    if (kind === 'file' && !existsSync(path!)) return { given, error: notFound(given, path!) }
  }
  return undefined
}

/** Whether --newer found everything up to date: then no input is opened at all. */
export const isAllSkipped = (planned: readonly PlannedOutput[]): boolean =>
  planned.length > 0 && planned.every(({ action }) => action === 'skip')

/** Rejects inputs that the job would reject after checking them. @throws MediaprocError */
export async function checkInputs(
  job: PlannedJob,
  { accept, mayBeEmpty }: Pick<InputSpec, 'accept' | 'mayBeEmpty'>,
  tool: string,
): Promise<void> {
  const bad = inputError(job)
  if (bad) throw bad.error
  for (const { kind, path } of job.items)
    if (kind === 'file') checkAccepted(accept, await openMediaFile(path!, basename(path!), mayBeEmpty), tool)
}

/** Runs one job and never throws: errors are in the outcome. */
export async function runOne(run: PlannedRun, job: PlannedJob, onProgress: OnProgress): Promise<JobOutcome> {
  const started = performance.now()
  const warnings: string[] = []
  const about = () => ({
    tool: run.name,
    input: job.given,
    ...(job.row && { row: job.row }),
    warnings,
    ms: Math.round(performance.now() - started),
  })
  try {
    const result = await run.run(job, onProgress, (message) => void warnings.push(message))
    return { ...about(), ok: true, ...result }
  } catch (error) {
    return { ...about(), ok: false, error: toMediaprocError(error) }
  }
}

export interface RunAllOptions {
  /** Maximum number of concurrent jobs; defaults to the run's own number. */
  jobs?: number
  /** Start no more jobs after the first failure. */
  failFast?: boolean
  signal: AbortSignal
}

/** Callbacks for the progress of a run. */
export interface RunListener {
  onProgress(job: PlannedJob, fraction: number, phase: string): void
  /** A job has its result; waited for before `onEnd`, and not part of its time. */
  onResult?(job: PlannedJob, outcome: JobOutcome): Promise<void>
  /** A job has ended. */
  onEnd(job: PlannedJob): void
  /** Called in input order, for each job once all previous ones are done. */
  onOutcome(outcome: JobOutcome): void
}

/** Runs all jobs of a run, several concurrently. Outcomes only stay in memory until `onOutcome` receives them. */
export async function runAll(
  run: PlannedRun,
  { jobs: concurrency = run.concurrency, failFast, signal }: RunAllOptions,
  listener: RunListener,
): Promise<void> {
  const waiting = new Map<number, JobOutcome>()
  let reported = 0
  let failed = false
  const work = async (job: PlannedJob): Promise<void> => {
    const outcome = await runOne(run, job, (fraction, phase) => listener.onProgress(job, fraction, phase))
    await listener.onResult?.(job, outcome)
    waiting.set(job.index, outcome)
    failed ||= !outcome.ok
    listener.onEnd(job)
    for (let ready = waiting.get(reported); ready; ready = waiting.get(reported)) {
      waiting.delete(reported)
      reported += 1
      listener.onOutcome(ready)
    }
  }
  await runBatch(run.jobs, concurrency, work, () => !signal.aborted && !(failed && failFast))
}
