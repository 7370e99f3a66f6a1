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

/** One job of a run: the inputs that it takes together. */
export interface PlannedJob {
  /** From 0. */
  index: number
  items: readonly InputItem[]
  /** How they were named: a list for tools that take several files, null for tools that take none. */
  given: string | string[] | null
}

/** What a run would do with one output, as far as it is known before the work. */
export interface PlannedOutput {
  /** `-` for standard output; a folder with a slash at its end where the tool names what goes there. */
  path: string
  action: 'write' | 'replace' | 'skip'
  /** With --newer: why what is there is not up to date. */
  reason?: string
  /** Where a pipeline has several. */
  variant?: string
}

/** What a job gave. */
export interface JobResult {
  /** --newer found the outputs up to date. */
  skipped?: true
  outputs: FinishedOutput[]
  /** With --newer: why what was there was made again. */
  reason?: string
  /** Of the inputs together, without the named further ones; absent where nothing was opened. */
  inputBytes?: number
  /** Of a dry run, which gives nothing else. */
  planned?: readonly PlannedOutput[]
  /** Of a pipeline. */
  steps?: StepTime[]
  report?: Record<string, unknown>
  /** Printed instead of the report. */
  lines?: readonly string[]
}

/** What became of one job. */
export type JobOutcome = {
  /** `image/resize`, or `pipeline/web-images` */
  tool: string
  input: PlannedJob['given']
  warnings: readonly string[]
  /** Whole milliseconds. */
  ms: number
} & (({ ok: true } & JobResult) | { ok: false; error: MediaprocError })

export type OnProgress = (fraction: number, phase: string) => void
export type OnWarning = (message: string) => void

/** A run of a tool or a pipeline, checked and ready; nothing has been done yet. */
export interface PlannedRun {
  /** `image/resize`, or `pipeline/web-images` */
  name: string
  jobs: readonly PlannedJob[]
  /** How many jobs at the same time, where nobody says. */
  concurrency: number
  /** Those of a tool, secrets hidden, for people. */
  settings?: Readonly<Record<string, unknown>>
  /** Begins to load what the jobs will need; nothing waits for it. */
  prepare?(): void
  /** What would be done for a job, without doing it. @throws MediaprocError what is wrong with it, as far as a look tells */
  preview(job: PlannedJob): Promise<PlannedOutput[]>
  /** Runs one job and puts its outputs in their places. @throws MediaprocError only */
  run(job: PlannedJob, onProgress: OnProgress, onWarning: OnWarning): Promise<JobResult>
  /** Removes what was read from streams and addresses. */
  close(): Promise<void>
}

/** The jobs for some inputs: one for each, or one for all where a job takes several or none. */
export function jobsFor(items: readonly InputItem[], { files }: Pick<InputSpec, 'files'>): PlannedJob[] {
  if (items.length === 0) return [{ index: 0, items, given: null }]
  if (files !== 'one') return [{ index: 0, items, given: items.map(({ given }) => given) }]
  return items.map((item, index) => ({ index, items: [item], given: item.given }))
}

/** What is wrong with a job's inputs, as far as a look at their names tells. */
export function inputError({ items }: PlannedJob): { given: string; error: MediaprocError } | undefined {
  for (const { given, error, kind, path } of items) {
    if (error) return { given, error }
    if (kind === 'file' && !existsSync(path!)) return { given, error: notFound(given, path!) }
  }
  return undefined
}

/** Whether --newer found everything up to date: then no input is even opened. */
export const isAllSkipped = (planned: readonly PlannedOutput[]): boolean =>
  planned.length > 0 && planned.every(({ action }) => action === 'skip')

/** Refuses the inputs that a job would refuse after a look at them. @throws MediaprocError */
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

/** Runs one job and never throws: what went wrong is in the outcome. */
export async function runOne(run: PlannedRun, job: PlannedJob, onProgress: OnProgress): Promise<JobOutcome> {
  const started = performance.now()
  const warnings: string[] = []
  const about = () => ({
    tool: run.name,
    input: job.given,
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
  /** How many jobs at the same time; the run's own number when absent. */
  jobs?: number
  /** Start no further job after the first failure. */
  failFast?: boolean
  signal: AbortSignal
}

/** Who wants to know how a run goes on. */
export interface RunListener {
  onProgress(job: PlannedJob, fraction: number, phase: string): void
  /** A job has ended. */
  onEnd(job: PlannedJob): void
  /** Called in the order of the inputs, for each as soon as those before it are done. */
  onOutcome(outcome: JobOutcome): void
}

/** Works off all jobs of a run, several at the same time, and gives the outcomes of those that were started. */
export async function runAll(
  run: PlannedRun,
  { jobs: concurrency = run.concurrency, failFast, signal }: RunAllOptions,
  listener: RunListener,
): Promise<JobOutcome[]> {
  const outcomes = new Array<JobOutcome | undefined>(run.jobs.length)
  let told = 0
  let failed = false
  const work = async (job: PlannedJob): Promise<void> => {
    const outcome = await runOne(run, job, (fraction, phase) => listener.onProgress(job, fraction, phase))
    outcomes[job.index] = outcome
    failed ||= !outcome.ok
    listener.onEnd(job)
    for (let ready = outcomes[told]; ready; ready = outcomes[told]) {
      told += 1
      listener.onOutcome(ready)
    }
  }
  await runBatch(run.jobs, concurrency, work, () => !signal.aborted && !(failed && failFast))
  return outcomes.filter((outcome) => outcome !== undefined)
}
