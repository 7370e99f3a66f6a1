import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMMON_OPTIONS } from '../../src/cli/input/common-options.ts'
import { mergeSettings } from '../../src/cli/input/effective-options.ts'
import { toolFlags } from '../../src/cli/input/flags.ts'
import { type Parsed, parseArguments } from '../../src/cli/input/parse.ts'
import { boolean, choice, group, integer, list, number, type SettingsTable, text } from '../../src/tool/settings.ts'

const TABLE: SettingsTable = {
  width: integer('width', { min: 1, max: 16383, aliases: ['w'] }),
  angle: number('angle', { min: -180, max: 180 }),
  withoutEnlargement: boolean('never larger', { default: false }),
  fit: choice(['cover', 'contain'], 'fit', { default: 'contain' }),
  sizes: list(integer('side'), 'sizes'),
  cells: list(group({ x: integer('x') }, 'a cell'), 'cells'),
  crop: group({ x: integer('x'), y: integer('y') }, 'crop'),
  password: text('password', { secret: true }),
  output: choice(['text', 'pdf'], 'kind of result', { default: 'text' }),
}
const SECONDARY = { backgroundImage: { required: false, what: 'the background', accept: ['image'] } }
const FLAGS = toolFlags(TABLE, SECONDARY, COMMON_OPTIONS)

const parse = (...args: string[]): Parsed => parseArguments(args, TABLE, FLAGS, 'mediaproc image x --help')
const valuesOf = (...args: string[]) => mergeSettings(TABLE, [parse(...args).settings]).values

describe('settings as flags', () => {
  test('kebab-case, camelCase and aliases mean the same setting', () => {
    expect(parse('--without-enlargement').settings).toEqual({ withoutEnlargement: true })
    expect(parse('--withoutEnlargement').settings).toEqual({ withoutEnlargement: true })
    expect(parse('--no-without-enlargement').settings).toEqual({ withoutEnlargement: false })
    expect(parse('--w', '5').settings).toEqual({ width: '5' })
    expect(parse('--width=5').settings).toEqual({ width: '5' })
  })

  test('a short form, with its value attached or separate, next to those of common options', () => {
    const table: SettingsTable = {
      width: integer('width', { short: 'w' }),
      progressive: boolean('in passes', { short: 'P' }),
    }
    const flags = toolFlags(table, {}, COMMON_OPTIONS)
    const parsed = (...args: string[]): Parsed => parseArguments(args, table, flags, 'mediaproc image x --help')
    expect(parsed('-w', '800', 'a.jpg')).toMatchObject({ settings: { width: '800' }, operands: ['a.jpg'] })
    expect(parsed('-w800', '-Pfq')).toMatchObject({
      settings: { width: '800', progressive: true },
      common: { force: true, quiet: true },
    })
    expect(() => parsed('-w')).toThrow(
      expect.objectContaining({ message: 'Expected a value for --width, got nothing' }),
    )
  })

  test('the last value wins', () => {
    expect(parse('--width', '5', '--w', '6').settings).toEqual({ width: '6' })
    expect(parse('--without-enlargement', '--no-without-enlargement').settings).toEqual({ withoutEnlargement: false })
  })

  test('switches accept a truth value after =', () => {
    expect(parse('--without-enlargement=no').settings).toEqual({ withoutEnlargement: false })
    expect(parse('--no-without-enlargement=true').settings).toEqual({ withoutEnlargement: false })
    expect(() => parse('--without-enlargement=maybe')).toThrow('Expected no value for --without-enlargement, got maybe')
  })

  test('a negative number is a value', () => {
    expect(valuesOf('--angle', '-15').angle).toBe(-15)
    expect(valuesOf('--angle=-15.5').angle).toBe(-15.5)
  })

  test('lists by commas, by repeating, and as JSON', () => {
    expect(valuesOf('--sizes', '16,32').sizes).toEqual([16, 32])
    expect(valuesOf('--sizes', '16', '--sizes', '32,48').sizes).toEqual([16, 32, 48])
    expect(valuesOf('--sizes', '[16, 32]').sizes).toEqual([16, 32])
    expect(valuesOf('--cells', '{"x":1}', '--cells', '{"x":2}').cells).toEqual([{ x: 1 }, { x: 2 }])
    expect(valuesOf('--cells', '[{"x":1},{"x":2}]').cells).toEqual([{ x: 1 }, { x: 2 }])
  })

  test('groups as JSON', () => {
    expect(valuesOf('--crop', '{"x":1,"y":2}').crop).toEqual({ x: 1, y: 2 })
  })

  test('a secret is given once, as a value or as a file', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'secret-')), 'p')
    writeFileSync(path, 'top secret\n')
    for (const args of [
      ['--password', 'a', '--password-file', path],
      ['--password-file', path, '--password', 'a'],
      ['--password', 'a', '--password', 'b'],
    ])
      expect(() => parse(...args)).toThrow(
        expect.objectContaining({ code: 'USAGE', message: 'Expected one value for --password, got two' }),
      )
  })

  test('reads a secret from a file without the final line break', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'secret-')), 'p')
    writeFileSync(path, 'top secret\n')
    expect(parse('--password-file', path).settings).toEqual({ password: 'top secret' })
    expect(() => parse('--password-file', `${path}x`)).toThrow('The file for --password-file cannot be read')
  })

  test("a setting keeps its name next to a common option of the same name; the option's letter still works", () => {
    const { settings, common } = parse('--output', 'pdf', '-o', 'x.pdf')
    expect(settings).toEqual({ output: 'pdf' })
    expect(common).toEqual({ output: 'x.pdf' })
  })
})

describe('the rest of the line', () => {
  test('common options, clusters of letters, further inputs, operands', () => {
    const parsed = parse('a.jpg', '-rqj4', '--background-image', 'b.png', '-0', 'c.jpg')
    expect(parsed.operands).toEqual(['a.jpg', 'c.jpg'])
    expect(parsed.common).toEqual({ recursive: true, quiet: true, jobs: '4', nullSeparated: true })
    expect(parsed.secondary).toEqual({ backgroundImage: 'b.png' })
  })

  test('-- ends the options; - is an input', () => {
    expect(parse('-', '--', '-x.jpg', '--width').operands).toEqual(['-', '-x.jpg', '--width'])
  })

  test('an unknown option suggests the closest one', () => {
    expect(() => parse('--widht', '3')).toThrow(
      expect.objectContaining({ code: 'USAGE', message: 'There is no option --widht', hint: 'Did you mean --width?' }),
    )
    expect(() => parse('-x')).toThrow('There is no option -x')
  })

  test('or options that contain a word of it', () => {
    expect(() => parse('--image', 'b.png')).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/^Did you mean .*--background-image/) }),
    )
  })

  test('reports a missing value', () => {
    expect(() => parse('--width')).toThrow('Expected a value for --width, got nothing')
    expect(() => parse('-o')).toThrow('Expected a value for -o, got nothing')
  })
})

describe('layers of settings', () => {
  test('later layers override earlier ones, also by alias', () => {
    const { values, given } = mergeSettings(TABLE, [{ width: 10, fit: 'cover' }, { w: 20 }])
    expect(values).toMatchObject({ width: 20, fit: 'cover', withoutEnlargement: false })
    expect([...given].sort()).toEqual(['fit', 'width'])
  })

  test('messages name the flag, the range and the given value', () => {
    expect(() => valuesOf('--width', 'abc')).toThrow('Expected an integer from 1 to 16383 for --width, got abc')
    expect(() => valuesOf('--width', '0')).toThrow('Expected an integer from 1 to 16383 for --width, got 0')
    expect(() => valuesOf('--fit', 'covre')).toThrow(
      expect.objectContaining({ code: 'INVALID_SETTINGS', hint: 'Did you mean cover?' }),
    )
  })

  test('reports all errors at once', () => {
    expect(() => valuesOf('--width', '0', '--angle', '999')).toThrow(/--width, got 0; .*--angle, got 999/)
  })
})
