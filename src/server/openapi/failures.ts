import { isDeepStrictEqual } from 'node:util'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import type { JsonSchema } from '../../tool/json-schema.ts'
import { exactly, listOf, text } from './shapes.ts'

/** Errors that only the command line reports. */
const OF_THE_SHELL: ReadonlySet<string> = new Set<ErrorCode>([
  ...(['USAGE', 'INVALID_CONFIG', 'OUTPUT_COLLISION', 'OUTPUT_EXISTS', 'OUTPUT_IS_INPUT'] as const),
  ...(['IS_A_FOLDER', 'PERMISSION_DENIED', 'REFUSED_BY_STRICT'] as const),
])

/** Error statuses with their descriptions. */
const MEANINGS = {
  400: 'The request is not valid',
  401: 'No credential, or none that is valid',
  403: 'Not allowed',
  404: 'There is nothing here, or nothing that the caller may see',
  409: 'It does not fit what is there',
  413: 'Too large',
  415: 'Not a type of body or file that is taken',
  422: 'The file could not be processed, or the Idempotency-Key is that of another request',
  429: 'Too many requests or concurrent jobs; Retry-After says when to retry',
  500: 'A fault of the server',
  501: 'What the tool needs is not installed',
  503: 'Not now; Retry-After says when to try again',
  507: 'The disk, or the quota, is full',
} as const

export type FailureStatus = keyof typeof MEANINGS

const codesOf = (status: number): string[] =>
  Object.entries(ERRORS)
    .filter(([code, row]) => row.status === status && !OF_THE_SHELL.has(code))
    .map(([code]) => code)

/** Body of error responses, one per status, with its possible codes. */
export const FAILURE_SCHEMAS: readonly JsonSchema[] = Object.entries(MEANINGS).map(([status, meaning]) => ({
  $id: `Failure${status}`,
  type: 'object',
  description: `${meaning}. Match on code, never on error.`,
  required: ['error', 'code'],
  properties: {
    error: { type: 'string', description: 'a sentence for people' },
    code: {
      type: 'string',
      enum: codesOf(Number(status)),
      description: 'see the table of errors in the documentation',
    },
    details: { anyOf: [text, listOf(exactly({ path: text, message: text }))] },
    ...(Number(status) >= 500 && {
      requestId: { type: 'string', description: 'as in X-Request-Id and the log of the server' },
    }),
  },
  additionalProperties: true,
}))

/** Properties of a route that determine its possible errors. */
export interface Fallible {
  isOpen: boolean
  /** The path contains the id of a record. */
  hasParameters: boolean
  hasQuery: boolean
  /** The route accepts JSON or a form. */
  takesBody: boolean
  takesFiles: boolean
  /** The route uses the header Idempotency-Key. */
  takesKey: boolean
  /** The route requires a permission as well as a credential. */
  isGuarded: boolean
}

/** Error responses of a route, by status. */
export function failuresOf(route: Fallible): Record<string, JsonSchema> {
  const statuses: FailureStatus[] = [
    ...(route.hasQuery || route.takesBody || route.takesKey ? ([400] as const) : []),
    ...(route.isOpen ? [] : ([401] as const)),
    ...(route.isGuarded ? ([403] as const) : []),
    ...(route.hasParameters ? ([404] as const) : []),
    ...(route.takesBody ? ([409, 413, 415] as const) : []),
    ...(route.takesKey ? ([409, 422] as const) : []),
    ...(route.takesFiles ? ([404, 422, 501, 507] as const) : []),
    ...([429, 500, 503] as const),
  ]
  return Object.fromEntries(
    [...new Set(statuses)].map((status) => [status, { description: MEANINGS[status], $ref: `Failure${status}#` }]),
  )
}

interface Answer {
  $ref?: string
  description?: string
  content?: Record<string, { schema?: JsonSchema }>
}

/** Error responses as shared responses of the document. */
export const FAILURE_RESPONSES: Readonly<Record<string, { description: string; content: object }>> = Object.fromEntries(
  Object.entries(MEANINGS).map(([status, description]) => [
    `Failure${status}`,
    { description, content: { 'application/json': { schema: { $ref: `#/components/schemas/Failure${status}` } } } },
  ]),
)

/** Replaces responses that equal a shared response by a reference to it. */
export function shareFailures(paths: Record<string, Record<string, unknown>>): void {
  for (const item of Object.values(paths))
    for (const { responses = {} } of Object.values(item) as { responses?: Record<string, Answer> }[])
      for (const [status, answer] of Object.entries(responses)) {
        const name = `Failure${status}`
        if (isDeepStrictEqual(answer, FAILURE_RESPONSES[name]))
          responses[status] = { $ref: `#/components/responses/${name}` }
      }
}
