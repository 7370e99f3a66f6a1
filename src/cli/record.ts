import type { ErrorCode, ExitCode, MediaprocError } from '../errors.ts'
import { EXIT } from '../errors.ts'
import type { StepTime } from '../pipeline/run.ts'
import type { PlacedOutput } from './placement.ts'

/** An output; `variant` where a pipeline has several. */
export type RecordedOutput = PlacedOutput & { variant?: string }

/** What became of one job: a line of --json. Its JSON Schema is in record-schema.ts. */
export type JobRecord = {
  /** `image/resize`, or `pipeline/web-images` */
  tool: string
  /** As given; a list for tools that take several files, null for tools that take none. */
  input: string | string[] | null
  warnings?: string[]
  /** Whole milliseconds. */
  ms: number
} & (
  | { ok: true; skipped?: true; outputs: RecordedOutput[]; steps?: StepTime[]; result?: Record<string, unknown> }
  | { ok: false; error: { code: ErrorCode; message: string; hint: string } }
)

/** A record with what does not go into it. */
export interface Outcome {
  record: JobRecord
  error?: MediaprocError
  /** What is printed instead of the report. */
  lines?: readonly string[]
}

/** One line of --json, in the documented order of keys. */
export function recordLine({ tool, input, warnings, ms, ...rest }: JobRecord): string {
  const end = { ...(warnings && warnings.length > 0 && { warnings }), ms }
  if (!rest.ok) return JSON.stringify({ tool, input, ok: false, error: rest.error, ...end })
  const { skipped, outputs, steps, result } = rest
  return JSON.stringify({
    tool,
    input,
    ok: true,
    ...(skipped && { skipped }),
    outputs,
    ...(steps && { steps }),
    ...(result && { result }),
    ...end,
  })
}

/** The exit code of a run: the one that all failures share where nothing was done or an engine is missing, else 1. */
export function exitCodeOf(outcomes: readonly Outcome[], interrupted: boolean): ExitCode {
  if (interrupted) return EXIT.interrupted
  const exits = outcomes.flatMap(({ error }) => (error ? [error.exit] : []))
  if (exits.length === 0) return EXIT.ok
  if (exits.every((exit) => exit === EXIT.missing)) return EXIT.missing
  const shared = exits.length === outcomes.length && exits.every((exit) => exit === exits[0])
  return shared ? exits[0]! : EXIT.failed
}
