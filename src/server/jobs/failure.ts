import { toMediaprocError } from '../../errors.ts'
import type { JobFailure } from '../../store/job-records.ts'
import { errorAnswer } from '../answer.ts'

/** How a failure is kept in a job's record and told to clients. */
export function failureOf(error: unknown): JobFailure {
  const { status, body } = errorAnswer(toMediaprocError(error))
  const { error: message, code, details, ...fields } = body
  return { message, code, status, ...(details && { details: String(details) }), fields }
}

/** The answer of a failed job. */
export function failureAnswer({ message, code, details, fields }: JobFailure): Record<string, unknown> {
  return { error: message, code, ...(details && { details }), ...fields }
}
