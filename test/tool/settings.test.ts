import { expect, expectTypeOf, test } from 'vitest'
import {
  boolean,
  choice,
  color,
  group,
  integer,
  kebabCase,
  list,
  number,
  type SettingsOf,
  text,
} from '../../src/tool/settings.ts'

test('rows are plain data', () => {
  expect(integer('width', { min: 1, unit: 'px' })).toEqual({ type: 'integer', help: 'width', min: 1, unit: 'px' })
  expect(number('angle')).toEqual({ type: 'number', help: 'angle' })
  expect(text('name', { secret: true })).toEqual({ type: 'string', help: 'name', secret: true })
  expect(boolean('strip', { default: true })).toEqual({ type: 'boolean', help: 'strip', default: true })
  expect(choice(['a', 2], 'one')).toEqual({ type: 'enum', help: 'one', enum: ['a', 2] })
  expect(color('ink', { transparent: true })).toEqual({ type: 'color', help: 'ink', transparent: true })
  expect(list(integer('side'), 'sides', { maxLength: 3 })).toEqual({
    type: 'array',
    help: 'sides',
    items: { type: 'integer', help: 'side' },
    maxLength: 3,
  })
  expect(group({ x: integer('across') }, 'place')).toEqual({
    type: 'object',
    help: 'place',
    fields: { x: { type: 'integer', help: 'across' } },
  })
})

test.each([
  ['width', 'width'],
  ['withoutEnlargement', 'without-enlargement'],
  ['targetSizeKb', 'target-size-kb'],
  ['startS', 'start-s'],
  ['flipH', 'flip-h'],
  ['logoDataUri', 'logo-data-uri'],
  ['everyN', 'every-n'],
  ['x2Scale', 'x2-scale'],
])('kebabCase %s', (name, flag) => expect(kebabCase(name)).toBe(flag))

test('a tool gets a value if a default or required guarantees it', () => {
  const table = {
    sure: integer('x', { default: 1 }),
    must: text('x', { required: true }),
    may: number('x'),
    own: choice(['a', 'b'], 'x', { default: 'a', filledByTool: true }),
    many: list(integer('x'), 'x', { default: [] }),
  }
  expectTypeOf<SettingsOf<typeof table>>().toEqualTypeOf<{
    sure: number
    must: string
    may: number | undefined
    own: 'a' | 'b' | undefined
    many: number[]
  }>()
})
