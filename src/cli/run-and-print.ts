import { EXIT, type ExitCode } from '../errors.ts'
import { inputError, type PlannedRun, runAll } from '../local/planned-run.ts'
import { printableName } from '../media/file.ts'
import type { CommandOptions } from './effective-options.ts'
import type { Io } from './io.ts'
import { printOutcome, summaryLine, totalsLine } from './output-lines.ts'
import type { ShowProgress } from './progress.ts'
import { exitCodeOf } from './record.ts'

/** Prints what would be done: `image/resize a.jpg -> a_resize.jpg {"width":100}`. */
function dryRun(run: PlannedRun, io: Io): ExitCode {
  const settings = run.settings ? ` ${JSON.stringify(run.settings)}` : ''
  let valid = true
  for (const job of run.jobs) {
    const bad = inputError(job)
    if (bad) io.err(`mediaproc: ${printableName(bad.given)}: ${bad.error.message} (${bad.error.code})\n`)
    else {
      const inputs = job.items.map(({ given }) => `${printableName(given)} `).join('')
      io.out(`${run.name} ${inputs}-> ${run.preview(job).join(', ')}${settings}\n`)
    }
    valid &&= !bad
  }
  return valid ? EXIT.ok : EXIT.usage
}

async function workOff(
  run: PlannedRun,
  options: CommandOptions,
  showProgress: ShowProgress,
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { quiet, json, jobs, failFast } = options
  const count = run.jobs.length
  const names = run.jobs.map(({ items }) => items[0]?.given ?? run.name)
  const progress = await showProgress(io, names, quiet || json === true, run.name)
  const outcomes = await runAll(
    run,
    { jobs, failFast, signal },
    {
      onProgress: ({ index }, fraction, phase) => progress.update(index, fraction, phase),
      onEnd: ({ index }) => progress.done(index),
      onOutcome: (outcome) => progress.interrupt(() => printOutcome(io, outcome, options, count)),
    },
  )
  progress.stop()
  if (count > 1 && !quiet && !json)
    for (const line of [summaryLine(outcomes, count), totalsLine(outcomes)])
      if (line !== undefined) io.err(`mediaproc: ${line}\n`)
  return exitCodeOf(outcomes, signal.aborted)
}

/** Works off all jobs of a run and prints what became of them, in the order of the inputs; or only what would be done. */
export async function runAndPrint(
  run: PlannedRun,
  options: CommandOptions,
  showProgress: ShowProgress,
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  try {
    return options.dryRun ? dryRun(run, io) : await workOff(run, options, showProgress, io, signal)
  } finally {
    await run.close()
  }
}
