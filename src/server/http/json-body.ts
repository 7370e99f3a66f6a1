import type { FastifyInstance } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import { excessOf } from './json-limits.ts'
import { MEBIBYTE } from './limits.ts'

/** Takes bodies of a media type as JSON: an empty one counts as {}, keys that could pollute prototypes are refused. */
export function addJsonType(app: FastifyInstance, type: string): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser(type, { parseAs: 'string', bodyLimit: MEBIBYTE }, (request, body, done) => {
    if (body.length === 0) {
      done(null, {})
      return
    }
    const excess = excessOf(body as string, request.routeOptions.config.maxJsonValues)
    if (excess) done(new MediaprocError('MALFORMED_JSON', `body: ${excess}`, { hint: 'Send less in one request.' }))
    else parse(request, body as string, done)
  })
}
