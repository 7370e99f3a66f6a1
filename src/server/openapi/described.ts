import type { FastifySchema, RouteOptions } from 'fastify'
import type { JsonSchema } from '../../tool/json-schema.ts'
import { MAX_PARAMETER } from '../http/limits.ts'
import { MAX_KEY, usesKey } from '../idempotency/rules.ts'
import { failuresOf } from './failures.ts'

/** Descriptions of path parameters. */
const PARAMETERS: Readonly<Record<string, string>> = {
  id: 'the id of the record, as lists and answers have it',
  jobId: 'the id of the job, or the clientJobId that it was sent with',
  uploadId: 'the id of the upload, as the answer that created it has it',
  toolId: 'the id of the tool',
  bundleId: 'the id of the bundle',
  filename: 'the name of the file, as the answer that named it has it',
  key: 'the name of the setting',
  section: 'the section of the tool, such as image',
  keyId: 'the id of the key',
  deliveryId: 'the id of the delivery, which is the webhook-id of its requests',
}

/** Default descriptions of query parameters. */
const QUERY: Readonly<Record<string, string>> = {
  limit: 'how many at most',
  offset: 'how many of the first are left out',
  search: 'a part of the name',
  status: 'only those in this state',
  days: 'how many days back',
  action: 'only entries of this user name',
  ip: 'only from this address',
  from: 'not before this moment, ISO 8601',
  to: 'not after this moment, ISO 8601',
}

const words = (path: string): string[] => path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
const capital = (word: string): string => word[0]!.toUpperCase() + word.slice(1)

/**
 * The operationId, which generated clients use as the method name: section and id for a tool (`imageResize`), method
 * and path for all others (`getFilesById`).
 */
export function operationId(method: string, url: string): string {
  const [, tool] = /^\/api\/v1\/tools\/(.+)$/.exec(url) ?? []
  const isTool = method === 'POST' && tool !== undefined
  const parts = (isTool ? tool : url.replace(/^\/api\/(v1\/)?/, '')).split('/').flatMap((part) => {
    const own = words(part)
    return part.startsWith(':') || part.startsWith('{') ? ['by', ...own] : own
  })
  const [first = '', ...others] = isTool ? parts : [method.toLowerCase(), ...parts]
  return first + others.map(capital).join('')
}

interface Described {
  [part: string]: unknown
  querystring?: { properties?: Record<string, JsonSchema> }
  response?: Record<string, unknown>
  body?: unknown
  consumes?: readonly string[]
}

function withQueryWords(querystring: Described['querystring']): object {
  if (!querystring?.properties) return {}
  const properties = Object.fromEntries(
    Object.entries(querystring.properties).map(([name, schema]) => [
      name,
      { ...(QUERY[name] && { description: QUERY[name] }), ...schema },
    ]),
  )
  return { querystring: { ...querystring, properties } }
}

/** The header of requests that may be repeated. */
const KEY_HEADER: JsonSchema = {
  ...{ type: 'string', minLength: 1, maxLength: MAX_KEY },
  description: 'repeats with the same key get the answer of the first request, and create nothing',
}

/** Adds to a route's schema its operationId, parameter descriptions and error responses. */
export function described(schema: FastifySchema | undefined, url: string, route: RouteOptions): FastifySchema {
  if (schema?.response === undefined) return { ...schema, hide: true } as FastifySchema
  const given = schema as Described
  const { access, takesForms } = (route.config ?? {}) as { access?: string; takesForms?: boolean }
  const isOpen = access === 'public'
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const params = {
    type: 'object',
    properties: Object.fromEntries(
      names.map((name) => [name, { type: 'string', maxLength: MAX_PARAMETER, description: PARAMETERS[name] }]),
    ),
  }
  const takesKey = usesKey(String(route.method), url, access)
  const takesFiles = takesForms === true || given.consumes?.includes('multipart/form-data') === true
  const failures = failuresOf({
    isOpen,
    hasParameters: names.length > 0,
    hasQuery: given.querystring !== undefined,
    takesBody: takesFiles || given.body !== undefined,
    takesFiles,
    takesKey,
    isGuarded: !isOpen && access !== 'auth',
  })
  return {
    ...given,
    operationId: operationId(String(route.method), url),
    ...(names.length > 0 && { params }),
    ...withQueryWords(given.querystring),
    ...(takesKey && { headers: { type: 'object', properties: { 'Idempotency-Key': KEY_HEADER } } }),
    ...(isOpen && { security: [] }),
    // The access rule: `public`, `auth` (any signed-in user), `session` (no API key), or the required permission.
    'x-access': access,
    // The route's own responses are more precise.
    response: { ...failures, ...given.response },
  } as FastifySchema
}
