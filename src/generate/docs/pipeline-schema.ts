import { BOUND_NAMES, BOUNDS, FACT_NAMES, FACTS } from '../../pipeline/when/facts.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { type JsonSchema, settingSchema } from '../../tool/json-schema.ts'
import type { Setting, SettingsTable } from '../../tool/settings.ts'

/** Text with a variable may stand for any value. */
const VARIABLE = { $ref: '#/$defs/variable' }

/** One setting as it may stand in a pipeline: also in the spellings that are accepted, and as a variable. */
function valueSchema(row: Setting): JsonSchema {
  const { title, description, default: fallback, examples, deprecated, ...schema } = settingSchema(row)
  const annotations = {
    ...(title !== undefined && { title }),
    description,
    ...(fallback !== undefined && { default: fallback }),
    ...(examples !== undefined && { examples }),
    ...(deprecated !== undefined && { deprecated }),
  }
  if (row.type === 'string' && row.minLength === undefined && row.maxLength === undefined)
    return { ...schema, ...annotations }
  const words = Object.keys(row.valueAliases ?? {})
  const others = [...(words.length > 0 ? [{ enum: words }] : []), VARIABLE]
  return { anyOf: [schema, ...others], ...annotations }
}

function rows(table: SettingsTable): [string, JsonSchema][] {
  return Object.entries(table).flatMap(([name, row]) => {
    const schema = valueSchema(row)
    const aliases = (row.aliases ?? []).map((alias): [string, JsonSchema] => [
      alias,
      { ...schema, deprecated: true, description: `the same as ${name}` },
    ])
    return [[name, schema] as [string, JsonSchema], ...aliases]
  })
}

/** The settings of a tool in a pipeline, its further files among them. */
function settingsSchema({ settings, input, summary }: CatalogueEntry): JsonSchema {
  const further = Object.entries(input.secondary ?? {}).filter(([name]) => !Object.hasOwn(settings, name))
  const properties = Object.fromEntries([
    ...rows(settings),
    ...further.map(([name, { what }]) => [
      name,
      {
        description: `${what}: a file, relative to the pipeline, or a result of the run`,
        anyOf: [{ type: 'string' }, { $ref: '#/$defs/reference' }],
      },
    ]),
  ])
  // A name that also has aliases cannot be demanded by its own spelling.
  const required = [
    ...Object.keys(settings).filter((name) => settings[name]!.required && !settings[name]!.aliases?.length),
    ...further.filter(([, { required }]) => required).map(([name]) => name),
  ]
  return {
    description: summary,
    type: required.length > 0 ? 'object' : ['object', 'null'],
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

/** Whether a tool can be named alone, without settings. */
const needsNothing = ({ settings, input }: CatalogueEntry): boolean =>
  !Object.values(settings).some((row) => row.required) &&
  !Object.values(input.secondary ?? {}).some((secondary) => secondary.required)

/** A condition on facts of the input. */
function whenSchema(): JsonSchema {
  const properties = FACT_NAMES.map((name): [string, JsonSchema] => {
    const { row, compares } = FACTS[name]
    const value = valueSchema(row)
    const bounds = BOUND_NAMES.map((bound) => [bound, { ...value, description: BOUNDS[bound].help }])
    const more = compares ? Object.fromEntries(bounds) : { not: { anyOf: [value, { type: 'array', items: value }] } }
    const object = { type: 'object', properties: more, minProperties: 1, additionalProperties: false }
    return [name, { description: row.help, anyOf: [value, { type: 'array', minItems: 1, items: value }, object] }]
  })
  return {
    description: 'facts of the input; the step or variant is skipped for inputs that differ',
    type: 'object',
    minProperties: 1,
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  }
}

/** JSON Schema 2020-12 of pipeline files, for editors: every tool and preset with its settings. */
export function pipelineSchema(entries: readonly CatalogueEntry[]): JsonSchema {
  const nameOf = ({ section, id }: CatalogueEntry): string => `${section}/${id}`
  const reference = (entry: CatalogueEntry): JsonSchema => ({ $ref: `#/$defs/${entry.section}.${entry.id}` })
  const names = entries.map(nameOf)
  const once = entries.filter(({ id }) => entries.filter((other) => other.id === id).length === 1)
  const choose = (key: 'tool' | 'toolId'): JsonSchema => ({
    type: 'object',
    required: [key],
    properties: {
      [key]: { enum: [...names, ...once.map(({ id }) => id)] },
      settings: {},
      when: { $ref: '#/$defs/when' },
    },
    additionalProperties: false,
    allOf: entries.map((entry) => ({
      if: { properties: { [key]: { enum: [nameOf(entry), entry.id] } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { settings: reference(entry) } },
    })),
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'mediaproc pipeline',
    description: 'Steps that mediaproc run takes files through. See docs/pipelines.md.',
    anyOf: [
      { $ref: '#/$defs/steps' },
      {
        type: 'object',
        properties: {
          $schema: { type: 'string' },
          name: { type: 'string', description: 'what it is called; the name of its file by default' },
          description: { type: 'string' },
          inputs: {
            description: 'files and patterns, relative to this file, where the command line names none',
            anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
          },
          params: {
            type: 'object',
            description:
              'parameters with their defaults: used in settings, given with --set NAME=VALUE; one without a default is required',
            patternProperties: { '^[A-Za-z_][A-Za-z0-9_]*$': { $ref: '#/$defs/parameter' } },
            additionalProperties: false,
          },
          rows: {
            type: 'string',
            minLength: 1,
            pattern: '^(?!.*\\$\\{)',
            description:
              'a CSV or JSON file, relative to this one: the pipeline runs once for each row, with its columns as parameters',
          },
          matrix: { $ref: '#/$defs/matrix' },
          steps: { $ref: '#/$defs/steps' },
          variants: {
            type: 'array',
            minItems: 1,
            description: 'the steps run once, then those of each variant on what they gave',
            items: {
              type: 'object',
              anyOf: [{ required: ['name'] }, { required: ['matrix'] }],
              properties: {
                matrix: { $ref: '#/$defs/matrix' },
                when: { $ref: '#/$defs/when' },
                name: { type: 'string', pattern: '^[^/\\\\:*?"<>|]{1,64}$' },
                inputs: {
                  description:
                    'what it begins with, instead of the result of the common steps: files, patterns and results of other variants; [] if its first tool takes no file',
                  anyOf: [
                    { type: 'string' },
                    { $ref: '#/$defs/reference' },
                    { type: 'array', items: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/reference' }] } },
                  ],
                },
                steps: { $ref: '#/$defs/steps' },
                output: { type: 'boolean', default: true, description: 'false if only other variants use its result' },
              },
              additionalProperties: false,
            },
          },
          manifest: {
            type: 'string',
            pattern: '^[^{}]+$|\\$\\{',
            description: 'a JSON file that lists the outputs of each input, such as assets.json',
          },
          output: { type: 'string', description: "pattern of output names, such as 'dist/{variant}/{stem}.{ext}'" },
        },
        patternProperties: { '^x-': { description: "the author's own, such as values that steps share by alias" } },
        anyOf: [{ required: ['steps'] }, { required: ['variants'] }],
        additionalProperties: false,
      },
    ],
    $defs: {
      variable: { type: 'string', pattern: '\\$\\{' },
      scalar: { type: ['string', 'number', 'boolean'] },
      reference: {
        type: 'object',
        description: 'the result of a variant, or the input of the pipeline',
        properties: {
          result: { type: ['string', 'number'], description: 'the name of a variant' },
          input: { enum: [true], description: 'the input of the pipeline' },
          file: {
            anyOf: [{ type: 'integer', minimum: 1 }, VARIABLE],
            description: 'one of several files, from 1',
          },
        },
        oneOf: [{ required: ['result'] }, { required: ['input'] }],
        additionalProperties: false,
      },
      when: whenSchema(),
      matrix: {
        type: 'object',
        description: 'a variant for each combination of the values, which steps use by name, as parameters',
        properties: {
          exclude: {
            type: 'array',
            description: 'combinations to leave out',
            items: { type: 'object', patternProperties: { '.': { $ref: '#/$defs/scalar' } } },
          },
        },
        patternProperties: {
          '^(?!exclude$)[A-Za-z_][A-Za-z0-9_]*$': { type: 'array', minItems: 1, items: { $ref: '#/$defs/scalar' } },
        },
        additionalProperties: false,
      },
      parameter: {
        anyOf: [
          { $ref: '#/$defs/scalar' },
          { type: 'null' },
          {
            type: 'object',
            properties: { default: { type: ['string', 'number', 'boolean', 'null'] }, description: { type: 'string' } },
            additionalProperties: false,
          },
        ],
      },
      include: {
        type: 'object',
        description: 'the steps of another file, instead of this step',
        required: ['include'],
        properties: {
          include: {
            type: 'string',
            minLength: 1,
            pattern: '^(?!.*\\$\\{)',
            description: 'a file with steps and params, relative to this one',
          },
          with: {
            type: 'object',
            description: 'the values of its parameters',
            patternProperties: { '^[A-Za-z_][A-Za-z0-9_]*$': { $ref: '#/$defs/scalar' } },
            additionalProperties: false,
          },
        },
        additionalProperties: false,
      },
      steps: { type: 'array', items: { $ref: '#/$defs/step' } },
      step: {
        oneOf: [
          {
            enum: entries
              .filter(needsNothing)
              .flatMap((entry) => [nameOf(entry), ...(once.includes(entry) ? [entry.id] : [])]),
          },
          {
            type: 'object',
            minProperties: 1,
            maxProperties: 2,
            properties: {
              when: { $ref: '#/$defs/when' },
              ...Object.fromEntries(entries.map((entry) => [nameOf(entry), reference(entry)])),
            },
            // One tool, besides a condition.
            anyOf: [{ maxProperties: 1 }, { required: ['when'] }],
            additionalProperties: false,
          },
          choose('tool'),
          choose('toolId'),
          { $ref: '#/$defs/include' },
        ],
      },
      ...Object.fromEntries(entries.map((entry) => [`${entry.section}.${entry.id}`, settingsSchema(entry)])),
    },
  }
}
