import { MediaprocError, toMediaprocError } from '../../errors.ts'
import type { BatchMember, JobFailure, JobRecord } from '../../store/job-record.ts'
import { errorAnswer, withRequestId } from '../http/answers.ts'

/** Unsupported names are refused with 415 at upload; this error is about the content. */
export function wrongContent(error: unknown): unknown {
  if (!(error instanceof MediaprocError) || error.code !== 'UNSUPPORTED_FILE_TYPE') return error
  return new MediaprocError('INVALID_FILE', error.message, { hint: '', cause: error })
}

/** A failure as stored in a job's record and reported to clients. */
export function failureOf(error: unknown): JobFailure {
  const { status, body } = errorAnswer(toMediaprocError(error))
  const { error: message, code, details, ...fields } = body
  return { message, code, status, ...(details && { details: String(details) }), fields }
}

/** Outcome of a job; a canceled job may have results as well. */
export type Outcome = Pick<JobRecord, 'outputs' | 'result' | 'error'>

export const failed = (error: unknown): Outcome => ({ outputs: [], result: null, error: failureOf(error) })

/** With the code of the tool, and the message and the hint apart, which the other fields join. */
export function failedWithHint(error: unknown): Outcome {
  const { error: failure, ...rest } = failed(error)
  const known = toMediaprocError(error)
  const { httpMessage: message, httpHint: hint, cause } = known
  if (!failure || failure.code !== known.code) return { ...rest, error: failure }
  const { code } = cause instanceof MediaprocError && cause.message === known.message ? cause : known
  return { ...rest, error: { ...failure, fields: { ...failure.fields, failure: { code, message, hint } } } }
}

/** A failed file of a batch, as it appears in lists. */
export function memberFailure({ filename, error }: BatchMember): Record<string, unknown> {
  const { message, code, details } = error!
  return { filename, error: message, code, ...(details && { details }) }
}

/** Response of a failed job. @param requestId of the request that submitted it */
export function failureAnswer(
  { message, code, status, details, fields }: JobFailure,
  requestId: string | undefined,
): Record<string, unknown> {
  return withRequestId(status, { error: message, code, ...(details && { details }), ...fields }, requestId)
}
