import type { FastifyReply } from 'fastify'
import { type ErrorCode, MediaprocError, toMediaprocError } from '../../errors.ts'

/** Body of every error response. */
export interface ErrorBody {
  error: string
  code: string
  details?: string | readonly { path: string; message: string }[]
  [field: string]: unknown
}

/** Error labels that existing clients compare: they stay unchanged, and the message goes into `details`. */
const LABELS: Partial<Record<ErrorCode, string>> = {
  INVALID_SETTINGS: 'Invalid settings',
  FEATURE_NOT_INSTALLED: 'Feature not installed',
  PROCESSING_FAILED: 'Processing failed',
  TARGET_UNREACHABLE: 'Processing failed',
  INTERNAL: 'Internal server error',
  CANCELED: 'Canceled',
}

/** Maps any error to a status and a body. Errors outside the catalogue become INTERNAL, so no internals leak. */
export function errorAnswer(error: unknown): { status: number; body: ErrorBody } {
  const known = toMediaprocError(error)
  const { code, status } = known
  // A wrong server setup is not the client's fault.
  if (status === 500 || code === 'INVALID_CONFIG')
    return { status: 500, body: { error: LABELS.INTERNAL!, code: 'INTERNAL' } }
  const label = LABELS[code]
  const sentence = known.httpMessage
  const hint = known.httpHint && `. ${known.httpHint}`
  const body: ErrorBody = label
    ? { error: label, code, ...(sentence !== label && { details: sentence + hint }) }
    : { error: sentence, code, ...(hint && { details: known.httpHint }) }
  if (code === 'CANCELED') body.canceled = true
  return { status, body: { ...body, ...known.fields } }
}

/** Default Retry-After of a 503 or 429, in seconds. */
const RETRY_AFTER_S = 5

/** Adds Retry-After to a 503 or 429, and to other errors that say when to retry. */
export function setRetryAfter(reply: FastifyReply, status: number, { retryAfter }: ErrorBody): void {
  const isPassing = status === 503 || status === 429 || typeof retryAfter === 'number'
  if (isPassing && !reply.hasHeader('retry-after'))
    reply.header('retry-after', typeof retryAfter === 'number' ? retryAfter : RETRY_AFTER_S)
}

/** An error that is for the operator names the request, which the log names as well. */
export const withRequestId = <B extends object>(status: number, body: B, requestId: string | undefined): B =>
  status >= 500 && requestId !== undefined ? { ...body, requestId } : body

/** Sends an error response. */
export function sendError(reply: FastifyReply, error: unknown): FastifyReply {
  const { status, body } = errorAnswer(error)
  setRetryAfter(reply, status, body)
  return reply.code(status).send(withRequestId(status, body, reply.request.id))
}

/** A request field that failed validation. */
export function invalid(message: string, fields?: Record<string, unknown>): MediaprocError {
  return new MediaprocError('VALIDATION_ERROR', message, fields ? { fields } : {})
}

/** The same error for an unknown record and one of another user, so that the response does not reveal which exists. */
export function notFound(): MediaprocError {
  return new MediaprocError('NOT_FOUND', 'Not found')
}
