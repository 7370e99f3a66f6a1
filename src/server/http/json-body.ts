import type { FastifyInstance } from 'fastify'
import { MediaprocError } from '../../errors.ts'
import { isTooDeep, MAX_JSON_DEPTH } from './json-depth.ts'

export const MEBIBYTE = 1024 * 1024

/** Takes bodies of a media type as JSON: an empty one counts as {}, keys that could pollute prototypes are refused. */
export function addJsonType(app: FastifyInstance, type: string): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser(type, { parseAs: 'string', bodyLimit: MEBIBYTE }, (request, body, done) => {
    if (body.length === 0) done(null, {})
    else if (isTooDeep(body as string))
      done(new MediaprocError('MALFORMED_JSON', `The body is nested deeper than ${MAX_JSON_DEPTH} levels`))
    else parse(request, body as string, done)
  })
}
