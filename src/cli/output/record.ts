import { EXIT, type ExitCode } from '../../errors.ts'
import type { JobOutcome } from '../../local/planned-run.ts'
import type { RunTotals } from './run-totals.ts'

/**
 * The outcome of one job as a line of --json, in the documented key order. Its JSON Schema is in record-schema.ts.
 * @param moved the new path of the input, if `watch` moved it
 */
export function recordLine(outcome: JobOutcome, moved?: string): string {
  const { tool, input, row, warnings, ms } = outcome
  const about = { tool, input, ...(row && { row: row.number, ...(row.line !== undefined && { line: row.line }) }) }
  const end = { ...(moved !== undefined && { moved }), ...(warnings.length > 0 && { warnings }), ms }
  if (!outcome.ok) return JSON.stringify({ ...about, ok: false, error: outcome.error, ...end })
  const { skipped, outputs, reason, planned, steps, report } = outcome
  return JSON.stringify({
    ...about,
    ok: true,
    ...(skipped && { skipped }),
    outputs,
    ...(reason !== undefined && { reason }),
    ...(planned && { planned }),
    ...(steps && { steps }),
    ...(report && { result: report }),
    ...end,
  })
}

/** The exit code of a run: the common code of all failures if nothing succeeded or an engine is missing, else 1. */
export function exitCodeOf({ exits, failed, jobs }: RunTotals, interrupted: boolean): ExitCode {
  if (interrupted) return EXIT.interrupted
  const [first, ...others] = exits
  if (first === undefined) return EXIT.ok
  const isShared = others.length === 0 && (first === EXIT.missing || failed === jobs)
  return isShared ? first : EXIT.failed
}
