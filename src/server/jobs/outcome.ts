import type { Done, JobWarning } from '../../pool/messages.ts'

/** Adds the warnings to the report of the tool, each once: some tools report theirs themselves. */
export function withWarnings(made: Done, warnings: readonly JobWarning[]): Done {
  if (warnings.length === 0) return made
  const own = made.report?.warnings
  const all = new Set([...(Array.isArray(own) ? (own as string[]) : []), ...warnings.map(({ message }) => message)])
  return { ...made, report: { ...made.report, warnings: [...all] } }
}

/**
 * What the tool returned, unchanged and apart from the fields of the response: for clients that name, print and save
 * results as the command line does. Files are in order, with the names that their downloads have.
 */
export function outcomeOf(
  { outputs, set, report, lines }: Done,
  warnings: readonly JobWarning[],
): Record<string, unknown> {
  return {
    files: outputs.map(({ field: _field, ...file }) => file),
    ...(set !== undefined && { set }),
    ...(report && { report }),
    ...(lines && { lines }),
    warnings,
  }
}
