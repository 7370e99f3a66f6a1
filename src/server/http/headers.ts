import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

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

/** Policy for the sign-in pages: their own scripts and styles, and the API's QR code. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; form-action 'self'; " +
  "frame-ancestors 'none'; base-uri 'self'"

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
