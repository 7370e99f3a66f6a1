// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of pipelines look like that
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { pipelineSchema } from '../../../src/generate/docs/pipeline-schema.ts'
import { useScannedCatalogue } from '../../../src/tool/registry.ts'

type Schema = { [key: string]: unknown }

const READY = fileURLToPath(new URL('../../../docs/pipelines/', import.meta.url))
const schema = pipelineSchema(await useScannedCatalogue()) as Schema
const definitions = schema.$defs as Record<string, Schema>

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
const isType = (type: string, value: unknown): boolean =>
  type === 'integer' ? Number.isInteger(value) : typeOf(value) === type
const listed = (rule: unknown): string[] => (Array.isArray(rule) ? rule : [rule]) as string[]
const isText = (value: unknown): value is string => typeof value === 'string'

/** The part of JSON Schema that the schema of pipelines uses; an unknown keyword fails this test. */
function conforms(rules: Schema, value: unknown): boolean {
  const object = (typeOf(value) === 'object' ? value : {}) as Record<string, unknown>
  const isObject = typeOf(value) === 'object'
  const list = Array.isArray(value) ? value : []
  const own = Object.keys((rules.patternProperties ?? {}) as Schema).map((pattern) => new RegExp(pattern, 'u'))
  const known = rules.properties as Record<string, Schema> | undefined
  return Object.entries(rules).every(([keyword, rule]) => {
    switch (keyword) {
      case '$ref':
        return conforms(definitions[(rule as string).replace('#/$defs/', '')]!, value)
      case 'type':
        return listed(rule).some((type) => isType(type, value))
      case 'enum':
        return (rule as unknown[]).includes(value)
      case 'pattern':
        return !isText(value) || new RegExp(rule as string, 'u').test(value)
      case 'minLength':
        return !isText(value) || value.length >= (rule as number)
      case 'maxLength':
        return !isText(value) || value.length <= (rule as number)
      case 'minimum':
        return typeof value !== 'number' || value >= (rule as number)
      case 'maximum':
        return typeof value !== 'number' || value <= (rule as number)
      case 'exclusiveMinimum':
        return typeof value !== 'number' || value > (rule as number)
      case 'minItems':
        return !Array.isArray(value) || value.length >= (rule as number)
      case 'maxItems':
        return !Array.isArray(value) || value.length <= (rule as number)
      case 'items':
        return list.every((item) => conforms(rule as Schema, item))
      case 'properties':
        return Object.entries(object).every(([name, item]) => !known?.[name] || conforms(known[name], item))
      case 'additionalProperties':
        return Object.keys(object).every(
          (name) => Object.hasOwn(known ?? {}, name) || own.some((one) => one.test(name)),
        )
      case 'required':
        return !isObject || (rule as string[]).every((name) => Object.hasOwn(object, name))
      case 'minProperties':
        return !isObject || Object.keys(object).length >= (rule as number)
      case 'maxProperties':
        return !isObject || Object.keys(object).length <= (rule as number)
      case 'anyOf':
        return (rule as Schema[]).some((one) => conforms(one, value))
      case 'oneOf':
        return (rule as Schema[]).filter((one) => conforms(one, value)).length === 1
      case 'allOf':
        return (rule as Schema[]).every((one) => conforms(one, value))
      case 'if':
        return !conforms(rule as Schema, value) || conforms(rules.then as Schema, value)
      case 'patternProperties':
        return Object.entries(rule as Record<string, Schema>).every(([pattern, one]) =>
          Object.entries(object).every(([name, item]) => !new RegExp(pattern, 'u').test(name) || conforms(one, item)),
        )
      case 'then':
      case '$schema':
      case '$defs':
      case 'title':
      case 'description':
      case 'default':
      case 'examples':
      case 'deprecated':
        return true
      default:
        throw new Error(`the test does not know ${keyword}`)
    }
  })
}

describe('the schema of pipelines', () => {
  test.each(readdirSync(READY).filter((name) => name.endsWith('.yaml')))('accepts docs/pipelines/%s', (name) => {
    const text = readFileSync(`${READY}${name}`, 'utf8')
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\.\/\.\.\/dist\/schemas\/pipeline\.json\n/)
    expect(conforms(schema, parse(text))).toBe(true)
  })

  test.each([
    ['the long form', '[{ tool: image/resize, settings: { width: 8 } }]', true],
    ['the form of the API', 'steps: [{ toolId: resize, settings: { width: 8 } }]', true],
    ["a key of the author's own", 'x-mine: { a: 1 }\nsteps: [audio/normalize-audio]', true],
    ["the author's own, without the dash", 'xmine: 1\nsteps: [audio/normalize-audio]', false],
    ['a tool alone', '[audio/normalize-audio]', true],
    ['settings left empty', '[{ image/strip-metadata: }]', true],
    ['an alias of a value', '[{ image/convert: { format: jpeg } }]', true],
    ['a variable for a number', '[{ image/resize: { width: "${W}" } }]', true],
    ['an unknown tool', '[{ image/resiz: { width: 8 } }]', false],
    ['an unknown setting', '[{ image/resize: { widht: 8 } }]', false],
    ['an unknown setting in the long form', '[{ tool: image/resize, settings: { widht: 8 } }]', false],
    ['a wrong type', '[{ image/resize: { width: wide } }]', false],
    ['out of range', '[{ image/resize: { width: 0 } }]', false],
    ['a setting that is missing', '[{ image/convert: {} }]', false],
    ['a tool alone that needs settings', '[image/convert]', false],
    ['a file that is missing', '[{ image/watermark-image: { opacity: 3 } }]', false],
    ['two tools in a step', '[{ image/info: {}, image/resize: { width: 8 } }]', false],
    ['an unknown key', '{ steps: [image/info], outputs: x }', false],
    [
      'parameters',
      '{ params: { width: 8, logo: , on: { default: true, description: x } }, steps: [image/info] }',
      true,
    ],
    ['a parameter that is a list', '{ params: { width: [8] }, steps: [image/info] }', false],
    ['a parameter with a dash', '{ params: { my-width: 8 }, steps: [image/info] }', false],
    ['a matrix', '{ matrix: { w: [1, a], exclude: [{ w: 1 }] }, steps: [image/info] }', true],
    ['a matrix in a variant without a name', '{ variants: [{ matrix: { w: [1] }, steps: [image/info] }] }', true],
    ['a matrix without a list', '{ matrix: { w: 1 }, steps: [image/info] }', false],
    ['an include', '[{ include: a.yaml }, { include: b.yaml, with: { w: 1, on: true } }]', true],
    ['an include with a variable', '[{ include: "${A}.yaml" }]', false],
    ['an include with a condition', '[{ include: a.yaml, when: { alpha: true } }]', false],
    ['an include with settings', '[{ include: a.yaml, with: { w: [1] } }]', false],
    ['a variant without a name', '{ variants: [{ steps: [image/info] }] }', false],
    ['a result as a file', '[{ image/watermark-image: { watermark: { result: a, file: 2 } } }]', true],
    ['the input as a file', '[{ image/watermark-image: { watermark: { input: true } } }]', true],
    ['both as a file', '[{ image/watermark-image: { watermark: { input: true, result: a } } }]', false],
    ['file 0 of a result', '[{ image/watermark-image: { watermark: { result: a, file: 0 } } }]', false],
    [
      'inputs of a variant, without an output',
      '{ variants: [{ name: a, inputs: [b.png, { result: c }], output: false, steps: [image/info] }] }',
      true,
    ],
    ['no inputs of a variant', '{ variants: [{ name: a, inputs: [], steps: [image/info] }] }', true],
    ['a number as input of a variant', '{ variants: [{ name: a, inputs: [3], steps: [image/info] }] }', false],
    ['a pattern as output of a variant', '{ variants: [{ name: a, output: x.png, steps: [image/info] }] }', false],
  ])('%s', (_name, text, expected) => {
    expect(conforms(schema, parse(text))).toBe(expected)
  })
})
