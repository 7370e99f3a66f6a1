import { describe, expect, test } from 'vitest'
import { type JsonSchema, settingSchema, tableSchema } from '../../src/tool/json-schema.ts'
import { findEntry, useScannedCatalogue } from '../../src/tool/registry.ts'
import { boolean, choice, color, group, integer, list, number, text } from '../../src/tool/settings.ts'
import { convertValue } from '../../src/tool/values/values.ts'

test('each kind of row', () => {
  expect(settingSchema(integer('width', { min: 1, max: 9, default: 3, unit: 'px' }))).toEqual({
    type: 'integer',
    minimum: 1,
    maximum: 9,
    description: 'width (px)',
    default: 3,
  })
  expect(settingSchema(number('factor', { exclusiveMin: 0 }))).toEqual({
    type: 'number',
    exclusiveMinimum: 0,
    description: 'factor',
  })
  expect(settingSchema(integer('rate', { enum: [1, 2] }))).toMatchObject({ type: 'integer', enum: [1, 2] })
  expect(settingSchema(boolean('strip', { deprecated: 'use x' }))).toEqual({
    type: 'boolean',
    description: 'strip',
    deprecated: true,
  })
  expect(settingSchema(choice(['a', 90], 'one'))).toEqual({ enum: ['a', 90], description: 'one' })
  expect(settingSchema(text('name', { minLength: 1, maxLength: 9 }))).toEqual({
    type: 'string',
    minLength: 1,
    maxLength: 9,
    description: 'name',
  })
})

test.each([
  ['collage', 'backgroundColor'],
  ['circle-crop', 'background'],
])('the colour of %s has a pattern', async (id, name) => {
  await useScannedCatalogue()
  const schema = settingSchema(findEntry(id, 'image').settings[name]!)
  const pattern = new RegExp(schema.pattern as string)
  const words = ['#FFFFFF', 'transparent', schema.default, 'red', '#fff', '#ffff1', 'rgb(1 2']
  expect(words.map((word) => pattern.test(word as string))).toEqual([true, true, true, true, true, false, false])
})

test('the pattern of a colour accepts what the tool accepts', () => {
  const row = color('ink', { alpha: true })
  const pattern = new RegExp(settingSchema(row).pattern as string)
  const colours = [
    '#a1B2c3',
    '#abc',
    '#abcd',
    '#a1b2c3d4',
    'Red',
    'transparent',
    'RGB(1, 2, 3)',
    'hsla(120deg 10% 5% / .5)',
  ]
  expect(colours.filter((word) => convertValue(row, word) === undefined || !pattern.test(word))).toEqual([])
  const others = ['x#a1b2c3', '#a1b2c', 'rgb(1 2 3', 'rgb((1 2 3))', 'lab(1 2 3)', '']
  expect(others.filter((word) => convertValue(row, word) !== undefined || pattern.test(word))).toEqual([])
})

test('lists and groups nest', () => {
  const cells = list(group({ x: integer('across', { required: true }) }, 'a cell'), 'cells', { maxLength: 4 })
  expect(tableSchema({ cells })).toEqual({
    type: 'object',
    properties: {
      cells: {
        type: 'array',
        maxItems: 4,
        description: 'cells',
        items: {
          type: 'object',
          properties: { x: { type: 'integer', description: 'across' } },
          required: ['x'],
          description: 'a cell',
        },
      },
    },
  })
})

/** The keywords of JSON Schema 2020-12 that we use, with the types of their values. */
const KEYWORDS: Record<string, (value: unknown) => boolean> = {
  type: (value) =>
    [value]
      .flat()
      .every((one) => ['object', 'array', 'string', 'number', 'integer', 'boolean'].includes(one as string)),
  anyOf: (value) => Array.isArray(value) && value.length > 1 && value.every(isSchema),
  description: (value) => typeof value === 'string' && value !== '',
  title: (value) => typeof value === 'string' && value !== '',
  examples: (value) => Array.isArray(value) && value.length > 0,
  default: (value) => value !== undefined,
  deprecated: (value) => value === true,
  enum: (value) => Array.isArray(value) && value.length > 0,
  pattern: (value) => new RegExp(value as string) instanceof RegExp,
  minimum: Number.isFinite,
  maximum: Number.isFinite,
  exclusiveMinimum: Number.isFinite,
  minLength: (value) => Number.isInteger(value) && (value as number) >= 0,
  maxLength: (value) => Number.isInteger(value) && (value as number) >= 0,
  minItems: (value) => Number.isInteger(value) && (value as number) >= 0,
  maxItems: (value) => Number.isInteger(value) && (value as number) >= 0,
  items: (value) => isSchema(value as JsonSchema),
  properties: (value) => Object.values(value as object).every(isSchema),
  required: (value) => Array.isArray(value) && value.length > 0,
}

function isSchema(schema: JsonSchema): boolean {
  return Object.entries(schema).every(([keyword, value]) => {
    const valid = KEYWORDS[keyword]?.(value)
    if (!valid) throw new Error(`${keyword}: ${JSON.stringify(value)}`)
    return valid
  })
}

describe('every tool', async () => {
  const entries = await useScannedCatalogue()
  test.each(entries.map((entry) => [`${entry.section}/${entry.id}`, entry] as const))('%s', (_name, entry) => {
    for (const { settings } of [entry, ...entry.actions]) {
      const schema = tableSchema(settings)
      expect(isSchema(schema)).toBe(true)
      expect(Object.keys(schema.properties as object)).toEqual(Object.keys(settings))
      expect(JSON.parse(JSON.stringify(schema))).toEqual(schema)
    }
  })
})

test('a text that may also be a list is described as either', () => {
  expect(settingSchema(text('moments', { default: '', maxLength: 500, listed: true }))).toEqual({
    anyOf: [
      { type: 'string', maxLength: 500 },
      { type: 'array', items: { type: ['string', 'number'] } },
    ],
    description: 'moments',
    default: '',
  })
})
