import type { JsonSchema } from '../../tool/json-schema.ts'

/** Operations whose successful response the console reads; each becomes a type of its name. */
const OPERATIONS = [
  ...['getConfigAuth', 'getAuthSession', 'postAuthLogin', 'postAuthMfaEnroll', 'getAuthSessions', 'getAuthPasskeys'],
  ...['getApiKeys', 'postApiKeys', 'getTools', 'getToolsPopular', 'getToolsBySectionByToolId'],
  ...['getJobs', 'getJobsByJobId', 'postAuthLogout', 'getOpenedFiles'],
  ...['getPipelineList', 'getPipelineTools', 'postPipelineExplain', 'getFiles', 'getFilesById', 'getFilesUsage'],
  ...['getBranding', 'getAuthUsers', 'postAuthRegister', 'getAuthUsersByIdSessions', 'getAdminSignInSources'],
  ...['postEnterpriseScimToken', 'getServiceAccounts', 'postServiceAccounts', 'getServiceAccountsByIdKeys'],
  ...['postServiceAccountsByIdKeys', 'getTeams', 'getRoles', 'getAdminSettings', 'putSettings', 'getFeatures'],
  ...['postAdminFeaturesByBundleIdInstall', 'getAdminFeaturesDiskUsage', 'postAdminFeaturesImport', 'getAuditLog'],
  ...['getAuditLogActions', 'getAdminUsage', 'getAdminHealth', 'getReadyz', 'getAdminLogLevel'],
] as const

/** Components beyond those that the responses refer to. */
const COMPONENTS = ['Result', 'Accepted', 'JobEvent']

interface ApiDocument {
  paths: Record<string, Record<string, { operationId?: string; responses?: Record<string, Answer> }>>
  components: { schemas: Record<string, JsonSchema> }
}

interface Answer {
  content?: Record<string, { schema?: JsonSchema }>
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** Writes schemas as TypeScript types, and collects the components that they refer to. */
class Writer {
  readonly wanted: string[] = []

  type(schema: JsonSchema | undefined, indent = ''): string {
    if (!schema || Object.keys(schema).length === 0) return 'unknown'
    const { $ref, enum: members, type, items } = schema
    const choices = (schema.oneOf ?? schema.anyOf) as JsonSchema[] | undefined
    if (typeof $ref === 'string') return this.#named($ref.split('/').at(-1) ?? '')
    if ('const' in schema) return literal(schema.const)
    if (Array.isArray(members)) return members.map(literal).join(' | ')
    if (choices) return choices.map((one) => this.type(one, indent)).join(' | ')
    const types = (Array.isArray(type) ? type : [type ?? (schema.properties ? 'object' : undefined)]) as string[]
    return types.map((one) => this.#plain(one, schema, items as JsonSchema | undefined, indent)).join(' | ')
  }

  #plain(type: string | undefined, schema: JsonSchema, items: JsonSchema | undefined, indent: string): string {
    if (type === 'array') {
      const member = this.type(items, indent)
      const isAlone = items?.type === 'object' || !member.includes('|')
      return isAlone ? `${member}[]` : `(${member})[]`
    }
    if (type === 'object') return this.#object(schema, indent)
    return SIMPLE[type ?? ''] ?? 'unknown'
  }

  #object({ properties, required, additionalProperties }: JsonSchema, indent: string): string {
    const own = Object.entries((properties ?? {}) as Record<string, JsonSchema>)
    const more = additionalProperties as JsonSchema | boolean | undefined
    if (own.length === 0) return `Record<string, ${typeof more === 'object' ? this.type(more, indent) : 'unknown'}>`
    const needed = new Set((required ?? []) as string[])
    const lines = own.map(
      ([name, schema]) => `${indent}  ${name}${needed.has(name) ? '' : '?'}: ${this.type(schema, `${indent}  `)}\n`,
    )
    return `{\n${lines.join('')}${more === true ? `${indent}  [name: string]: unknown\n` : ''}${indent}}`
  }

  #named(name: string): string {
    if (!this.wanted.includes(name)) this.wanted.push(name)
    return name
  }
}

/** The success response of an operation, if it is JSON. */
function answerOf({ paths }: ApiDocument, id: string): JsonSchema | undefined {
  for (const methods of Object.values(paths))
    for (const { operationId, responses = {} } of Object.values(methods))
      if (operationId === id) {
        const found = responses['200'] ?? responses['201'] ?? responses['202']
        return found?.content?.['application/json']?.schema
      }
  throw new Error(`The console reads ${id}, which the API does not have`)
}

/** The types of the console, from the OpenAPI document. @throws Error for an operation that the document lacks */
export function consoleTypes(document: ApiDocument): string {
  const writer = new Writer()
  writer.wanted.push(...COMPONENTS)
  const answers = OPERATIONS.flatMap((id) => {
    const schema = answerOf(document, id)
    return schema ? [`export type ${capital(id)} = ${writer.type(schema)}\n`] : []
  })
  const components: string[] = []
  // The list grows while it is written.
  for (const name of writer.wanted) {
    const schema = document.components.schemas[name]
    if (!schema) throw new Error(`The API has no component ${name}`)
    components.push(`export type ${name} = ${writer.type(schema)}\n`)
  }
  return `// Generated from the OpenAPI document by npm run generate:console.\n\n${[...answers, ...components].join('\n')}`
}
