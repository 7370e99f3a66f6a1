import type { JsonSchema } from '../../tool/json-schema.ts'
import type { ApiDocument } from '../client/api-document.ts'
import { TypeWriter } from '../client/type-writer.ts'

/** Operations whose successful response the console reads; each becomes a type of its name. */
const OPERATIONS = [
  ...[
    'getConfigAuth',
    'getAuthSession',
    'postAuthLogin',
    'postAuthMfaEnroll',
    'postAuthDeviceLookup',
    'getAuthSessions',
    'getAuthPasskeys',
  ],
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

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

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
  const writer = new TypeWriter()
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
