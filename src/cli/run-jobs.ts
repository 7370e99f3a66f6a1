import { EXIT, type ExitCode, toMediaprocError } from '../errors.ts'
import { defaultConcurrency, runBatch } from '../job/batch.ts'
import { type Runnable, runJob } from '../job/run.ts'
import { Workspace } from '../job/workspace.ts'
import { type MediaFile, printableName } from '../media/file.ts'
import type { Io } from './io.ts'
import { openInput } from './open-input.ts'
import { printOutcome, summaryLine } from './output-lines.ts'
import type { Placement } from './placement.ts'
import { Plan, type PlannedJob, type PlanRequest } from './plan.ts'
import { showProgress } from './progress.ts'
import { exitCodeOf, type Outcome } from './record.ts'

export interface Run extends Omit<PlanRequest, 'stdout' | 'stdoutIsTerminal' | 'scratch'> {
  /** The tool's code. */
  tool: Runnable
}

interface Context {
  run: Run
  plan: Plan
  io: Io
  signal: AbortSignal
  scratch(): Promise<string>
  /** Further inputs, opened once for all jobs. */
  secondary(): Promise<Record<string, MediaFile>>
}

type OnProgress = (fraction: number, phase: string) => void

function secondaryOpener(run: Run, open: (item: Run['items'][number]) => Promise<MediaFile>): Context['secondary'] {
  let opened: Promise<[string, MediaFile][]> | undefined
  return async () => {
    opened ??= Promise.all(
      Object.entries(run.secondary).map(async ([name, item]): Promise<[string, MediaFile]> => [name, await open(item)]),
    )
    return Object.fromEntries(await opened)
  }
}

async function runOne(context: Context, job: PlannedJob, onProgress: OnProgress): Promise<Outcome> {
  const { run, plan, io, signal, scratch } = context
  const started = performance.now()
  const warnings: string[] = []
  const basics = () => ({
    tool: plan.toolName,
    input: job.given,
    warnings,
    ms: Math.round(performance.now() - started),
  })
  const skipped = async (found: Placement): Promise<Outcome> => {
    const outputs = await found.upToDateOutputs()
    return { record: { ...basics(), ok: true, skipped: true, outputs } }
  }
  let placement: Placement | undefined
  try {
    const refused = plan.refused.get(job.index)
    if (refused) throw refused
    const early = await plan.upToDate(job)
    if (early) return await skipped(early)
    const inputs: MediaFile[] = []
    for (const item of job.items) inputs.push(await openInput(item, io, scratch, signal))
    const current = plan.placement(job, inputs[0]?.name ?? run.entry.id)
    placement = current
    const done = await runJob(
      {
        tool: run.tool,
        inputs,
        secondary: await context.secondary(),
        settings: structuredClone(run.settings),
        destination: await current.stagingFolder(),
        signal,
        timeoutS: run.options.timeout,
        onProgress,
        onWarning: (message) => warnings.push(message),
        onOutput: (name) => current.beforeOutput(name),
      },
      async (result, stage) => ({ outputs: await current.place(result, stage), result: result.report }),
    )
    return { record: { ...basics(), ok: true, ...done } }
  } catch (error) {
    if (placement?.upToDate !== undefined) return skipped(placement)
    const known = toMediaprocError(error)
    return { record: { ...basics(), ok: false, error: known.toJSON() }, error: known }
  }
}

function dryRun(plan: Plan, io: Io): ExitCode {
  let valid = true
  for (const job of plan.jobs) {
    const bad = plan.inputError(job)
    if (!bad) io.out(`${plan.describe(job)}\n`)
    else io.err(`mediaproc: ${printableName(bad.given)}: ${bad.error.message} (${bad.error.code})\n`)
    valid &&= !bad
  }
  return valid ? EXIT.ok : EXIT.usage
}

async function runPlan(context: Context): Promise<ExitCode> {
  const { run, plan, io, signal } = context
  const { options } = run
  const count = plan.jobs.length
  const progress = await showProgress(io, count, options.quiet || options.json, plan.toolName)
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
  const work = async (job: PlannedJob): Promise<void> => {
    const outcome = await runOne(context, job, (fraction, phase) => progress.update(job.index, fraction, phase))
    outcomes[job.index] = outcome
    failed ||= !outcome.record.ok
    progress.done(job.index)
    printReady()
  }
  const goOn = (): boolean => !signal.aborted && !(failed && options.failFast)
  await runBatch(plan.jobs, options.jobs ?? defaultConcurrency(run.entry.heavy), work, goOn)
  progress.stop()
  const done = outcomes.filter((outcome) => outcome !== undefined)
  if (count > 1 && !options.quiet && !options.json) io.err(`mediaproc: ${summaryLine(done, count)}\n`)
  return exitCodeOf(done, signal.aborted)
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
    if (run.options.dryRun) return dryRun(plan, io)
    const secondary = secondaryOpener(run, (item) => openInput(item, io, scratch, signal))
    return await runPlan({ run, plan, io, signal, scratch, secondary })
  } finally {
    await workspace.remove()
  }
}
