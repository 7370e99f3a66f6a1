/** Requests to the API. All addresses are below the console's own, which may have a prefix. */
import { randomId } from '../../../src/client/random-id.ts'

/** The address of the console: `https://host/prefix/`. Fixed at the start, because pages change the location. */
export const ROOT = new URL('.', document.baseURI)

const base = document.querySelector('base')
if (base) base.href = ROOT.href

/** An error response, with its machine code and all other fields. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly fields: Record<string, unknown>

  constructor(status: number, fields: Record<string, unknown>) {
    super(typeof fields.error === 'string' ? fields.error : `The server answered ${status}`)
    this.status = status
    this.code = String(fields.code ?? '')
    this.fields = fields
  }

  /** What the server adds to the sentence: the value that it refused, or how long to wait. */
  get details(): string {
    const { details, retryAfter } = this.fields
    if (typeof details === 'string') return details
    return typeof retryAfter === 'number' ? `Try again in ${retryAfter} s` : ''
  }
}

/** The server cannot be reached. */
export class OfflineError extends Error {}

/** The full address of a path of the API, such as `/api/v1/tools` or a `downloadUrl`. */
export const addressOf = (path: string): string => new URL(path.replace(/^\//, ''), ROOT).href

/** Called when a request finds that the session has ended. */
let onSignedOut = (): void => {}
export function whenSignedOut(handler: () => void): void {
  onSignedOut = handler
}

const ENDED = new Set(['AUTH_REQUIRED', 'SESSION_INVALID', 'IDLE_TIMEOUT', 'MUST_CHANGE_PASSWORD'])

export interface CallOptions {
  method?: string
  body?: unknown
  /** A credential other than the cookie. */
  token?: string
  signal?: AbortSignal
  /** The caller handles an ended session itself. */
  mayBeSignedOut?: boolean
  /** The body has the id of its job, which runs only once: the server need not keep the answer of a POST. */
  hasJobId?: boolean
  /** The request is sent even if the page is left. */
  outlivesPage?: boolean
}

/**
 * The header that lets a POST arrive twice: browsers repeat a request by themselves when its connection is reset, and the
 * server then creates one thing.
 */
export function repeatable(method: string): Record<string, string> {
  return method === 'POST' ? { 'idempotency-key': randomId() } : {}
}

/** A response with a successful status. @throws ApiError, OfflineError */
export async function request(path: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', body, token, signal, mayBeSignedOut = false, hasJobId = false } = options
  const isForm = body instanceof FormData
  const response = await fetch(addressOf(path), {
    method,
    credentials: 'same-origin',
    headers: {
      ...(!hasJobId && repeatable(method)),
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
    keepalive: options.outlivesPage === true,
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new OfflineError('The server cannot be reached')
  })
  if (response.ok) return response
  const fields = (await response.json().catch(() => ({}))) as Record<string, unknown>
  const failure = new ApiError(response.status, fields)
  if (!mayBeSignedOut && ENDED.has(failure.code)) onSignedOut()
  throw failure
}

/** The JSON of a response. @throws ApiError, OfflineError */
export async function call<T>(path: string, options: CallOptions = {}): Promise<T> {
  const response = await request(path, options)
  return (await response.json()) as T
}

/** A sentence about any error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return error.details ? `${error.message}: ${error.details}` : error.message
  return error instanceof Error ? error.message : String(error)
}
