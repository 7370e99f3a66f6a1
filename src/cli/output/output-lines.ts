import { firstOf } from '../../lists.ts'
import type { FinishedOutput } from '../../local/output-paths.ts'
import type { JobOutcome } from '../../local/planned-run.ts'
import { printableName } from '../../media/file.ts'
import { readableSize } from '../../wording.ts'
import type { CommandOptions } from '../input/effective-options.ts'
import type { Io } from './io.ts'
import { errorLines, withoutName } from './messages.ts'
import { shortTime } from './pace.ts'
import { recordLine } from './record.ts'
import { readableReport } from './report.ts'
import type { ResultLines } from './result-lines.ts'
import type { RunTotals } from './run-totals.ts'
import { percentChange } from './text.ts'

/** A job of several inputs is named by its tool: the message itself names the input at fault. */
const label = ({ input, tool, row }: JobOutcome): string =>
  row ? row.label : typeof input === 'string' ? input : input?.length === 1 ? firstOf(input) : tool

/** More about an outcome. */
export interface Shown {
  /** On a terminal: the display of results; otherwise, paths are printed. */
  results?: ResultLines | undefined
  /** Width and height of its outputs, by path. */
  dimensions?: ReadonlyMap<string, string> | undefined
  /** The new path of the input, if `watch` moved it. */
  moved?: string | undefined
}

/**
 * Prints the outcome of one job: results on standard output, everything else on standard error.
 * @param jobs the number of jobs
 */
export function printOutcome(
  io: Io,
  outcome: JobOutcome,
  options: CommandOptions,
  jobs: number,
  shown: Shown = {},
): void {
  if (options.json) {
    io.out(`${recordLine(outcome, shown.moved)}\n`)
    return
  }
  const given = label(outcome)
  if (!options.quiet) printWarnings(io, outcome.warnings, given)
  if (outcome.ok) printDone(io, outcome, options, jobs, shown)
  // A user who stops a run needs no message.
  else if (outcome.error.code !== 'CANCELED') io.err(errorLines(io, outcome.error, options.verbose === true, given))
}

function printWarnings(io: Io, warnings: readonly string[], given: string): void {
  for (const warning of warnings)
    io.err(`${io.errColours.yellow('mediaproc:')} ${printableName(given)}: warning: ${withoutName(warning, given)}\n`)
}

function printDone(
  io: Io,
  outcome: Extract<JobOutcome, { ok: true }>,
  options: CommandOptions,
  jobs: number,
  { results, dimensions = new Map() }: Shown,
): void {
  const { outputs, report, skipped, lines, reason } = outcome
  const given = label(outcome)
  if (reason !== undefined && !options.quiet)
    io.err(`mediaproc: ${printableName(given)}: made again: ${withoutName(reason, given)}\n`)
  if (skipped) {
    // With several inputs, the last line counts the skipped ones.
    if (options.verbose || (jobs === 1 && !options.quiet))
      io.err(`mediaproc: ${printableName(given)}: ${upToDate(outputs)}\n`)
  } else if (outputs.length === 0 && lines) for (const line of lines) io.out(`${line}\n`)
  else if (outputs.length === 0 && report) printReport(io, report, jobs > 1 ? given : undefined)
  else if (!options.quiet) {
    if (results) results.print(outcome, dimensions)
    else for (const { path } of outputs) if (path !== '-') io.out(`${path}\n`)
    // If there is a file, the report is only for display; programs use --json. In a batch it would bury the file names.
    if (report && io.stderrIsTerminal && (jobs === 1 || options.verbose)) io.err(readableReport(report))
  }
}

function upToDate(outputs: readonly FinishedOutput[]): string {
  const [only] = outputs
  return outputs.length === 1 ? `${printableName(only!.path)} is up to date` : 'up to date'
}

/** Reports how many listed files are skipped as outputs of earlier runs, if messages are shown. */
export function reportLeftOut(io: Io, { quiet, json }: { quiet?: boolean; json?: boolean }, count: number): void {
  if (quiet || json) return
  const [files, them] = count === 1 ? ['1 file is', 'it'] : [`${count} files are`, 'them']
  io.err(`mediaproc: ${files} skipped: earlier runs made ${them} from other inputs; name ${them} to include ${them}\n`)
}

function printReport(io: Io, report: Record<string, unknown>, heading: string | undefined): void {
  if (!io.stdoutIsTerminal) io.out(`${JSON.stringify(report, null, 2)}\n`)
  else if (heading === undefined) io.out(readableReport(report))
  else io.out(`${io.outColours.bold(printableName(heading))}\n${readableReport(report, '  ')}`)
}

/**
 * The last line of a batch: `12 done, 1 failed, 3 skipped`.
 * @param jobs the number of jobs, some of which may not have been started
 */
export function summaryLine({ done, failed, skipped, jobs: started }: RunTotals, jobs: number): string {
  const parts = [
    `${done} done`,
    failed > 0 && `${failed} failed`,
    skipped > 0 && `${skipped} skipped`,
    started < jobs && `${jobs - started} not started`,
  ]
  return parts.filter(Boolean).join(', ')
}

/**
 * The total sizes of a batch: `3 files, 12.3 MB → 4.1 MB, −66 %`. Failed and skipped inputs do not count; undefined if
 * no input became a file.
 * @param ms the duration, if it is shown
 */
export function totalsLine({ changed, bytesBefore, bytesAfter }: RunTotals, ms?: number): string | undefined {
  if (changed === 0) return undefined
  const files = `${changed} ${changed === 1 ? 'file' : 'files'}`
  const time = ms === undefined ? '' : `, ${shortTime(ms)}`
  return `${files}, ${readableSize(bytesBefore)} → ${readableSize(bytesAfter)}, ${percentChange(bytesBefore, bytesAfter)}${time}`
}
