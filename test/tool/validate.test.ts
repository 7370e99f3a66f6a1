import { describe, expect, test } from 'vitest'
import { MediaprocError } from '../../src/errors.ts'
import {
  boolean,
  choice,
  color,
  group,
  integer,
  list,
  number,
  type Setting,
  type SettingsTable,
  text,
} from '../../src/tool/settings.ts'
import {
  checkSettings,
  flagSpelling,
  inspectSettings,
  invalidSettings,
  nearest,
  settingsError,
} from '../../src/tool/validate.ts'
import { describeExpected } from '../../src/tool/values/values.ts'

/** The result of one row for a value: the value, or the message that refuses it. */
function take(row: Setting, value: unknown): unknown {
  const { values, issues } = inspectSettings({ value: row }, { value })
  return issues.length > 0 ? issues[0]!.message : values.value
}

const refusal = (expected: string, got: string): string => `Expected ${expected} for value, got ${got}`

describe('conversion', () => {
  const size = integer('a size', { min: 1, max: 100 })
  test.each([
    [1, 1],
    [100, 100],
    ['50', 50],
    [' 7 ', 7],
    ['1e2', 100],
    [0, refusal('an integer from 1 to 100', '0')],
    [101, refusal('an integer from 1 to 100', '101')],
    [1.5, refusal('an integer from 1 to 100', '1.5')],
    ['', refusal('an integer from 1 to 100', 'nothing')],
    ['ten', refusal('an integer from 1 to 100', 'ten')],
    [true, refusal('an integer from 1 to 100', 'true')],
    [Number.NaN, refusal('an integer from 1 to 100', 'null')],
    ['Infinity', refusal('an integer from 1 to 100', 'Infinity')],
    [[5], refusal('an integer from 1 to 100', '[5]')],
  ])('integer %j', (given, wanted) => expect(take(size, given)).toEqual(wanted))

  const factor = number('a factor', { exclusiveMin: 0, max: 10 })
  test.each([
    [0.001, 0.001],
    ['2.5', 2.5],
    [10, 10],
    [0, refusal('a number greater than 0 and at most 10', '0')],
    [-1, refusal('a number greater than 0 and at most 10', '-1')],
    [10.01, refusal('a number greater than 0 and at most 10', '10.01')],
    [Number.POSITIVE_INFINITY, refusal('a number greater than 0 and at most 10', 'null')],
  ])('number %j', (given, wanted) => expect(take(factor, given)).toEqual(wanted))

  test('a number of a list of numbers', () => {
    const rate = integer('a rate', { enum: [8000, 16000] })
    expect(take(rate, '16000')).toBe(16000)
    expect(take(rate, 9000)).toBe(refusal('one of 8000 or 16000', '9000'))
  })

  test.each([
    [true, true],
    [false, false],
    ['true', true],
    ['YES', true],
    ['on', true],
    ['1', true],
    [1, true],
    ['false', false],
    ['No', false],
    ['off', false],
    [0, false],
    ['maybe', refusal('true or false', 'maybe')],
    ['', refusal('true or false', 'nothing')],
    ['constructor', refusal('true or false', 'constructor')],
  ])('boolean %j', (given, wanted) => expect(take(boolean('a switch'), given)).toEqual(wanted))

  const format = choice(['jpg', 'PNG', 90], 'a format', { valueAliases: { jpeg: 'jpg', quarter: 90 } })
  test.each([
    ['jpg', 'jpg'],
    ['JPG', 'jpg'],
    ['png', 'PNG'],
    ['JPEG', 'jpg'],
    ['quarter', 90],
    ['90', 90],
    [90, 90],
    ['gif', refusal('one of jpg, PNG or 90', 'gif')],
    ['constructor', refusal('one of jpg, PNG or 90', 'constructor')],
    [null, undefined],
  ])('enum %j', (given, wanted) => expect(take(format, given)).toEqual(wanted))

  test('a deprecated value may mean 0', () => {
    expect(take(integer('a level', { min: 0, valueAliases: { none: 0 } }), 'None')).toBe(0)
  })

  const OPAQUE = 'a colour as #RRGGBB or in CSS (red, rgb(255 0 0))'
  test.each([
    ['#A1b2C3', '#a1b2c3'],
    ['#abc', '#aabbcc'],
    ['red', '#ff0000'],
    ['#a1b2c3ff', '#a1b2c3'],
    ['rgb(255 0 0 / 100%)', '#ff0000'],
    ['reddish', refusal(OPAQUE, 'reddish')],
    ['#a1b2c380', refusal(OPAQUE, '#a1b2c380')],
    ['rgb(255 0 0 / 50%)', refusal(OPAQUE, 'rgb(255 0 0 / 50%)')],
    ['transparent', refusal(OPAQUE, 'transparent')],
    ['#a1b2c3\n', refusal(OPAQUE, '#a1b2c3\n')],
  ])('colour %j', (given, wanted) => expect(take(color('a colour'), given)).toEqual(wanted))

  test('a colour that may be transparent', () => {
    const ground = color('a colour', { transparent: true })
    expect(take(ground, 'Transparent')).toBe('transparent')
    expect(take(ground, 'rgb(0 0 0 / 0)')).toBe('transparent')
    expect(take(ground, 'none')).toBe(refusal('a colour as #RRGGBB or in CSS (transparent, red, rgb(255 0 0))', 'none'))
  })

  const line = text('a line', { minLength: 2, maxLength: 4 })
  test.each([
    ['ab', 'ab'],
    ['abcd', 'abcd'],
    [1234, '1234'],
    ['a', refusal('text of 2 to 4 characters', 'a')],
    ['abcde', refusal('text of 2 to 4 characters', 'abcde')],
    [{ a: 1 }, refusal('text of 2 to 4 characters', '{"a":1}')],
    [true, refusal('text of 2 to 4 characters', 'true')],
  ])('text %j', (given, wanted) => expect(take(line, given)).toEqual(wanted))

  const sizes = list(integer('a side', { min: 1 }), 'sides', { minLength: 1, maxLength: 3 })
  test.each([
    ['16, 32', [16, 32]],
    ['[16,32]', [16, 32]],
    [
      ['16', 32],
      [16, 32],
    ],
    ['', refusal('a list', 'nothing')],
    [[1, 2, 3, 4], refusal('a list', '[1,2,3,4]')],
    ['16,x', 'Expected an integer of at least 1 for value.1, got x'],
    ['[16', 'Expected a list for value, got [16'],
    [16, refusal('a list', '16')],
  ])('list %j', (given, wanted) => expect(take(sizes, given)).toEqual(wanted))

  const place = group({ x: integer('across', { required: true }), y: integer('down', { default: 3 }) }, 'a place')
  test.each([
    ['{"x":1}', { x: 1, y: 3 }],
    [
      { x: '2', y: 5 },
      { x: 2, y: 5 },
    ],
    [{}, 'Expected an integer for value.x, got nothing'],
    [{ x: 1, z: 2 }, 'There is no setting value.z'],
    ['{x:1}', refusal('an object', '{x:1}')],
    [[1], refusal('an object', '[1]')],
    ['null', refusal('an object', 'null')],
  ])('group %j', (given, wanted) => expect(take(place, given)).toEqual(wanted))

  test('checks a list of groups to its depth', () => {
    const cells = list(group({ zoom: number('zoom', { min: 1, max: 10, default: 1 }) }, 'a cell'), 'cells')
    expect(take(cells, '[{"zoom":2},{}]')).toEqual([{ zoom: 2 }, { zoom: 1 }])
    const { issues } = inspectSettings({ cells }, { cells: [{ zoom: 2 }, { zoom: 11 }, { zom: 2 }] })
    expect(issues).toEqual([
      { path: 'cells.1.zoom', message: 'Expected a number from 1 to 10 for cells.1.zoom, got 11' },
      { path: 'cells.2.zom', message: 'There is no setting cells.2.zom', hint: 'Did you mean cells.2.zoom?' },
    ])
  })
})

describe('sentences', () => {
  test.each<[Setting, string]>([
    [integer('x'), 'an integer'],
    [integer('x', { min: 1 }), 'an integer of at least 1'],
    [number('x', { max: 2 }), 'a number of at most 2'],
    [number('x', { exclusiveMin: 0 }), 'a number greater than 0'],
    [text('x'), 'text'],
    [text('x', { minLength: 1 }), 'text of at least 1 character'],
    [text('x', { minLength: 2 }), 'text of at least 2 characters'],
    [text('x', { maxLength: 9 }), 'text of 0 to 9 characters'],
    [choice(['only'], 'x'), 'only'],
    [choice(['a', 'b', 'c'], 'x'), 'one of a, b or c'],
  ])('%#', (row, sentence) => expect(describeExpected(row)).toBe(sentence))

  test('truncates long values', () => {
    expect(take(integer('x'), 'y'.repeat(200))).toBe(refusal('an integer', `${'y'.repeat(57)}…`))
  })

  test('does not repeat a secret', () => {
    const message = take(text('x', { minLength: 8, secret: true }), 'hunter2')
    expect(message).toBe(refusal('text of at least 8 characters', 'a value of another kind'))
  })

  test('suggests a similar enum value', () => {
    const { issues } = inspectSettings({ fit: choice(['cover', 'contain'], 'x') }, { fit: 'contian' })
    expect(issues[0]!.hint).toBe('Did you mean contain?')
  })

  test('a percentage instead of pixels names the setting that scales', () => {
    const table = { width: integer('w', { unit: 'px' }), percentage: number('p', { unit: '%' }) }
    expect(inspectSettings(table, { width: '50%' }).issues[0]!.hint).toBe('Did you mean percentage 50%?')
    expect(inspectSettings({ width: integer('w') }, { width: '50%' }).issues[0]!.hint).toBeUndefined()
    expect(inspectSettings(table, { width: 'wide' }).issues[0]!.hint).toBeUndefined()
  })

  test('nearest finds typos, not other words', () => {
    expect(nearest('widht', ['width', 'height'])).toBe('width')
    expect(nearest('WIDTH', ['width'])).toBe('width')
    expect(nearest('colour', ['width', 'height'])).toBeUndefined()
  })
})

describe('tables', () => {
  const table = {
    width: integer('width', { min: 1, unit: 'px' }),
    withoutEnlargement: boolean('never larger', { default: false }),
    cornerRadius: number('rounding', { default: 4, aliases: ['radius'] }),
    quality: integer('quality', { default: 80, filledByTool: true }),
    preset: choice(['screen'], 'old', { deprecated: 'use quality' }),
    text: text('what to write', { required: true }),
  } satisfies SettingsTable

  test('fills in defaults, unless the tool does it', () => {
    expect(checkSettings(table, { text: 'a' })).toEqual({ text: 'a', withoutEnlargement: false, cornerRadius: 4 })
    expect(checkSettings(table, { text: 'a', quality: '70' }).quality).toBe(70)
  })

  test('an alias means its row; the real name wins', () => {
    expect(checkSettings(table, { text: 'a', radius: 9 }).cornerRadius).toBe(9)
    expect(checkSettings(table, { text: 'a', radius: 9, cornerRadius: 2 }).cornerRadius).toBe(2)
    expect(checkSettings(table, { text: 'a', cornerRadius: 2, radius: 9 }).cornerRadius).toBe(2)
  })

  test('null and undefined count as absent', () => {
    expect(checkSettings(table, { text: 'a', width: null, cornerRadius: undefined })).not.toHaveProperty('width')
    expect(inspectSettings(table, { text: null }).issues[0]!.message).toBe('Expected text for text, got nothing')
  })

  test('deprecated names work with a notice', () => {
    const { values, deprecated } = inspectSettings(table, { text: 'a', preset: 'screen' }, flagSpelling)
    expect(values.preset).toBe('screen')
    expect(deprecated).toEqual(['--preset is deprecated: use quality'])
  })

  test('reports all errors, in the spelling of the interface', () => {
    const { issues, unknown } = inspectSettings(table, { width: 0, withoutEnlargment: true }, flagSpelling)
    expect(unknown).toEqual(['withoutEnlargment'])
    expect(issues).toEqual([
      { path: 'width', message: 'Expected an integer of at least 1 for --width, got 0' },
      {
        path: 'withoutEnlargment',
        message: 'There is no setting --without-enlargment',
        hint: 'Did you mean --without-enlargement?',
      },
      { path: 'text', message: 'Expected text for --text, got nothing' },
    ])
    const error = settingsError(issues)
    expect(error).toMatchObject({ code: 'INVALID_SETTINGS', exit: 2, hint: 'Did you mean --without-enlargement?' })
    expect(error.message).toBe(issues.map(({ message }) => message).join('; '))
  })

  test('names of Object.prototype are not settings', () => {
    for (const name of ['constructor', '__proto__', 'toString'])
      expect(inspectSettings(table, JSON.parse(`{"text":"a","${name}":1}`)).unknown).toEqual([name])
  })

  test('checkSettings throws errors', () => {
    expect(() => checkSettings(table, {})).toThrow(MediaprocError)
    expect(() => checkSettings(table, {})).toThrow('Expected text for text, got nothing')
    expect(invalidSettings('Two things at once', 'Take one.')).toMatchObject({
      code: 'INVALID_SETTINGS',
      hint: 'Take one.',
    })
  })

  test('returns a default as a copy', () => {
    const withList = { pages: list(integer('page'), 'pages', { default: [1] }) }
    const first = checkSettings(withList, {}).pages as number[]
    first.push(2)
    expect(checkSettings(withList, {}).pages).toEqual([1])
  })
})
