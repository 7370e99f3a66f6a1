import { type ErrorCode, type ErrorParts, MediaprocError } from '../../errors.ts'

/** An error as data: a library's Error can contain values that cannot be cloned. */
export interface WorkerFailure {
  name: string
  message: string
  stack?: string
  /** For an error from the catalogue. */
  known?: { code: ErrorCode } & Omit<ErrorParts, 'cause'>
  /** The question whose refusal caused it. */
  refused?: number
}

/** The question whose refusal an error is, or has as its cause. */
function refusedBy(error: unknown, refusals: ReadonlyMap<unknown, number>): number | undefined {
  for (let one = error; one instanceof Error; one = one.cause) if (refusals.has(one)) return refusals.get(one)
  return undefined
}

/** @param refusals maps errors to the questions they refused */
export function failureOf(error: unknown, refusals: ReadonlyMap<unknown, number> = new Map()): WorkerFailure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, stack } = error
  const refused = refusedBy(error, refusals)
  const common = { name, message, ...(stack !== undefined && { stack }), ...(refused !== undefined && { refused }) }
  if (!(error instanceof MediaprocError)) return common
  return { ...common, known: { code: error.code, ...error.parts } }
}

/** Rebuilds the error from a failure. @param cause its cause on this side */
export function errorOf({ name, message, stack, known }: WorkerFailure, cause?: unknown): Error {
  if (known) {
    const { code, ...parts } = known
    return Object.assign(new MediaprocError(code, message, { ...parts, cause }), stack !== undefined && { stack })
  }
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), {
    name,
    ...(stack !== undefined && { stack }),
  })
}
