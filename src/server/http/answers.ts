import type { FastifyReply } from 'fastify'
import { type ErrorCode, MediaprocError, toMediaprocError } from '../../errors.ts'

/** The body of every failed answer. */
export interface ErrorBody {
  error: string
  code: string
  details?: string | readonly { path: string; message: string }[]
  [field: string]: unknown
}

/** Labels that known clients compare: they stay as they are, and the sentence goes into `details`. */
const LABELS: Partial<Record<ErrorCode, string>> = {
  INVALID_SETTINGS: 'Invalid settings',
  FEATURE_NOT_INSTALLED: 'Feature not installed',
  PROCESSING_FAILED: 'Processing failed',
  TARGET_UNREACHABLE: 'Processing failed',
  INTERNAL: 'Internal server error',
  CANCELED: 'Canceled',
}

/** Any failure as status and body. Nothing internal is in it: what is not in the catalogue is INTERNAL. */
export function errorAnswer(error: unknown): { status: number; body: ErrorBody } {
  const known = toMediaprocError(error)
  const { code, status } = known
  // That the server is not set up well is no fault of the request.
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

/** Seconds after which a 503, or a 429 that does not say more, is worth another try. */
const RETRY_AFTER_S = 5

/** Answers a failure. */
export function sendError(reply: FastifyReply, error: unknown): FastifyReply {
  const { status, body } = errorAnswer(error)
  if ((status === 503 || status === 429) && !reply.hasHeader('retry-after'))
    reply.header('retry-after', typeof body.retryAfter === 'number' ? body.retryAfter : RETRY_AFTER_S)
  return reply.code(status).send(body)
}

/** A field of a request that breaks its rule. */
export function invalid(message: string, fields?: Record<string, unknown>): MediaprocError {
  return new MediaprocError('VALIDATION_ERROR', message, fields ? { fields } : {})
}

/** What is unknown, and what belongs to somebody else: the answer never tells which. */
export function notFound(): MediaprocError {
  return new MediaprocError('NOT_FOUND', 'Not found')
}
