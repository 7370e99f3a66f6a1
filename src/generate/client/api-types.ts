import type { ApiDocument, Operation } from './api-document.ts'
import { literal, TypeWriter } from './type-writer.ts'

/** Tools have their own types: those of their settings tables. */
const isTool = (path: string, verb: string): boolean => path.startsWith('/api/v1/tools/') && verb === 'post'

const PLACES = ['query', 'header', 'path', 'cookie'] as const

const comment = (words: string | undefined, indent: string): string =>
  words ? `${indent}/** ${words.replaceAll('*/', '*\\/').replaceAll(/\s+/g, ' ')} */\n` : ''

/** The members of an operation, in the form that openapi-typescript writes and openapi-fetch reads. */
function operationType({ parameters = [], requestBody, responses = {} }: Operation, writer: TypeWriter): string {
  const places = PLACES.map((place) => {
    const found = parameters.filter((one) => one.in === place)
    if (found.length === 0) return `        ${place}?: never\n`
    const isOptional = !found.some(({ required }) => required)
    const rows = found.map(
      ({ name, required, description, schema }) =>
        `${comment(description, '          ')}          ${literal(name)}${required ? '' : '?'}: ${writer.type(schema, '          ')}\n`,
    )
    return `        ${place}${isOptional ? '?' : ''}: {\n${rows.join('')}        }\n`
  })
  const content = (types: Record<string, { schema?: object }> = {}): string =>
    Object.entries(types)
      .map(([type, { schema }]) => `          ${literal(type)}: ${writer.type(schema as never, '          ')}\n`)
      .join('')
  const body = requestBody
    ? `      requestBody${requestBody.required ? '' : '?'}: { content: {\n${content(requestBody.content)}      } }\n`
    : '      requestBody?: never\n'
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(
      ([status, answer]) =>
        `        ${status}: { headers: { [name: string]: unknown }; content: {\n${content(answer.content)}        } }\n`,
    )
  return `{\n      parameters: {\n${places.join('')}      }\n${body}      responses: {\n${answers.join('')}      }\n    }`
}

/** A declaration file with the paths and components of an OpenAPI document; its tools are left out. */
export function apiTypes({ paths, components: { schemas } }: ApiDocument): string {
  const writer = new TypeWriter()
  writer.wanted.push(...Object.keys(schemas).filter((name) => !/Settings$|^Failure\d/.test(name)))
  const items = Object.entries(paths).flatMap(([path, verbs]) => {
    const own = Object.entries(verbs).filter(([verb]) => !isTool(path, verb))
    const rows = own.map(
      ([verb, operation]) => `${comment(operation.summary, '    ')}    ${verb}: ${operationType(operation, writer)}\n`,
    )
    return rows.length === 0 ? [] : [`  ${literal(path)}: {\n${rows.join('')}  }\n`]
  })
  const types: string[] = []
  // The list grows while it is written.
  for (const name of writer.wanted) {
    const schema = schemas[name]
    if (!schema) throw new Error(`The API has no component ${name}`)
    types.push(`${comment(schema.description as string | undefined, '')}export type ${name} = ${writer.type(schema)}\n`)
  }
  const named = writer.wanted.map((name) => `    ${name}: ${name}\n`)
  return `// Generated from the OpenAPI document by npm run build.

export interface paths {
${items.join('')}}

export interface components {
  schemas: {
${named.join('')}  }
}

${types.join('\n')}`
}
