import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Blobs } from '../../store/blobs.ts'

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** The client's own id if it is harmless, otherwise a new one. */
export function requestIdOf(inbound: string | string[] | undefined): string {
  return typeof inbound === 'string' && REQUEST_ID.test(inbound) ? inbound : randomUUID()
}

const FIXED: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-xss-protection': '0',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

/** Policy for the pages of /api/docs, which use their own scripts and styles; no other response is a page. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

/** Policy for the console: its own scripts and styles; pictures and media of results, also from memory, and the QR code. */
const consolePolicyOf = (storage: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:${storage}; media-src 'self' blob:${storage}; ` +
  `connect-src 'self'${storage}; form-action 'self'; frame-ancestors 'none'; base-uri 'self'`

/**
 * The policy of the console. Where downloads are redirected to a storage, its results are shown from there: the policy
 * also applies to the target of a redirect.
 */
export function consolePolicy({ presigned }: Pick<Blobs, 'presigned'>): () => Promise<string> {
  let known: Promise<string> | undefined
  const read = async (): Promise<string> => {
    // The storage's own client knows whether the bucket is in the name of the host.
    const address = await presigned?.('console', { disposition: 'attachment', mime: 'text/plain', seconds: 1 })
    return consolePolicyOf(address === undefined ? '' : ` ${new URL(address).origin}`)
  }
  return () => {
    known ??= read().catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
}

export function setHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id)
  for (const [name, value] of Object.entries(FIXED)) reply.header(name, value)
  reply.header('content-security-policy', request.url.startsWith('/api/docs') ? DOCS_POLICY : "default-src 'none'")
  if (request.protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
}

/** Headers of every response, including refusals and unknown paths. */
export function addHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => setHeaders(request, reply))
}
