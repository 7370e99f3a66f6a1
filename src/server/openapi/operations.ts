import type { FastifySchema, RouteOptions, RouteShorthandOptions } from 'fastify'
import type { CatalogueAction, CatalogueEntry } from '../../tool/catalogue.ts'
import { sentInput, sentSettings } from '../../tool/from-job.ts'
import type { JsonSchema } from '../../tool/json-schema.ts'
import { outputText } from '../../tool/output-type.ts'
import type { SettingsTable } from '../../tool/settings.ts'
import { MAX_FILES, MAX_ID, MAX_JSON_FIELD, MAX_SETTINGS } from '../http/limits.ts'
import { MAX_ADDRESS } from '../webhooks/rules.ts'
import { FAILURE_SCHEMAS } from './failures.ts'
import { component, settingsName } from './settings-schemas.ts'
import { RECORD_SCHEMAS } from './shapes.ts'
import { WEBHOOK_SCHEMAS } from './webhooks.ts'

/** Schema of a route: Fastify validates requests with it, and openapi.yaml is generated from it. */
export interface Operation {
  schema: NonNullable<RouteShorthandOptions['schema']>
}

export interface OperationParts {
  /** Query parameters; they are converted from text, and defaults are applied. */
  query?: Record<string, JsonSchema>
  /** The JSON body. */
  body?: JsonSchema
  /** The file form: properties of the body, for documentation only. */
  form?: JsonSchema
  /** Media type of the response, if it is not JSON. */
  content?: string
  /** Component of each event of a server-sent event stream; the response is text/event-stream. */
  events?: string
  /** The JSON response. */
  answer?: JsonSchema
  /** The JSON response when the server should get no traffic: a state, not an error. */
  unready?: JsonSchema
  /** Success redirects the browser; describes the target. */
  redirect?: string
  /** Status of a successful response, 200 by default. */
  status?: number
  description?: string
  deprecated?: boolean
  /** The job may outlast the request, which then returns the address to poll. */
  mayWait?: boolean
  /** Left out of the OpenAPI file. */
  hide?: boolean
}

/** A route's schema, or a function that builds it on demand. */
export function schemaOf({ schema, config }: Pick<RouteOptions, 'schema' | 'config'>): FastifySchema | undefined {
  return config?.describes?.() ?? schema
}

/** Shared schemas: records, bodies of error responses, and the response of a finished job. */
export const SHARED_SCHEMAS: readonly JsonSchema[] = [
  ...RECORD_SCHEMAS,
  ...WEBHOOK_SCHEMAS,
  ...FAILURE_SCHEMAS,
  {
    $id: 'Result',
    type: 'object',
    description: 'A finished job. Tools may add fields of their own.',
    required: ['jobId'],
    properties: {
      jobId: { type: 'string' },
      downloadUrl: { type: 'string', description: 'where the result is, relative to the server' },
      originalSize: { type: 'integer', description: 'bytes' },
      processedSize: { type: 'integer', description: 'bytes' },
      warnings: {
        ...{ type: 'array', items: { type: 'string' } },
        description: 'what the tool could not do as requested, or lost, with reasons; absent if there is nothing',
      },
      savedFileId: { type: 'string', description: 'the new version in the library; only with fileId' },
    },
    additionalProperties: true,
  },
  {
    $id: 'Accepted',
    type: 'object',
    description: 'The job continues: follow /api/v1/jobs/{jobId}/progress, or request /api/v1/jobs/{jobId}.',
    required: ['jobId', 'async'],
    properties: {
      jobId: { type: 'string' },
      async: { type: 'boolean', const: true },
      progressJobId: { type: 'string' },
      artifactJobId: { type: 'string' },
    },
  },
]

const binary = (content: string) => ({
  description: 'the file',
  content: { [content]: { schema: { type: 'string', format: 'binary' } } },
})

const ACCEPTED = { description: 'the job takes longer than a request waits, and continues', $ref: 'Accepted#' }

/** Describes an API route with its summary, input and output. */
export function operation(tag: string, summary: string, parts: OperationParts = {}): Operation {
  const {
    query,
    body,
    form,
    content,
    events,
    answer,
    status = 200,
    description,
    deprecated,
    hide,
    mayWait,
    unready,
    redirect,
  } = parts
  const stream = events && { description: 'events', content: { 'text/event-stream': { schema: component(events) } } }
  // A 204 has no body.
  const shape = answer ?? { type: status === 204 ? 'null' : 'object' }
  const success = stream || (content && binary(content)) || { description: 'done', ...shape }
  return {
    schema: {
      tags: [tag],
      summary,
      ...(description && { description }),
      ...(deprecated && { deprecated }),
      ...(hide && { hide }),
      ...(query && { querystring: { type: 'object', properties: query } }),
      ...(body && { body, consumes: ['application/json'] }),
      ...(form && { body: form, consumes: ['multipart/form-data'] }),
      response: {
        ...(redirect ? { 302: { description: redirect, type: 'null' } } : { [status]: success }),
        ...(mayWait && { 202: ACCEPTED }),
        ...(unready && { 503: { description: 'not now', ...unready } }),
      },
    },
  }
}

const FILE: JsonSchema = { type: 'string', format: 'binary' }

/** The form field that names files on the server. */
export const SOURCES: JsonSchema = {
  type: 'string',
  maxLength: MAX_JSON_FIELD,
  description:
    'Files on the server instead of parts with bytes, as a JSON list: {"uploadId": …} for a resumable upload, ' +
    '{"jobId": …, "filename": …} for a result, {"fileId": …, "version": …} for a file of the library (version is optional). ' +
    'Each may have "field", the part that it replaces (file by default), "at", its place among all files from 0 ' +
    '(at the end by default), and "name", its name for this job.',
  examples: ['[{"uploadId":"0b6f4e9c-5d0e-4c43-8f0b-6d3f0c0a7a11"}]'],
}

/** The form field for clients that show results as the command line does. */
export const OUTCOME: JsonSchema = {
  type: 'string',
  enum: ['true', 'false'],
  description:
    'true: the result has the field outcome, with the files, report, lines and warnings of the tool unchanged',
}

/** The form field for clients that are notified of the end of the job. */
export const CALLBACK: JsonSchema = {
  ...{ type: 'string', maxLength: MAX_ADDRESS, format: 'uri' },
  description:
    'an https address that receives a signed message when the job has ended; needs the secret of POST /api/v1/webhooks/callback-secret',
}

function formSchema(
  entry: Pick<CatalogueEntry, 'input'>,
  settings: SettingsTable,
  name: string,
  example: Record<string, unknown> = {},
): JsonSchema {
  const { files, max, secondary = {} } = entry.input
  const own = Object.entries(secondary).map(([name, { what }]) => [name, { ...FILE, description: what }] as const)
  const isMany = files === 'many' || max > 1
  const file = isMany
    ? { type: 'array', maxItems: MAX_FILES, items: FILE, description: 'the input files, in order' }
    : FILE
  return {
    type: 'object',
    properties: {
      ...(files !== 'none' && { file }),
      ...Object.fromEntries(own),
      ...((files !== 'none' || own.length > 0) && { sources: SOURCES }),
      settings: {
        'x-settings': name,
        // Maximum of the JSON text: the schema of an object has no keyword for it.
        'x-maxLength': MAX_SETTINGS,
        description: settingsText(settings),
        examples: [example],
      },
      clientJobId: { type: 'string', maxLength: MAX_ID, description: 'an id of your choice to follow the job by' },
      fileId: { type: 'string', maxLength: MAX_ID, description: 'a library item: the result becomes its next version' },
      saveMode: { type: 'string', enum: ['new', 'overwrite'] },
      outcome: OUTCOME,
      callbackUrl: CALLBACK,
    },
  }
}

/** Description of the settings: clients read the catalogue from here. */
function settingsText(settings: SettingsTable): string {
  const lines = Object.entries(settings).map(([name, { type, help, default: preset }]) => {
    const start = preset === undefined ? '' : `, ${JSON.stringify(preset)} by default`
    return `${name} (${type}): ${help}${start}`
  })
  return lines.length > 0
    ? `JSON object of at most ${MAX_SETTINGS} characters. ${lines.join('; ')}`
    : 'JSON object; the tool has no settings'
}

/** The settings of the first example, in the form that a client sends. */
function exampleOf({ examples }: CatalogueEntry): Record<string, unknown> {
  return { ...examples[0]?.settings }
}

/** Response of a finished tool: the usual result, or the file itself unless the client accepts only JSON. */
function successOf({ output }: CatalogueEntry): JsonSchema {
  if (!output.direct) return { description: 'done', $ref: 'Result#' }
  const { content } = binary(output.archive === undefined ? 'application/octet-stream' : 'application/zip')
  return { description: 'done', content: { ...content, 'application/json': { schema: { $ref: 'Result#' } } } }
}

/** Schema of a tool, preset or action. Its own table validates the settings. */
export function toolOperation(entry: CatalogueEntry, action?: CatalogueAction, isAlias = false): Operation['schema'] {
  const { summary, output, sync, body = entry.body, ...given }: CatalogueAction = action ?? entry
  const input = sentInput(given)
  const settings = sentSettings(given)
  const example = action ? {} : exampleOf(entry)
  const form = formSchema({ input }, settings, settingsName(entry, action), example)
  const { schema } = operation(entry.section, summary, {
    form,
    // The old paths without a section work but are not documented.
    hide: isAlias,
    description: `Takes ${(input.files !== 'none' && input.accept.join(', ')) || 'no file'}. Gives ${outputText(output)}.`,
  })
  const either = {
    content: {
      'application/json': { schema: component(settingsName(entry, action)) },
      'multipart/form-data': { schema: form },
    },
  }
  const response = {
    ...((sync || !entry.async) && { 200: successOf(entry) }),
    202: !sync && entry.async ? { description: 'the job continues', $ref: 'Accepted#' } : ACCEPTED,
  }
  const { consumes: _form, ...rest } = schema as Operation['schema'] & { consumes?: string[] }
  return { ...(body === 'json' ? { ...rest, body: either } : schema), response }
}

/** Schema of a tool's batch route. */
export function batchOperation(entry: CatalogueEntry, isAlias = false): Operation['schema'] {
  const input = { ...entry.input, files: 'many' as const }
  const form = formSchema({ input }, entry.settings, settingsName(entry), exampleOf(entry))
  return operation(entry.section, `${entry.summary} (many files, answered as a ZIP)`, {
    form,
    content: 'application/zip',
    mayWait: true,
    hide: isAlias,
  }).schema
}
