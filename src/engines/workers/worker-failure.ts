import { type ErrorCode, type ErrorParts, MediaprocError } from '../../errors.ts'

/** An error as data: an Error of a library may hold what cannot be cloned. */
export interface WorkerFailure {
  name: string
  message: string
  stack?: string
  /** Set for errors of the catalogue. */
  known?: { code: ErrorCode } & Pick<ErrorParts, 'hint' | 'detail' | 'fields' | 'status'>
  /** The question whose refusal led to it. */
  refused?: number
}

/** The question whose refusal an error is, or has as its cause. */
function refusedBy(error: unknown, refusals: ReadonlyMap<unknown, number>): number | undefined {
  for (let one = error; one instanceof Error; one = one.cause) if (refusals.has(one)) return refusals.get(one)
  return undefined
}

/** @param refusals which question some errors are the refusal of */
export function failureOf(error: unknown, refusals: ReadonlyMap<unknown, number> = new Map()): WorkerFailure {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, stack } = error
  const refused = refusedBy(error, refusals)
  const common = { name, message, ...(stack !== undefined && { stack }), ...(refused !== undefined && { refused }) }
  if (!(error instanceof MediaprocError)) return common
  const { code, hint, detail, fields, status } = error
  return {
    ...common,
    known: { code, hint, status, ...(detail !== undefined && { detail }), ...(fields && { fields }) },
  }
}

/** The error that a failure describes. @param cause the original error on this side */
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
