import { printableName } from '../media/file.ts'
import type { Io } from './io.ts'
import { errorLines } from './messages.ts'
import { type Outcome, recordLine } from './record.ts'
import { readableReport } from './report.ts'
import type { RunOptions } from './run-options.ts'

const label = (input: string | string[] | null, tool: string): string => (typeof input === 'string' ? input : (input?.[0] ?? tool))

/** Prints what became of one job: results on standard output, everything else on standard error. */
export function printOutcome(io: Io, { record, error }: Outcome, options: RunOptions, jobs: number): void {
  if (options.json) return io.out(`${recordLine(record)}\n`)
  const given = label(record.input, record.tool)
  if (!options.quiet)
    for (const warning of record.warnings ?? []) io.err(`${io.errColours.yellow('mediaproc:')} ${printableName(given)}: warning: ${warning}\n`)
  if (error) return error.code === 'CANCELED' ? undefined : io.err(errorLines(io, error, options.verbose, given))
  if (!record.ok) return
  if (record.skipped) {
    if (options.verbose) io.err(`mediaproc: ${printableName(given)}: up to date\n`)
    return
  }
  const { outputs, result } = record
  if (outputs.length === 0 && result) return printReport(io, result, jobs > 1 ? given : undefined)
  if (options.quiet) return
  for (const { path } of outputs) if (path !== '-') io.out(`${io.stdoutIsTerminal ? printableName(path) : path}\n`)
  // Beside a file, the report is for the eye; programs take it from --json.
  if (result && io.stderrIsTerminal) io.err(readableReport(result))
}

function printReport(io: Io, report: Record<string, unknown>, heading: string | undefined): void {
  if (!io.stdoutIsTerminal) return io.out(`${JSON.stringify(report, null, 2)}\n`)
  io.out(heading === undefined ? readableReport(report) : `${io.outColours.bold(printableName(heading))}\n${readableReport(report, '  ')}`)
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
