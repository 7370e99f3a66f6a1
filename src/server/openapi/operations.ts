import type { RouteShorthandOptions } from 'fastify'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { type JsonSchema, tableSchema } from '../../tool/json-schema.ts'
import { outputText } from '../../tool/output-type.ts'
import type { SettingsTable } from '../../tool/settings.ts'
import { UNCHECKED } from '../route-options.ts'

/** What a route says of itself: Fastify checks requests by it, and openapi.yaml is made from it. */
export interface Operation {
  schema: NonNullable<RouteShorthandOptions['schema']>
}

export interface OperationParts {
  /** Properties of the query; they are converted from text, and defaults filled in. */
  query?: Record<string, JsonSchema>
  /** The JSON body. */
  body?: JsonSchema
  /** The file form: properties of the body, for the description only. */
  form?: JsonSchema
  /** The media type of the answer where it is not JSON. */
  content?: string
  /** The JSON answer. */
  answer?: JsonSchema
  /** The status of success, 200 by default. */
  status?: number
  description?: string
  deprecated?: boolean
  /** Left out of the OpenAPI file. */
  hide?: boolean
}

const FAILURES = Object.fromEntries(['4xx', '5xx'].map((status) => [status, { $ref: 'Error#' }]))

/** The shared shapes: the body of failed answers, and the answer of a finished job. */
export const SHARED_SCHEMAS: readonly JsonSchema[] = [
  {
    $id: 'Error',
    type: 'object',
    description: 'A failed request. Match on code, never on error.',
    required: ['error', 'code'],
    properties: {
      error: { type: 'string', description: 'a sentence for people' },
      code: { type: 'string', description: 'see the table of errors in the documentation' },
      details: {
        anyOf: [
          { type: 'string' },
          {
            type: 'array',
            items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
          },
        ],
      },
    },
    additionalProperties: true,
  },
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
      savedFileId: { type: 'string', description: 'the new version in the library; only with fileId' },
    },
    additionalProperties: true,
  },
  {
    $id: 'Accepted',
    type: 'object',
    description: 'The work goes on: follow /api/v1/jobs/{jobId}/progress, or ask /api/v1/jobs/{jobId}.',
    required: ['jobId', 'async'],
    properties: {
      jobId: { type: 'string' },
      async: { type: 'boolean', const: true },
      progressJobId: { type: 'string' },
      artifactJobId: { type: 'string' },
    },
  },
]

const binary = (content: string): JsonSchema => ({
  description: 'the file',
  content: { [content]: { schema: { type: 'string', format: 'binary' } } },
})

/** A route of the API in a word or two, with what goes in and comes out. */
export function operation(tag: string, summary: string, parts: OperationParts = {}): Operation {
  const { query, body, form, content, answer, status = 200, description, deprecated, hide } = parts
  const success = content ? binary(content) : { description: 'done', ...(answer ?? { type: 'object' }) }
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
      response: { [status]: success, ...FAILURES },
    },
  }
}

const FILE: JsonSchema = { type: 'string', format: 'binary' }

function formSchema(entry: Pick<CatalogueEntry, 'input'>, settings: SettingsTable): JsonSchema {
  const { files, max, secondary = {} } = entry.input
  const own = Object.entries(secondary).map(([name, { what }]) => [name, { ...FILE, description: what }] as const)
  const isMany = files === 'many' || max > 1
  const file = isMany ? { type: 'array', items: FILE, description: 'the input files, in order' } : FILE
  return {
    type: 'object',
    required: [
      ...(entry.input.min === 0 ? [] : ['file']),
      ...own.filter(([name]) => secondary[name]!.required).map(([name]) => name),
    ],
    properties: {
      ...(files !== 'none' && { file }),
      ...Object.fromEntries(own),
      settings: {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: tableSchema(settings),
        description: settingsText(settings),
      },
      clientJobId: { type: 'string', description: 'an id of your choice to follow the job by' },
      fileId: { type: 'string', description: 'a library item: the result becomes its next version' },
      saveMode: { type: 'string', enum: ['new', 'overwrite'] },
    },
  }
}

/** The settings in words, for readers of the file that know no contentSchema. */
function settingsText(settings: SettingsTable): string {
  const lines = Object.entries(settings).map(([name, { type, help, default: preset }]) => {
    const start = preset === undefined ? '' : `, ${JSON.stringify(preset)} by default`
    return `${name} (${type}): ${help}${start}`
  })
  return lines.length > 0 ? `JSON object. ${lines.join('; ')}` : 'JSON object; the tool has no settings'
}

/** The route of a tool, a preset or an action. */
export function toolOperation(
  entry: CatalogueEntry,
  action?: CatalogueEntry['actions'][number],
  isAlias = false,
): Operation & typeof UNCHECKED {
  const what = action ?? entry
  const isJson = entry.body === 'json'
  const body = isJson ? { body: tableSchema(what.settings) } : { form: formSchema(what, what.settings) }
  const parts = operation(entry.section, what.summary, {
    ...body,
    answer: { $ref: 'Result#' },
    // The old paths without a section work and are not advertised.
    hide: isAlias,
    description: `Takes ${what.input.accept.join(', ') || 'no file'}. Gives ${outputText(what.output)}.`,
  })
  const accepted = { 202: { $ref: 'Accepted#' } }
  const { response } = parts.schema as { response: Record<string, unknown> }
  return { schema: { ...parts.schema, response: { ...response, ...accepted } }, ...UNCHECKED }
}

/** The batch route of a tool. */
export function batchOperation(entry: CatalogueEntry, isAlias = false): Operation & typeof UNCHECKED {
  const form = formSchema({ input: { ...entry.input, files: 'many' } }, entry.settings)
  return {
    ...operation(entry.section, `${entry.summary} (many files, answered as a ZIP)`, {
      form,
      content: 'application/zip',
      hide: isAlias,
    }),
    ...UNCHECKED,
  }
}
