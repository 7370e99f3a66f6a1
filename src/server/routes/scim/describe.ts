import { MAX_FILTER } from '../../../accounts/scim/filter.ts'
import { MAX_OPERATIONS, MAX_PATH } from '../../../accounts/scim/patch.ts'
import { ERROR_SCHEMA, PATCH_SCHEMA } from '../../../accounts/scim/resources.ts'
import { MAX_TEXT } from '../../../accounts/scim/user-attributes.ts'
import type { JsonSchema } from '../../../tool/json-schema.ts'
import { type Operation, type OperationParts, operation } from '../../openapi/operations.ts'
import { count, exactly, listOf, text, the } from '../../openapi/shapes.ts'

/** Media type of requests and responses; requests may also be application/json. */
export const SCIM_TYPE = 'application/scim+json'

const FAILURES = [400, 401, 403, 404, 409, 413, 415, 429, 500, 503, 507]

const inScim = (description: string, schema: JsonSchema) => ({ description, content: { [SCIM_TYPE]: { schema } } })

/** Describes a SCIM route: all its bodies are SCIM resources, messages or errors. */
export function scimOperation(
  summary: string,
  { answer = {}, status = 200, ...parts }: Pick<OperationParts, 'query' | 'body' | 'answer' | 'status'>,
): Operation {
  const { schema } = operation('provisioning', summary, parts)
  const failures = FAILURES.map((code) => [code, inScim('see detail', the('ScimError'))])
  const success = status === 204 ? { description: 'done', type: 'null' } : inScim('done', answer)
  return { schema: { ...schema, response: { ...Object.fromEntries(failures), [status]: success } } }
}

const words: JsonSchema = { type: ['string', 'null'], maxLength: MAX_TEXT }
const schemas: JsonSchema = { type: 'array', maxItems: 20, items: { type: 'string', maxLength: 200 } }

export const USER_BODY: JsonSchema = {
  type: 'object',
  required: ['userName'],
  properties: {
    schemas,
    userName: { type: 'string', maxLength: MAX_TEXT },
    externalId: words,
    displayName: words,
    name: { type: ['object', 'null'], properties: { givenName: words, familyName: words } },
    emails: {
      type: ['array', 'null'],
      maxItems: 100,
      items: {
        type: 'object',
        properties: { value: words, primary: { type: ['boolean', 'string', 'null'], maxLength: 5 } },
      },
    },
    active: { type: ['boolean', 'string', 'null'], maxLength: 5 },
  },
  additionalProperties: true,
  examples: [{ userName: 'ada@example.com', name: { givenName: 'Ada', familyName: 'Byron' }, active: true }],
}

export const GROUP_BODY: JsonSchema = {
  type: 'object',
  required: ['displayName'],
  properties: {
    schemas,
    displayName: { type: 'string', maxLength: MAX_TEXT },
    externalId: words,
    members: {
      type: ['array', 'null'],
      maxItems: 1000,
      items: { type: 'object', required: ['value'], properties: { value: { type: 'string', maxLength: 100 } } },
    },
  },
  additionalProperties: true,
  examples: [{ displayName: 'Press', members: [] }],
}

export const PATCH_BODY: JsonSchema = {
  type: 'object',
  required: ['Operations'],
  properties: {
    schemas,
    Operations: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_OPERATIONS,
      items: {
        type: 'object',
        required: ['op'],
        properties: {
          op: { type: 'string', maxLength: 10, description: 'add, replace or remove' },
          path: { type: 'string', maxLength: MAX_PATH },
          value: { description: 'the value of the attribute, or an object of attributes without a path' },
        },
      },
    },
  },
  examples: [{ schemas: [PATCH_SCHEMA], Operations: [{ op: 'replace', path: 'active', value: false }] }],
}

const ATTRIBUTES: Record<string, JsonSchema> = {
  attributes: { type: 'string', maxLength: 1000, description: 'only these attributes, separated by commas' },
  excludedAttributes: { type: 'string', maxLength: 1000, description: 'all but these attributes, separated by commas' },
}

/** Query of a single resource, and of a list. */
export const ONE_QUERY = ATTRIBUTES
const number = (description: string): JsonSchema => ({
  ...{ type: 'integer', minimum: -1_000_000_000, maximum: 1_000_000_000, description },
})
export const LIST_QUERY: Record<string, JsonSchema> = {
  ...ATTRIBUTES,
  filter: { type: 'string', maxLength: MAX_FILTER, description: 'attribute eq "value"' },
  startIndex: number('the first of the page, from 1'),
  count: number('how many at most, up to 200; 100 by default'),
}

const meta = exactly({ resourceType: text, created: text, lastModified: text, location: text })
// With the address of the resource as `$ref`, which no schema can have as the name of a property.
const references = listOf({
  type: 'object',
  required: ['value', 'display'],
  properties: { value: text, display: text },
  additionalProperties: text,
})

const page = (name: string): JsonSchema =>
  exactly({
    schemas: listOf(text),
    totalResults: count,
    startIndex: count,
    itemsPerPage: count,
    Resources: listOf(the(name)),
  })

/** Shared schemas of the SCIM routes. `attributes` may leave out all but the first two fields. */
export const SCIM_SCHEMAS: readonly JsonSchema[] = [
  {
    $id: 'ScimUser',
    description: 'A user that the provider created',
    type: 'object',
    required: ['schemas', 'id'],
    properties: {
      ...{ schemas: listOf(text), id: text, externalId: text, userName: text, displayName: text },
      name: exactly({ givenName: text, familyName: text }, ['givenName', 'familyName']),
      emails: listOf(exactly({ value: text, type: text, primary: { type: 'boolean' } })),
      ...{ active: { type: 'boolean' }, groups: references, meta },
    },
    additionalProperties: false,
  },
  {
    $id: 'ScimGroup',
    description: 'A team as a group of the provider',
    type: 'object',
    required: ['schemas', 'id'],
    properties: {
      ...{ schemas: listOf(text), id: text, externalId: text, displayName: text, members: references, meta },
    },
    additionalProperties: false,
  },
  { $id: 'ScimUserList', description: 'A page of users', ...page('ScimUser') },
  { $id: 'ScimGroupList', description: 'A page of groups', ...page('ScimGroup') },
  {
    $id: 'ScimError',
    description: 'An error of the SCIM API (RFC 7644, section 3.12), with the code of the other routes',
    ...exactly(
      {
        schemas: { ...listOf(text), description: ERROR_SCHEMA },
        status: { type: 'string', description: 'the status of HTTP' },
        scimType: text,
        detail: { type: 'string', description: 'a sentence for people' },
        code: text,
      },
      ['scimType'],
    ),
  },
]
