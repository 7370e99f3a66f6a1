import type { ErrorCode } from '../errors.ts'

/** Sentences that only name the kind of a failure: the details say what happened. */
const LABELS: ReadonlySet<unknown> = new Set([
  ...['Invalid settings', 'Processing failed', 'Feature not installed', 'Canceled'],
])

export const isLabel = (sentence: unknown): boolean => LABELS.has(sentence)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** `details` of a failed request can be a list of fields. */
export function detailsOf(details: unknown): string {
  if (!Array.isArray(details)) return textOf(details)
  return details.map((one) => (isObject(one) ? `${textOf(one.path)}: ${textOf(one.message)}` : '')).join('; ')
}

/** A request or a job that failed. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The code of docs/errors.md; SERVER_UNREACHABLE if no answer of a mediaproc server arrived. */
  readonly code: ErrorCode | (string & {})
  /** What to do next; empty if the server has no advice. */
  readonly hint: string
  /** Status of the response; undefined if none arrived, or if the job failed after its request was answered. */
  readonly status: number | undefined
  /** All fields of the response: some codes have more of them, such as `retryAfter`. */
  readonly fields: Readonly<Record<string, unknown>>

  constructor(
    code: string,
    message: string,
    { hint = '', status, fields = {}, cause }: Partial<Pick<ApiError, 'hint' | 'status' | 'fields' | 'cause'>> = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.hint = hint
    this.status = status
    this.fields = fields
  }
}

/**
 * The error of a failed response, or of the last event of a job.
 * @param body the JSON; anything else is not an answer of a mediaproc server
 */
export function apiError(body: unknown, status: number | undefined): ApiError {
  const fields = isObject(body) ? body : {}
  const { code, error, details, failure } = fields
  if (typeof code !== 'string')
    return new ApiError('SERVER_UNREACHABLE', `The server answered with the status ${status}`, {
      hint: 'Check the address of the server.',
      ...(status !== undefined && { status }),
      fields,
    })
  const about = { ...(status !== undefined && { status }), fields }
  if (isObject(failure))
    return new ApiError(textOf(failure.code) || code, textOf(failure.message), { ...about, hint: textOf(failure.hint) })
  const [sentence, more] = [textOf(error), detailsOf(details)]
  if (isLabel(sentence) && more) return new ApiError(code, more, about)
  return new ApiError(code, sentence || code, { ...about, hint: more })
}

/** No answer arrived. */
export const unreachable = (address: string, cause?: unknown): ApiError =>
  new ApiError('SERVER_UNREACHABLE', `${address} does not answer`, {
    hint: 'Check the address, the network, and that the server runs.',
    cause,
  })

export const isUnreachable = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'SERVER_UNREACHABLE' && error.status === undefined
