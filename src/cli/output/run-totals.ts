import type { ExitCode } from '../../errors.ts'
import type { JobOutcome } from '../../local/planned-run.ts'

/**
 * What the end of a run needs of its outcomes: counts and sums. The outcomes of a hundred thousand files would fill the
 * memory.
 */
export class RunTotals {
  /** Jobs that were started. */
  jobs = 0
  failed = 0
  /** Jobs whose outputs were up to date. */
  skipped = 0
  warnings = 0
  /** Inputs that became files, with the bytes before and after. */
  changed = 0
  bytesBefore = 0
  bytesAfter = 0
  /** The exit codes of the failures. */
  readonly exits = new Set<ExitCode>()

  add(outcome: JobOutcome): void {
    this.jobs += 1
    this.warnings += outcome.warnings.length
    if (!outcome.ok) {
      this.failed += 1
      this.exits.add(outcome.error.exit)
    } else if (outcome.skipped) this.skipped += 1
    else if (outcome.inputBytes && outcome.outputs.length > 0) {
      this.changed += 1
      this.bytesBefore += outcome.inputBytes
      for (const { bytes } of outcome.outputs) this.bytesAfter += bytes
    }
  }

  /** Jobs that ended with results. */
  get done(): number {
    return this.jobs - this.failed - this.skipped
  }
}

/** The totals of outcomes that are in memory. */
export function totalsOf(outcomes: Iterable<JobOutcome>): RunTotals {
  const totals = new RunTotals()
  for (const outcome of outcomes) totals.add(outcome)
  return totals
}
