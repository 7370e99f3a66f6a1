import { conditionText } from './condition.ts'
import { fieldsOf, itemOf, type Setting, type SettingsTable } from './settings.ts'

export type JsonSchema = { [key: string]: unknown }

/** Longest colour, in characters: `hsla()` with every argument at full length. */
const MAX_COLOUR = 80

/** A CSS colour: hexadecimal, a name, or rgb() and hsl(). Names and arguments are validated later. */
const COLOUR_PATTERN =
  '^(#([0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|[a-zA-Z]{3,20}|([rR][gG][bB]|[hH][sS][lL])[aA]?\\([^()]{5,70}\\))$'

/** One row as JSON Schema 2020-12 (the dialect of OpenAPI 3.1). */
export function settingSchema(row: Setting): JsonSchema {
  const help = row.unit ? `${row.help} (${row.unit})` : row.help
  const described = {
    description: row.when ? `${help}; only with ${conditionText(row.when)}` : help,
    ...(row.label !== undefined && { title: row.label }),
    ...(row.example !== undefined && { examples: [row.example] }),
    ...(row.default !== undefined && { default: row.default }),
    ...(row.deprecated && { deprecated: true }),
  }
  const range = {
    ...(row.min !== undefined && { minimum: row.min }),
    ...(row.max !== undefined && { maximum: row.max }),
    ...(row.exclusiveMin !== undefined && { exclusiveMinimum: row.exclusiveMin }),
  }
  // Other words are accepted too: editors use the list for suggestions.
  if (row.otherwise !== undefined) return { anyOf: [{ enum: row.enum }, { type: 'string' }], ...described }
  switch (row.type) {
    case 'integer':
    case 'number':
      return { type: row.type, ...range, ...(row.enum && { enum: row.enum }), ...described }
    case 'boolean':
      return { type: 'boolean', ...described }
    case 'enum':
      return { enum: row.enum, ...described }
    case 'color':
      return { type: 'string', maxLength: MAX_COLOUR, pattern: COLOUR_PATTERN, ...described }
    case 'array':
      return {
        type: 'array',
        items: settingSchema(itemOf(row)),
        ...(row.minLength !== undefined && { minItems: row.minLength }),
        ...(row.maxLength !== undefined && { maxItems: row.maxLength }),
        ...described,
      }
    case 'object':
      return { ...tableSchema(fieldsOf(row)), ...described }
    default: {
      const line = {
        type: 'string',
        ...(row.enum && { enum: row.enum }),
        ...(row.minLength !== undefined && { minLength: row.minLength }),
        ...(row.maxLength !== undefined && { maxLength: row.maxLength }),
      }
      if (!row.listed) return { ...line, ...described }
      return { anyOf: [line, { type: 'array', items: { type: ['string', 'number'] } }], ...described }
    }
  }
}

/** A whole table as an object schema; aliases are accepted but not listed, so unknown keys are rejected elsewhere. */
export function tableSchema(table: SettingsTable): JsonSchema {
  const required = Object.keys(table).filter((name) => table[name]!.required)
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(table).map(([name, row]) => [name, settingSchema(row)])),
    ...(required.length > 0 && { required }),
  }
}
