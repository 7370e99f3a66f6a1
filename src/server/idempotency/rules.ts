/** How requests with an Idempotency-Key are treated, where the route differs from all others. */
type Rule =
  /** The key is ignored: the route stores nothing, or has a protection of its own against repeats. */
  | 'ignored'
  /** The answer to a success has a secret that is shown once: it is not stored. */
  | 'secret'

/** By the address of the route. Public routes, such as those of sign-in, always ignore the key. */
export const RULES: Readonly<Record<string, Rule>> = {
  '/api/v1/api-keys': 'secret',
  '/api/v1/service-accounts/:id/keys': 'secret',
  '/api/v1/webhooks': 'secret',
  '/api/v1/webhooks/:id/rotate': 'secret',
  '/api/v1/webhooks/callback-secret': 'secret',
  '/api/v1/enterprise/scim/token': 'secret',
  '/api/v1/download/:jobId/:filename/link': 'secret',
  '/api/auth/mfa/enroll': 'ignored',
  '/api/auth/mfa/verify': 'ignored',
  '/api/auth/mfa/disable': 'ignored',
  '/api/auth/passkeys/register/options': 'ignored',
  '/api/auth/passkeys/register/verify': 'ignored',
  '/api/auth/passkeys/confirm/options': 'ignored',
  '/api/auth/confirm': 'ignored',
  '/api/v1/auth/device/lookup': 'ignored',
  '/api/v1/auth/device/approve': 'ignored',
  '/api/v1/auth/device/refuse': 'ignored',
  '/api/auth/logout': 'ignored',
  '/api/auth/change-password': 'ignored',
  '/api/v1/uploads/have': 'ignored',
  '/api/v1/pipeline/explain': 'ignored',
  '/api/v1/preview': 'ignored',
  '/api/v1/preview/generate': 'ignored',
  '/mcp': 'ignored',
}

/** Whether a route uses the key. @param url of the route, with the names of its parameters */
export const usesKey = (method: string, url: string, access = 'public'): boolean =>
  method === 'POST' && access !== 'public' && RULES[url] !== 'ignored'

/** Most characters of a key. */
export const MAX_KEY = 255

/** Headers of an answer that are stored with it. All others are made for each answer, such as those of cookies. */
export const STORED_HEADERS = [
  ...['content-type', 'location', 'x-job-id', 'x-ignored-settings'],
  ...['x-original-width', 'x-original-height', 'x-original-duration'],
  ...['tus-resumable', 'upload-offset', 'upload-length', 'upload-expires'],
] as const

/** How long a key is kept, in milliseconds. */
export const KEPT_MS = 24 * 3_600_000
/** Keys of one account that are kept: with more, the oldest ones are removed. */
export const MOST_KEYS = 1000
/** Longest body of an answer that is stored, in bytes. */
export const MOST_BYTES = 4 * 1024
/** A key is locked for this time by a request that runs, and again while it runs, in milliseconds. */
export const LOCK_MS = 60_000
/** When a client should repeat a request that still runs, in seconds. */
export const RETRY_AFTER_S = 2
