import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ERROR_SCHEMA } from '../../../accounts/scim/resources.ts'
import { MediaprocError } from '../../../errors.ts'
import type { ServerContext } from '../../context.ts'
import { errorAnswer, setRetryAfter } from '../../http/answers.ts'
import { knownFailure } from '../../http/framework-failures.ts'
import { perMinute } from '../../http/route-options.ts'
import { SCIM_TYPE } from './describe.ts'

/** Kinds of errors that are no SCIM error of their own, by code. */
const KINDS: Readonly<Record<string, string>> = {
  VALIDATION_ERROR: 'invalidValue',
  MALFORMED_JSON: 'invalidSyntax',
  CONFLICT: 'uniqueness',
}

/** Path of the SCIM API. */
export const SCIM_PATH = '/api/v1/scim/v2'

/** Requests per minute and address, for all SCIM routes together. */
const MOST_REQUESTS = 1000

/**
 * Limits requests. One address sends those of a whole company, so the limit may be above RATE_LIMIT_PER_MIN; without
 * that one, there is none.
 */
export function addScimLimit(scim: FastifyInstance, { config }: Pick<ServerContext, 'config'>): void {
  if (config.rateLimitPerMin === 0) return
  // One handler for all routes: limits in their options would count for each route.
  const limit = scim.rateLimit(perMinute(MOST_REQUESTS))
  scim.addHook('onRequest', (request, reply) => limit.call(scim, request, reply))
}

/** Public address of the SCIM API, without a slash at the end. */
export function scimBase({ config }: Pick<ServerContext, 'config'>, request: FastifyRequest): string {
  return (config.externalUrl || `${request.protocol}://${request.host}${config.basePath}`) + SCIM_PATH
}

/** Sends errors as RFC 7644, section 3.12, describes. */
export function addScimErrors(scim: FastifyInstance): void {
  scim.setErrorHandler((error: Parameters<typeof knownFailure>[0], request, reply) => {
    const failure = knownFailure(error, request)
    const { status, body } = errorAnswer(failure)
    const { error: sentence, code, details } = body
    const kind = 'scimType' in body ? body.scimType : KINDS[code]
    setRetryAfter(reply, status, body)
    if (status >= 500 && !(failure instanceof MediaprocError))
      request.log.error({ err: error, method: request.method, path: request.routeOptions.url }, 'an unexpected error')
    return reply
      .code(status)
      .type(SCIM_TYPE)
      .send({
        schemas: [ERROR_SCHEMA],
        status: String(status),
        ...(typeof kind === 'string' && { scimType: kind }),
        detail: typeof details === 'string' ? `${sentence}: ${details}` : sentence,
        code,
      })
  })
}

/** Attributes that a client asks for or leaves out. */
export interface AttributeQuery {
  attributes?: string
  excludedAttributes?: string
}

const namesIn = (text: string): ReadonlySet<string> =>
  new Set(
    text.split(',').map((name) =>
      name
        .trim()
        .toLowerCase()
        .replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/, '')
        .replace(/\..*$/, ''),
    ),
  )

/** Leaves out what the client does not want; `schemas` and `id` are always there. */
export function shaped<Resource extends object>(
  resource: Resource,
  { attributes, excludedAttributes }: AttributeQuery,
): Partial<Resource> {
  if (attributes === undefined && excludedAttributes === undefined) return resource
  const names = namesIn(attributes ?? excludedAttributes ?? '')
  const isWanted = (name: string) => names.has(name.toLowerCase()) === (attributes !== undefined)
  return Object.fromEntries(
    Object.entries(resource).filter(([name]) => name === 'schemas' || name === 'id' || isWanted(name)),
  ) as Partial<Resource>
}

/** Sends a resource or a list. */
export function sendScim(reply: FastifyReply, body: object, status = 200): FastifyReply {
  return reply.code(status).type(SCIM_TYPE).send(body)
}
