import type { FastifyInstance } from 'fastify'

/**
 * Reads forms (`application/x-www-form-urlencoded`) as an object; the last value of a repeated field counts. Only the routes of
 * this scope take them: elsewhere a form of another site would be a request with the user's cookie.
 */
export function readForms(scope: FastifyInstance): void {
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body as string))),
  )
}
