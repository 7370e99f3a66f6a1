import { MAX_OPERATIONS } from './patch.ts'
import { GROUP_SCHEMA, MAX_PAGE, USER_SCHEMA } from './resources.ts'

const SCHEMA_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema'

type Uniqueness = 'none' | 'server'

interface Attribute {
  name: string
  type: string
  description: string
  [property: string]: unknown
}

/** The definition of an attribute (RFC 7643, section 7) with the usual properties. */
function attribute(name: string, description: string, more: Record<string, unknown> = {}): Attribute {
  const type = 'subAttributes' in more ? 'complex' : 'string'
  return {
    ...{ name, type, multiValued: false, description, required: false, caseExact: false },
    ...{ mutability: 'readWrite', returned: 'default', uniqueness: 'none' satisfies Uniqueness },
    ...more,
  }
}

const reference = (referenceTypes: readonly string[]) =>
  attribute('$ref', 'The address of the resource', { type: 'reference', referenceTypes, mutability: 'readOnly' })

const EXTERNAL_ID = attribute('externalId', 'The id that the provider gave', { caseExact: true })

const SCHEMAS = [
  {
    id: USER_SCHEMA,
    name: 'User',
    description: 'A user who signs in with the provider',
    attributes: [
      attribute('userName', 'The name at the provider, usually an e-mail address', {
        ...{ required: true, uniqueness: 'server' },
      }),
      EXTERNAL_ID,
      attribute('name', 'The name of the person', {
        subAttributes: [attribute('givenName', 'The given name'), attribute('familyName', 'The family name')],
      }),
      attribute('displayName', 'The name that is shown'),
      attribute('emails', 'One address is stored: the primary one, or the first', {
        multiValued: true,
        subAttributes: [
          attribute('value', 'The address'),
          attribute('type', 'Always work', { canonicalValues: ['work'] }),
          attribute('primary', 'Always true', { type: 'boolean' }),
        ],
      }),
      attribute('active', 'Whether the user may sign in', { type: 'boolean' }),
      attribute('groups', 'The team of the user', {
        ...{ multiValued: true, mutability: 'readOnly' },
        subAttributes: [
          attribute('value', 'The id of the group', { mutability: 'readOnly' }),
          attribute('display', 'The name of the group', { mutability: 'readOnly' }),
          reference(['Group']),
        ],
      }),
    ],
  },
  {
    id: GROUP_SCHEMA,
    name: 'Group',
    description: 'A team: a user is in one, that to which it was added last',
    attributes: [
      attribute('displayName', 'The name of the team', { required: true, uniqueness: 'server' }),
      EXTERNAL_ID,
      attribute('members', 'Users that the provider created', {
        multiValued: true,
        subAttributes: [
          attribute('value', 'The id of the user', { mutability: 'immutable' }),
          attribute('display', 'The userName', { mutability: 'readOnly' }),
          reference(['User']),
        ],
      }),
    ],
  },
] as const

/** The schemas of users and groups (RFC 7643, section 7). @param base address of the SCIM API */
export function schemas(base: string): object[] {
  return SCHEMAS.map((schema) => ({
    ...{ schemas: [SCHEMA_SCHEMA], ...schema },
    meta: { resourceType: 'Schema', location: `${base}/Schemas/${schema.id}` },
  }))
}

/** The kinds of resources (RFC 7643, section 6). @param base address of the SCIM API */
export function resourceTypes(base: string): object[] {
  return SCHEMAS.map(({ id, name, description }) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    ...{ id: name, name, description, endpoint: `/${name}s`, schema: id },
    meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
  }))
}

/** What the API can do (RFC 7643, section 5). @param base address of the SCIM API */
export function serviceProviderConfig(base: string): object {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: MAX_OPERATIONS, maxPayloadSize: 1024 * 1024 },
    filter: { supported: true, maxResults: MAX_PAGE },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        ...{ type: 'oauthbearertoken', name: 'Bearer token', primary: true },
        description: 'The token that an administrator creates for the provider',
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
  }
}
