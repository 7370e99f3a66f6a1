import { MediaprocError, toMediaprocError } from '../../errors.ts'
import type { BatchMember, JobFailure, JobRecord } from '../../store/job-record.ts'
import { errorAnswer } from '../http/answers.ts'

/** A name that does not fit is refused as 415 beforehand; here the content has spoken. */
export function wrongContent(error: unknown): unknown {
  if (!(error instanceof MediaprocError) || error.code !== 'UNSUPPORTED_FILE_TYPE') return error
  return new MediaprocError('INVALID_FILE', error.message, { hint: '', cause: error })
}

/** How a failure is kept in a job's record and told to clients. */
export function failureOf(error: unknown): JobFailure {
  const { status, body } = errorAnswer(toMediaprocError(error))
  const { error: message, code, details, ...fields } = body
  return { message, code, status, ...(details && { details: String(details) }), fields }
}

/** How a job ended; one that was stopped may have results as well. */
export type Outcome = Pick<JobRecord, 'outputs' | 'result' | 'error'>

export const failed = (error: unknown): Outcome => ({ outputs: [], result: null, error: failureOf(error) })

/** A file of a batch that failed, as lists name it. */
export function memberFailure({ filename, error }: BatchMember): Record<string, unknown> {
  const { message, code, details } = error!
  return { filename, error: message, code, ...(details && { details }) }
}

/** The answer of a failed job. */
export function failureAnswer({ message, code, details, fields }: JobFailure): Record<string, unknown> {
  return { error: message, code, ...(details && { details }), ...fields }
}
