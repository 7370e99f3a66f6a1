import { EXIT, type ExitCode, toMediaprocError } from '../errors.ts'
import { defaultConcurrency, runBatch } from '../job/batch.ts'
import type { Runnable } from '../job/run.ts'
import { Workspace } from '../job/workspace.ts'
import { printableName } from '../media/file.ts'
import type { InputItem } from './inputs.ts'
import type { Io } from './io.ts'
import { openInput } from './open-input.ts'
import { printOutcome, summaryLine } from './output-lines.ts'
import { Plan, type PlannedJob, type PlanRequest } from './plan.ts'
import { type Progress, showProgress } from './progress.ts'
import { exitCodeOf, type Outcome } from './record.ts'
import type { RunOptions } from './run-options.ts'
import { type JobContext, openOnce, runPlanned } from './run-planned.ts'

export interface Run extends Omit<PlanRequest, 'stdout' | 'stdoutIsTerminal' | 'scratch'> {
  /** The tool's code. */
  tool: Runnable
}

export type OnProgress = (fraction: number, phase: string) => void

/** Runs one job and never throws: what went wrong is in the record. */
async function runOne(context: JobContext, job: PlannedJob, onProgress: OnProgress): Promise<Outcome> {
  const started = performance.now()
  const warnings: string[] = []
  const basics = () => ({
    tool: context.plan.toolName,
    input: job.given,
    warnings,
    ms: Math.round(performance.now() - started),
  })
  try {
    const onWarning = (message: string): void => void warnings.push(message)
    const { report, lines, ...done } = await runPlanned(context, job, { onProgress, onWarning })
    return { record: { ...basics(), ok: true, ...done, result: report }, ...(lines && { lines }) }
  } catch (error) {
    const known = toMediaprocError(error)
    return { record: { ...basics(), ok: false, error: known.toJSON() }, error: known }
  }
}

/** Prints what would be done. @param describe the line of a job */
export function dryRun(
  plan: Pick<Plan, 'jobs' | 'inputError'>,
  describe: (job: PlannedJob) => string,
  io: Io,
): ExitCode {
  let valid = true
  for (const job of plan.jobs) {
    const bad = plan.inputError(job)
    if (!bad) io.out(`${describe(job)}\n`)
    else io.err(`mediaproc: ${printableName(bad.given)}: ${bad.error.message} (${bad.error.code})\n`)
    valid &&= !bad
  }
  return valid ? EXIT.ok : EXIT.usage
}

/** Jobs of one run that are worked off side by side. */
export interface Batch<Job extends { index: number }> {
  jobs: readonly Job[]
  /** How many at the same time. */
  concurrency: number
  options: RunOptions
  progress: Progress
  /** Runs one job and never throws. */
  work(job: Job, onProgress: OnProgress): Promise<Outcome>
}

/** Works off all jobs and prints what became of them, in the order of the inputs. */
export async function runAndPrint<Job extends { index: number }>(
  { jobs, concurrency, options, progress, work }: Batch<Job>,
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const count = jobs.length
  const outcomes = new Array<Outcome | undefined>(count)
  let printed = 0
  let failed = false
  // Results are printed in the order of the inputs, each as soon as those before it are done.
  const printReady = (): void => {
    for (let ready = outcomes[printed]; ready; ready = outcomes[printed]) {
      const outcome = ready
      printed += 1
      progress.interrupt(() => printOutcome(io, outcome, options, count))
    }
  }
  const one = async (job: Job): Promise<void> => {
    const outcome = await work(job, (fraction, phase) => progress.update(job.index, fraction, phase))
    outcomes[job.index] = outcome
    failed ||= !outcome.record.ok
    progress.done(job.index)
    printReady()
  }
  const goOn = (): boolean => !signal.aborted && !(failed && options.failFast)
  await runBatch(jobs, concurrency, one, goOn)
  progress.stop()
  const done = outcomes.filter((outcome) => outcome !== undefined)
  if (count > 1 && !options.quiet && !options.json) io.err(`mediaproc: ${summaryLine(done, count)}\n`)
  return exitCodeOf(done, signal.aborted)
}

async function runPlan(run: Run, context: JobContext, io: Io): Promise<ExitCode> {
  const { plan, signal } = context
  const { options } = run
  const progress = await showProgress(io, plan.jobs.length, options.quiet || options.json, plan.toolName)
  const concurrency = options.jobs ?? defaultConcurrency(run.entry.heavy)
  const work: Batch<PlannedJob>['work'] = (job, onProgress) => runOne(context, job, onProgress)
  return runAndPrint({ jobs: plan.jobs, concurrency, options, progress, work }, io, signal)
}

/**
 * Runs all jobs of one tool and prints what became of them, in the order of the inputs.
 * @throws MediaprocError for what is wrong with the run as a whole, before any work
 */
export async function runJobs(run: Run, io: Io, signal: AbortSignal): Promise<ExitCode> {
  const workspace = new Workspace('.')
  const scratch = (): Promise<string> => workspace.scratch()
  try {
    const plan = new Plan({ ...run, stdout: io.stdout, stdoutIsTerminal: io.stdoutIsTerminal, scratch })
    await plan.check()
    if (run.options.dryRun) return dryRun(plan, (job) => plan.describe(job), io)
    const open = (item: InputItem) => openInput(item, io.stdin, scratch, signal)
    const { tool, settings, options } = run
    const secondary = openOnce(run.secondary, open)
    return await runPlan(run, { plan, tool, settings, signal, timeoutS: options.timeout, open, secondary }, io)
  } finally {
    await workspace.remove()
  }
}
