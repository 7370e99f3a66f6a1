import type { ExitCode } from '../errors.ts'
import { type JobOutcome, type PlannedRun, runAll } from '../local/planned-run.ts'
import { withPacks } from './engines/with-packs.ts'
import type { CommandOptions } from './input/effective-options.ts'
import { dimensionsOf } from './output/dimensions.ts'
import type { Io } from './output/io.ts'
import { printOutcome, summaryLine, totalsLine } from './output/output-lines.ts'
import type { ShowProgress } from './output/progress.ts'
import { exitCodeOf } from './output/record.ts'
import { resultLines } from './output/result-lines.ts'
import { RunTotals } from './output/run-totals.ts'

async function workOff(
  planned: PlannedRun,
  options: CommandOptions,
  showProgress: ShowProgress,
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { quiet, json, jobs, failFast, installEngines } = options
  const run = withPacks(planned, async (pack) => {
    const { offerPack } = await import('./engines/offer.ts')
    try {
      return await offerPack(io, pack, { installEngines, quiet, signal, onPause: () => progress.stop() })
    } finally {
      progress = await showProgress(io, names, quiet || json === true, run.name)
    }
  })
  run.prepare?.()
  const started = performance.now()
  const count = run.jobs.length
  const names = run.jobs.map(({ items, row }) => row?.label ?? items[0]?.given ?? run.name)
  let progress = await showProgress(io, names, quiet || json === true, run.name)
  const results = await resultLines(io, options, count)
  const dimensions = new Map<JobOutcome, ReadonlyMap<string, string>>()
  const totals = new RunTotals()
  const outcomes: JobOutcome[] = []
  const isReported = run.manifest !== undefined || options.report !== undefined || options.summary === true
  await runAll(
    run,
    { jobs, failFast, signal },
    {
      onProgress: ({ index }, fraction, phase) => progress.update(index, fraction, phase),
      onEnd: ({ index }) => progress.done(index),
      async onResult(_job, outcome) {
        if (results && outcome.ok && !outcome.skipped)
          dimensions.set(outcome, await dimensionsOf(outcome.outputs, signal))
      },
      onOutcome(outcome) {
        const shown = results && { results, dimensions: dimensions.get(outcome) }
        progress.interrupt(() => printOutcome(io, outcome, options, count, shown))
        dimensions.delete(outcome)
        totals.add(outcome)
        if (isReported) outcomes.push(outcome)
      },
    },
  )
  progress.stop()
  if (count > 1 && !quiet && !json)
    for (const line of [
      summaryLine(totals, count),
      totalsLine(totals, io.stderrIsTerminal ? performance.now() - started : undefined),
    ])
      if (line !== undefined) io.err(`mediaproc: ${line}\n`)
  if (run.manifest !== undefined && !signal.aborted) {
    const { writeManifest } = await import('../local/manifest/write-manifest.ts')
    const note = await writeManifest(run, outcomes, run.manifest)
    if (note !== undefined && !quiet) io.err(`mediaproc: ${note}\n`)
  }
  if ((options.report !== undefined || options.summary) && !signal.aborted) {
    const { writeReports } = await import('./run-report/write-reports.ts')
    const ms = Math.round(performance.now() - started)
    await writeReports({ run, outcomes, ms }, options, signal)
  }
  return exitCodeOf(totals, signal.aborted)
}

/** Runs all jobs of a run and prints their outcomes in input order, or only prints the plan. */
export async function runAndPrint(
  run: PlannedRun,
  options: CommandOptions,
  showProgress: ShowProgress,
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  try {
    if (options.summary) (await import('./step-summary.ts')).requireStepSummary()
    return options.dryRun
      ? await (await import('./dry-run.ts')).dryRun(run, options, io)
      : await workOff(run, options, showProgress, io, signal)
  } finally {
    await run.close()
  }
}
