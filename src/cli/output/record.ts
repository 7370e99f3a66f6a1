import { EXIT, type ExitCode, type MediaprocError } from '../../errors.ts'
import { firstOf } from '../../lists.ts'
import type { JobOutcome } from '../../local/planned-run.ts'

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

/** How a job ended: what remains of an outcome for exit codes. */
export type Ended = { ok: true } | { ok: false; error: Pick<MediaprocError, 'exit'> }

/** The exit code of a run: the common code of all failures if nothing succeeded or an engine is missing, else 1. */
export function exitCodeOf(outcomes: readonly Ended[], interrupted: boolean): ExitCode {
  if (interrupted) return EXIT.interrupted
  const exits = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.error.exit]))
  if (exits.length === 0) return EXIT.ok
  if (exits.every((exit) => exit === EXIT.missing)) return EXIT.missing
  const shared = exits.length === outcomes.length && exits.every((exit) => exit === exits[0])
  return shared ? firstOf(exits) : EXIT.failed
}
