import { LIMIT_TABLE } from '../../local/check/limits.ts'
import { SEVERITIES } from '../../local/check/rule.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { type JsonSchema, settingSchema } from '../../tool/json-schema.ts'
import type { Setting } from '../../tool/settings.ts'

/** A limit as it may be written: numbers with units are text, and a list of one word is a word. */
function limitSchema(row: Setting): JsonSchema {
  const { description, examples, ...schema } = settingSchema(row)
  const annotations = { description, ...(examples !== undefined && { examples }) }
  if (row.type === 'array') return { anyOf: [schema, { type: 'string' }], ...annotations }
  const hasUnits = row.unit === 'B' || row.unit === 's'
  return hasUnits
    ? { anyOf: [schema, { type: 'string', pattern: '^[0-9]' }], ...annotations }
    : { ...schema, ...annotations }
}

/** JSON Schema 2020-12 of the rules of `mediaproc check`, for editors. */
export function rulesSchema(entries: readonly CatalogueEntry[]): JsonSchema {
  const names = entries.map(({ section, id }) => `${section}/${id}`)
  const step: JsonSchema = {
    anyOf: [{ enum: names }, { type: 'object', minProperties: 1, maxProperties: 1, propertyNames: { enum: names } }],
  }
  const texts = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }
  const limits = Object.fromEntries(Object.entries(LIMIT_TABLE).map(([name, row]) => [name, limitSchema(row)]))
  const rules: JsonSchema = { type: 'array', minItems: 1, items: { $ref: '#/$defs/rule' } }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'mediaproc check rules',
    description: 'Limits that mediaproc check compares files with. See docs/check.md.',
    anyOf: [
      rules,
      {
        type: 'object',
        required: ['rules'],
        properties: { $schema: { type: 'string' }, description: { type: 'string' }, rules },
        patternProperties: { '^x-': { description: 'values that rules share by alias' } },
        additionalProperties: false,
      },
    ],
    $defs: {
      step,
      rule: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'its name in reports' },
          files: {
            ...texts,
            description: 'patterns of the files that it is about, relative to this file; ! leaves files out',
          },
          severity: { enum: SEVERITIES, default: 'error', description: 'only errors change the exit code' },
          fix: {
            description: 'the steps that fix it, in place of the usual ones; false for none',
            anyOf: [{ const: false }, { $ref: '#/$defs/step' }, { type: 'array', items: { $ref: '#/$defs/step' } }],
          },
          ...limits,
        },
        anyOf: Object.keys(limits).map((name) => ({ required: [name] })),
        additionalProperties: false,
      },
    },
  }
}
