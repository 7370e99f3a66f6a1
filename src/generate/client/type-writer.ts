import type { JsonSchema } from '../../tool/json-schema.ts'

/** A JSON value as a type. */
export const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : JSON.stringify(value)

const quoted = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name))

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** Writes schemas as TypeScript types, and collects the components that they refer to. */
export class TypeWriter {
  readonly wanted: string[] = []

  type(schema: JsonSchema | undefined, indent = ''): string {
    if (!schema || Object.keys(schema).length === 0) return 'unknown'
    const { $ref, enum: members, type, items } = schema
    if (schema.format === 'binary') return 'Blob'
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
      ([name, schema]) =>
        `${indent}  ${quoted(name)}${needed.has(name) ? '' : '?'}: ${this.type(schema, `${indent}  `)}\n`,
    )
    return `{\n${lines.join('')}${more === true ? `${indent}  [name: string]: unknown\n` : ''}${indent}}`
  }

  #named(name: string): string {
    if (!this.wanted.includes(name)) this.wanted.push(name)
    return name
  }
}
