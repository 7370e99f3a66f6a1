import { printableName } from '../media/file.ts'
import type { Io } from './io.ts'
import { errorLines } from './messages.ts'
import { type JobRecord, type Outcome, recordLine } from './record.ts'
import { readableReport } from './report.ts'
import type { RunOptions } from './run-options.ts'

const label = (input: string | string[] | null, tool: string): string =>
  typeof input === 'string' ? input : (input?.[0] ?? tool)

/** Prints what became of one job: results on standard output, everything else on standard error. */
export function printOutcome(io: Io, outcome: Outcome, options: RunOptions, jobs: number): void {
  const { record, error } = outcome
  if (options.json) io.out(`${recordLine(record)}\n`)
  else {
    const given = label(record.input, record.tool)
    if (!options.quiet) printWarnings(io, record.warnings ?? [], given)
    // Whoever stops a run knows it.
    if (error && error.code !== 'CANCELED') io.err(errorLines(io, error, options.verbose, given))
    if (record.ok) printDone(io, { ...outcome, record }, options, given, jobs)
  }
}

function printWarnings(io: Io, warnings: readonly string[], given: string): void {
  for (const warning of warnings)
    io.err(`${io.errColours.yellow('mediaproc:')} ${printableName(given)}: warning: ${warning}\n`)
}

type DoneRecord = Extract<JobRecord, { ok: true }>

function printDone(
  io: Io,
  { record, lines }: { record: DoneRecord; lines?: readonly string[] },
  options: RunOptions,
  given: string,
  jobs: number,
): void {
  const { outputs, result, skipped } = record
  if (skipped) {
    if (options.verbose) io.err(`mediaproc: ${printableName(given)}: up to date\n`)
  } else if (outputs.length === 0 && lines) for (const line of lines) io.out(`${line}\n`)
  else if (outputs.length === 0 && result) printReport(io, result, jobs > 1 ? given : undefined)
  else if (!options.quiet) {
    for (const { path } of outputs) if (path !== '-') io.out(`${io.stdoutIsTerminal ? printableName(path) : path}\n`)
    // Beside a file, the report is for the eye; programs take it from --json. In a batch it would bury the names.
    if (result && io.stderrIsTerminal && (jobs === 1 || options.verbose)) io.err(readableReport(result))
  }
}

function printReport(io: Io, report: Record<string, unknown>, heading: string | undefined): void {
  if (!io.stdoutIsTerminal) io.out(`${JSON.stringify(report, null, 2)}\n`)
  else if (heading === undefined) io.out(readableReport(report))
  else io.out(`${io.outColours.bold(printableName(heading))}\n${readableReport(report, '  ')}`)
}

/** The last line of a batch: `12 done, 1 failed, 3 skipped`. */
export function summaryLine(outcomes: readonly Outcome[], jobs: number): string {
  const count = (test: (outcome: Outcome) => boolean): number => outcomes.filter(test).length
  const skipped = count(({ record }) => record.ok && record.skipped === true)
  const failed = count(({ record }) => !record.ok)
  const parts = [
    `${outcomes.length - skipped - failed} done`,
    failed > 0 && `${failed} failed`,
    skipped > 0 && `${skipped} skipped`,
    outcomes.length < jobs && `${jobs - outcomes.length} not started`,
  ]
  return parts.filter(Boolean).join(', ')
}
